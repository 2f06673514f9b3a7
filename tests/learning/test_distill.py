"""Distillation: the divergence of whole actions, and a student that comes to say what its teacher says."""

import math
from itertools import product
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from learning import artefact, bc, distill, divergence, metrics
from learning.arrays import KINDS, Arrays
from learning.candidates import LOW
from learning.collecting import World
from learning.deeds import Reader
from learning.distill import QUARTER, Recipe
from learning.losses import Diverged
from learning.networks import ElementSetPolicy, Shape
from learning.phases import Phase
from learning.policy import NetworkPolicy
from learning.progress import Stopped
from learning.unexported import Unexported
from sandbox.contracts.trajectories import history
from tests.learning.pages import a_demonstration

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)


@pytest.fixture(scope="module")
def states() -> list[Arrays]:
    """Every state of two demonstrations."""
    torch.set_num_threads(1)
    return distill.states_of(a_demonstration(seed) for seed in range(2))


def _heads(seed: int) -> dict[str, Tensor]:
    """Random heads of one state with three elements, two goal tokens and two options."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {"kind": (len(KINDS),), "click": (3,), "type": (3,), "answer": (3,), "source": (3, 2), "option": (2,)}
    sizes |= {"key": (8,), "direction": (2,)}
    return {name: torch.randn(1, *size, generator=generator, dtype=torch.float64) for name, size in sizes.items()}


def _joint(heads: dict[str, Tensor]) -> Tensor:
    """The probability of every single action, written out."""
    kind = heads["kind"].softmax(-1)[0]
    of = {name: heads[name].softmax(-1)[0] for name in ("click", "type", "answer", "option", "key", "direction")}
    source = heads["source"].softmax(-1)[0]
    chances = [kind[KINDS.index("click")] * p for p in of["click"]]
    typed = product(range(3), range(2))
    chances += [kind[KINDS.index("type")] * of["type"][e] * source[e, g] for e, g in typed]
    pairs = (("select", "option"), ("press", "key"), ("scroll", "direction"), ("answer", "answer"))
    chances += [kind[KINDS.index(name)] * p for name, head in pairs for p in of[head]]
    chances += [kind[KINDS.index(name)] for name in ("wait", "finish", "give_up")]
    return torch.stack(chances)


def test_an_even_guess_of_a_sure_coin_is_log_two_away() -> None:
    sure, even = torch.tensor([[LOW, 0.0]]), torch.tensor([[3.0, 3.0]])
    assert divergence.categorical_kl(sure, even, temperature=1.0).item() == pytest.approx(math.log(2))


def test_the_divergence_of_actions_is_that_of_the_written_out_joint_distribution() -> None:
    teacher, student = _heads(1), _heads(2)
    theirs, ours = _joint(teacher), _joint(student)
    written_out = (theirs * (theirs / ours).log()).sum().item()
    assert divergence.action_kl(teacher, student).item() == pytest.approx(written_out, rel=1e-9)
    assert theirs.sum().item() == pytest.approx(1.0)


def test_nobody_diverges_from_themselves() -> None:
    assert divergence.action_kl(_heads(1), _heads(1), temperature=2.0).item() == pytest.approx(0.0, abs=1e-12)


def test_what_is_impossible_for_both_costs_nothing() -> None:
    teacher, student = _heads(1), _heads(2)
    before = divergence.action_kl(teacher, student)
    for heads in (teacher, student):
        heads["click"] = torch.cat([heads["click"], torch.full((1, 1), LOW, dtype=torch.float64)], -1)
    assert torch.allclose(divergence.action_kl(teacher, student), before)


def test_gradients_agree_with_finite_differences() -> None:
    teacher, student = _heads(1), _heads(2)
    names = list(student)
    for each in student.values():
        each.requires_grad_()

    def of(*logits: Tensor) -> Tensor:
        return divergence.action_kl(teacher, dict(zip(names, logits, strict=True)), temperature=2.0)

    assert torch.autograd.gradcheck(of, tuple(student.values()))
    there = torch.tensor([[True, True, False]])
    theirs, ours = (torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda x: divergence.feature_loss(theirs.detach(), x, there), ours)


def test_a_student_of_a_quarter_comes_to_say_what_its_teacher_says(states: list[Arrays]) -> None:
    teacher, student = bc.fresh(Shape(), seed=1), bc.fresh(QUARTER, seed=2)
    optimizer = torch.optim.AdamW(student.parameters(), lr=4e-3)
    recipe = Recipe(feature_share=0.1)
    bridge = nn.Linear(QUARTER.width, Shape().width)
    with Reader(teacher.eval()) as theirs, Reader(student) as ours:
        nats = [distill.update(theirs, ours, bridge, optimizer, states[:8], recipe, step=step) for step in range(40)]
    assert nats[-1] < 0.1 * nats[0]
    assert _size(student) <= _size(teacher) / 4


def test_the_same_seed_twice_gives_equal_weights_also_through_a_stop(states: list[Arrays], tmp_path: Path) -> None:
    recipe = Recipe(steps=6, batch=4, seed=3)
    once = _student(states, recipe, tmp_path / "a")
    asked = iter([False] * 3 + [True] * 9)
    with pytest.raises(Stopped, match="step 3 of 6"):
        distill.train(
            states, _teacher(), bc.fresh(SMALL, seed=3), recipe, work=tmp_path / "b", should_stop=lambda: next(asked)
        )
    assert _equal(once, _student(states, recipe, tmp_path / "b"))
    assert not _equal(once, _student(states, Recipe(steps=6, batch=4, seed=4), tmp_path / "c"))


def test_one_that_was_done_says_the_same_when_it_is_started_again(states: list[Arrays], tmp_path: Path) -> None:
    recipe = Recipe(steps=3, batch=4, seed=3)
    done, again = (
        distill.train(states, _teacher(), bc.fresh(SMALL, seed=3), recipe, work=tmp_path).divergence for _ in range(2)
    )
    assert done == again > 0


def test_a_student_of_another_teacher_reads_as_it_does() -> None:
    teacher = Shape(shared=1)
    assert distill.smaller(teacher, share=0.25).shared == 1


def test_a_student_practises_in_the_world_afterwards(states: list[Arrays], tmp_path: Path) -> None:
    phases = (Phase("explore", (), most=9, even=0.1, changed=1),)
    world = World(("cloud/stop-instance",), decisions=24, judged=10, slots=4, phases=phases)
    done = distill.train(states, _teacher(), bc.fresh(SMALL, seed=3), Recipe(steps=2, batch=4), work=tmp_path / "a")
    after = distill.practised(done, world, updates=1, work=tmp_path / "b", budget_s=600)
    assert after.seconds > done.seconds
    assert after.trial is not None
    (update,) = metrics.read(tmp_path / "b")
    assert update.step == 1
    assert {"policy_loss", "leash_kl"} <= update.values.keys()


def test_a_network_in_training_proposes_what_its_export_proposes(folder: Path) -> None:
    exported = NetworkPolicy(folder, name="same")
    itself = Unexported(artefact.load(folder), name="same")
    for seed in range(50, 54):
        known = a_demonstration(seed)
        for number, step in enumerate(known.steps):
            seen = step.observation, known.task.goal, history(known.steps[:number])
            one, other = exported.act(*seen), itself.act(*seen)
            assert one.action == other.action
            assert one.probability == pytest.approx(other.probability, abs=1e-3)


def test_the_trunk_is_read_and_left_as_it_was(states: list[Arrays]) -> None:
    network = _teacher()
    with Reader(network):
        assert len(network.norm._forward_hooks) == 1
    assert len(network.norm._forward_hooks) == 0


def _teacher() -> ElementSetPolicy:
    return bc.fresh(Shape(width=24, layers=1, heads=2, word_width=4), seed=9)


def _student(states: list[Arrays], recipe: Recipe, work: Path) -> ElementSetPolicy:
    return distill.train(states, _teacher(), bc.fresh(SMALL, seed=3), recipe, work=work).network


def _equal(one: ElementSetPolicy, other: ElementSetPolicy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def _size(network: ElementSetPolicy) -> int:
    return sum(each.numel() for each in network.parameters())


def test_a_loss_that_is_no_number_ends_the_training(states: list[Arrays], tmp_path: Path) -> None:
    broken = bc.fresh(SMALL, seed=3)
    torch.nn.init.constant_(broken.norm.weight, float("nan"))
    with pytest.raises(Diverged, match="diverged at step 1: divergence is nan"):
        distill.train(states, _teacher(), broken, Recipe(steps=3, batch=4), work=tmp_path)
