"""An action's probability, entropy and drawing are of the policy's own heads; on real pages of the console."""

import gc
import math
import weakref

import numpy as np
import pytest
import torch

from learning import acting, batches, losses, ppo
from learning.acting import Acting, Pages, action_of, batch_of, drawn, entropy, log_prob
from learning.arrays import KINDS
from learning.candidates import LOW, NONE, ranked
from learning.features import Scene, scene
from learning.networks import ElementSetPolicy, Shape, run, tensors
from learning.ppo import Recipe, Rollout
from learning.samples import Sample, lessons
from sandbox.contracts.actions import Action
from sandbox.contracts.policies import past
from sandbox.contracts.trajectories import Trajectory
from tests.learning.pages import a_demonstration

SMALL = Shape(width=32, layers=1, heads=2, word_width=8)


@pytest.fixture(scope="module")
def network() -> Acting:
    """One with random weights, so sharp that its choices differ."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    return Acting(ElementSetPolicy(SMALL), 2)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Every step of some demonstrations."""
    return lessons(a_demonstration(seed) for seed in range(4)).samples


def test_the_probability_of_a_right_action_is_what_cloning_minimises(network: Acting, samples: list[Sample]) -> None:
    """Where one way only comes to the right action, both say the same."""
    rows = _pages(samples)
    inputs = tensors(batches.inputs_of([each.arrays for each in samples]))
    wanted = batches.labels_of(samples, inputs["element_there"].shape[1], inputs["option_there"].shape[1])
    nll = losses.action_nll(run(network.policy, inputs), tensors(wanted))
    single = [
        max(each.label.elements.sum(), each.label.sources.sum(), each.label.options.sum()) <= 1 for each in samples
    ]
    assert sum(single) > 3
    found = ppo.log_probs(network, rows)
    assert torch.allclose(found[single], -nll[single], atol=1e-5)


def test_a_critic_that_nobody_needs_any_more_leaves_its_policy(samples: list[Sample]) -> None:
    policy = ElementSetPolicy(SMALL)
    player = Acting(policy)
    player.outputs(batch_of([samples[0].arrays], [0]))
    critic = weakref.ref(player.critic)
    del player
    gc.collect()
    assert critic() is None
    assert not policy.value._forward_pre_hooks


def test_it_is_the_probability_that_acting_ranks_by(network: Acting) -> None:
    seen, action = _a_typing_step()
    outputs = run(network.policy, batch_of([seen.arrays], [0]))
    by_hand = {name: each[0].detach().numpy() for name, each in outputs.items()}
    candidates = {each.action: each.log_probability for each in ranked(seen, by_hand)}
    actions, chances = drawn(outputs, torch.Generator().manual_seed(1))
    chosen = {name: int(each) for name, each in actions.items()}
    assert candidates[action_of(seen, chosen)] >= chances.item() - 1e-4
    assert action in candidates


def test_every_way_of_acting_together_has_probability_one(network: Acting, samples: list[Sample]) -> None:
    sample = samples[0]
    outputs = _many(network, sample, 4000)
    actions, chances = drawn(outputs, torch.Generator().manual_seed(0))
    keys = np.stack([actions[name].numpy() for name in acting.NAMES], 1)
    _, first = np.unique(keys, axis=0, return_index=True)
    assert chances[first].exp().sum().item() == pytest.approx(1.0, abs=0.06)  # those that were never drawn are missing
    assert torch.allclose(log_prob(outputs, actions), chances, atol=1e-5)


def test_entropy_is_the_mean_surprise(network: Acting, samples: list[Sample]) -> None:
    outputs = _many(network, samples[0], 8000)
    _, chances = drawn(outputs, torch.Generator().manual_seed(0))
    assert -chances.mean().item() == pytest.approx(entropy(outputs)[0].item(), rel=0.05)


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    outputs = {"kind": torch.randn(2, len(KINDS), dtype=torch.float64, requires_grad=True)}
    for name, shape in {
        "click": (2, 3),
        "type": (2, 3),
        "answer": (2, 3),
        "source": (2, 3, 4),
        "option": (2, 2),
    }.items():
        outputs[name] = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    outputs |= {"key": torch.randn(2, 8, dtype=torch.float64), "direction": torch.randn(2, 2, dtype=torch.float64)}
    actions = {name: torch.full((2,), NONE) for name in acting.ARGUMENTS}
    actions |= {"kind": torch.tensor([KINDS.index("type"), KINDS.index("select")])}
    actions |= {
        "element": torch.tensor([1, NONE]),
        "source": torch.tensor([2, NONE]),
        "option": torch.tensor([NONE, 1]),
    }
    names = ("kind", "click", "type", "source", "option")
    given = tuple(outputs[name] for name in names)

    def said(*logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        merged = outputs | dict(zip(names, logits, strict=True))
        return log_prob(merged, actions), entropy(merged)

    assert torch.autograd.gradcheck(said, given)


def test_what_cannot_be_done_is_never_drawn(network: Acting, samples: list[Sample]) -> None:
    outputs = _many(network, samples[0], 3000)
    outputs["kind"][:, KINDS.index("press")] = LOW
    actions, _ = drawn(outputs, torch.Generator().manual_seed(0), even=0.5)
    assert KINDS.index("press") not in actions["kind"].tolist()


def test_trying_things_evenly_spreads_them_and_ends_nothing(network: Acting, samples: list[Sample]) -> None:
    outputs = _many(network, samples[0], 4000)
    outputs["kind"] = torch.full_like(outputs["kind"], LOW)
    outputs["kind"][:, KINDS.index("wait")] = 0.0
    outputs["kind"][:, [KINDS.index("finish"), KINDS.index("give_up"), KINDS.index("press")]] = -60.0
    actions, chances = drawn(outputs, torch.Generator().manual_seed(0), even=0.2)
    pressed = actions["kind"] == KINDS.index("press")
    assert pressed.float().mean().item() == pytest.approx(0.1, abs=0.02)  # half of the even share, the rest waits
    assert {KINDS[kind] for kind in actions["kind"].tolist()} == {"wait", "press"}
    waits = chances[~pressed].tolist()
    assert waits == pytest.approx([math.log(0.9)] * len(waits), abs=1e-4)


def test_a_page_says_the_same_alone_and_beside_a_longer_one(network: Acting, samples: list[Sample]) -> None:
    ordered = sorted(samples, key=lambda each: len(each.arrays.element_kinds))
    short, rows = ordered[0], _pages([ordered[0], ordered[-1]])
    alone = network(*_pages([short]).take(np.array([0])))
    beside = network(*rows.take(np.array([0, 1])))
    assert [each[0].item() for each in beside[:3]] == pytest.approx([each.item() for each in alone[:3]], abs=1e-4)


def test_eight_decisions_on_pages_are_learnt_by_heart(samples: list[Sample]) -> None:
    torch.manual_seed(0)
    network, rows = Acting(ElementSetPolicy(Shape(width=64, layers=1))), _pages(samples[:8])
    optimizer = ppo.adam(network, Recipe(learning_rate=2e-3))
    for number in range(60):
        before = ppo.log_probs(network, rows)
        rollout = Rollout(rows, rows.environment, before, torch.zeros(8), torch.tensor([3.0, -1.0] * 4))
        ppo.update(network, optimizer, rollout, Recipe(clip=0.3, batch=8, stop_kl=1.0), number=number)
    chances = ppo.log_probs(network, rows).exp()
    assert chances[0::2].min() > 0.8
    assert chances[1::2].max() < 0.05


def _pages(samples: list[Sample]) -> Pages:
    taught = [acting.taught(each.label) for each in samples]
    actions = {name: torch.tensor([each[name] for each in taught]) for name in acting.NAMES}
    return Pages([each.arrays for each in samples], actions, torch.zeros(len(samples), dtype=torch.long))


@torch.no_grad()
def _many(network: Acting, sample: Sample, count: int) -> dict[str, torch.Tensor]:
    """The outputs for one page, many times over."""
    outputs, _ = network.outputs(batch_of([sample.arrays], [0]))
    return {name: each.repeat(count, *(1,) * (each.ndim - 1)) for name, each in outputs.items()}


def _a_typing_step() -> tuple[Scene, Action]:
    trajectory: Trajectory = a_demonstration(1)
    at = next(n for n, step in enumerate(trajectory.steps) if type(step.action).__name__ == "Type")
    history = tuple(past(step.observation, step.action, step.result) for step in trajectory.steps[:at])
    step = trajectory.steps[at]
    return scene(step.observation, trajectory.task.goal, history), step.action
