"""Pages without padding: the network says and learns the same of them, whatever it reads and whatever is missing."""

import numpy as np
import pytest
import torch
from torch import Tensor

from learning import acting, batches, bc, features, packed, packing, ppo, sentences
from learning.acting import Acting, Pages
from learning.arrays import OUTPUTS, Arrays
from learning.networks import ElementSetPolicy, Shape, run, tensors
from learning.ppo import Recipe, Rollout
from learning.rows import Named, pieces
from learning.samples import Sample, lessons
from sandbox.contracts.tasks import Goal
from tests.learning.pages import a_demonstration, a_form, a_goal, a_list

FIELDS = Shape(width=32, layers=2, heads=2)
SENTENCES = Shape(width=32, layers=2, heads=2, word_width=8, sentences=1, relations=1)
BY_ELEMENT = {"click", "type", "answer", "change"}


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Every step of some demonstrations: pages, pasts and choices of many sizes."""
    torch.set_num_threads(1)
    return lessons(a_demonstration(seed) for seed in range(4)).samples


@pytest.fixture(scope="module")
def pages(samples: list[Sample]) -> list[Arrays]:
    """The same as they are seen."""
    return [each.arrays for each in samples]


def _network(shape: Shape) -> ElementSetPolicy:
    """First weights, but with matches and rows that matter to attention from the beginning."""
    network = bc.fresh(shape, seed=3)
    torch.manual_seed(1)
    for name, each in network.named_parameters():
        if name.endswith(("to_goal.weight", "to_thing.weight", "row", "related")):
            torch.nn.init.normal_(each)
    return network


def _known(name: str, found: Tensor, inputs: Named) -> Tensor:
    """What is said of things that are there, or that can be written into; what cannot be done counts as -50."""
    there = inputs["element_there"]
    asked = dict.fromkeys(BY_ELEMENT, there) | {"source": there & inputs["element_can"][..., 1]}
    return found[asked.get(name, torch.ones(len(found), dtype=torch.bool))].clamp(min=-50)


def _agree(shape: Shape, inputs: Named, network: ElementSetPolicy | None = None) -> None:
    plain = network or _network(shape)
    hasty = ElementSetPolicy(shape)
    hasty.load_state_dict(plain.state_dict())
    one, other = run(plain, inputs), run(hasty, packed.of(inputs))
    losses = []
    for found in (one, other):
        known = [_known(name, found[name], inputs) for name in OUTPUTS]
        losses.append(torch.stack([(each * torch.arange(each.numel()).view(each.shape).sin()).sum() for each in known]))
    for name in OUTPUTS:
        assert one[name].shape == other[name].shape
        assert torch.allclose(_known(name, one[name], inputs), _known(name, other[name], inputs), atol=1e-5), name
    for loss in losses:
        loss.sum().backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    for (name, each), same in zip(plain.named_parameters(), hasty.parameters(), strict=True):
        assert each.grad is not None
        assert same.grad is not None
        assert torch.allclose(each.grad, same.grad, rtol=1e-3, atol=1e-4 * float(each.grad.abs().max())), name


def test_a_batch_says_and_teaches_the_same_without_its_padding(pages: list[Arrays]) -> None:
    _agree(FIELDS, tensors(batches.inputs_of(pages)))


@torch.no_grad()
def test_a_hasty_network_packs_by_itself_where_there_are_enough_pages(pages: list[Arrays]) -> None:
    network = _network(FIELDS)
    many, few = (tensors(batches.inputs_of(pages[:count])) for count in (20, 2))
    plain = run(network, many)
    network.hasten()
    assert not torch.equal(run(network, many)["value"], plain["value"])  # by rounding
    assert torch.allclose(run(network, many)["value"], plain["value"], atol=1e-5)
    assert torch.allclose(run(network, few)["value"], plain["value"][:2], atol=1e-5)
    network.hasten(on=False)
    assert torch.equal(run(network, many)["value"], plain["value"])


def test_so_does_a_page_alone() -> None:
    _agree(FIELDS, tensors(batches.inputs_of([features.scene(a_form("50"), a_goal(), ()).arrays])))


def test_and_a_page_on_which_there_is_nothing() -> None:
    _agree(FIELDS, tensors(batches.inputs_of([features.scene(a_list(), Goal("Wait."), ()).arrays])))


def test_so_do_goals_told_as_sentences_and_elements_that_know_how_they_stand() -> None:
    goals = [a_goal(), Goal("Set the quota of web-1 to 5 GB, then look at logs-3 again.")]
    seen = [
        sentences.scene(page, goal, ()).arrays for page in (a_form("50"), a_list("web-1", "logs-3")) for goal in goals
    ]
    _agree(SENTENCES, tensors(batches.inputs_of(seen)))


def test_elements_taken_away_are_as_if_they_had_never_been(pages: list[Arrays]) -> None:
    inputs = tensors(batches.inputs_of(pages))
    inputs["element_there"] = inputs["element_there"] & (torch.arange(inputs["element_there"].shape[1]) % 5 != 1)
    parents = torch.gather(inputs["element_there"], 1, inputs["option_parents"])
    inputs["option_there"] = inputs["option_there"] & parents
    _agree(FIELDS, inputs)


@torch.no_grad()
def test_pages_put_together_by_index_are_the_padded_ones(samples: list[Sample], pages: list[Arrays]) -> None:
    network = _network(FIELDS)
    chosen = np.array([5, 0, 3, 3])
    inputs = tensors(batches.inputs_of([pages[at] for at in chosen]))
    taken, _ = _rows(samples).take(chosen)
    found, wanted = run(network, taken), run(network, inputs)
    for name in ("kind", "click", "type", "option", "value"):
        assert torch.allclose(found[name], wanted[name], atol=1e-5), name
    wanted["source"] = wanted["source"][..., : found["source"].shape[2]]
    assert torch.allclose(
        _known("source", found["source"], inputs), _known("source", wanted["source"], inputs), atol=1e-5
    )


def test_a_text_on_many_pages_is_read_once(pages: list[Arrays]) -> None:
    taken = packing.shelved(pages).take(np.arange(len(pages)))
    assert len(np.unique(taken["words"], axis=0)) == len(taken["words"])
    assert len(taken["words"]) < taken["element_texts"].size / 4


def test_where_there_are_no_pages_that_is_said() -> None:
    with pytest.raises(ValueError, match="no pages to pack"):
        packing.shelved([])


def test_its_gradient_agrees_with_finite_differences(pages: list[Arrays]) -> None:
    network = _network(FIELDS).double()
    inputs = packed.of(tensors(batches.inputs_of(pages[:6])))
    inputs = {name: each.double() if each.is_floating_point() else each for name, each in inputs.items()}
    weight = network.blocks[0].get_parameter("to_thing.weight")

    def loss() -> Tensor:
        found = run(network, inputs)
        return torch.stack([found[name].clamp(min=-50).sin().sum() for name in OUTPUTS]).sum()

    [gradient] = torch.autograd.grad(loss(), [weight])
    row, column = divmod(int(gradient.abs().argmax()), weight.shape[1])
    with torch.no_grad():
        weight[row, column] += 1e-6
        above = float(loss())
        weight[row, column] -= 2e-6
        below = float(loss())
    assert float(gradient[row, column]) == pytest.approx((above - below) / 2e-6, rel=1e-4)


def test_pieces_hold_every_row_once_and_none_is_wider_than_it_may() -> None:
    lengths = np.random.default_rng(0).integers(3, 90, 300)
    chosen = np.arange(10, 138)
    found = pieces(lengths, chosen, most=1_000)
    assert sorted(np.concatenate(found)) == list(chosen)
    assert max(len(each) * lengths[each].max() for each in found) <= 1_000
    assert pieces(np.zeros(8, np.int64), np.arange(8), most=1) == [pytest.approx(np.arange(8))]


def test_a_minibatch_in_pieces_teaches_what_it_teaches_as_a_whole(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _rows(samples)
    chosen, count = np.arange(len(samples)), len(samples)
    gradients, points = [], []
    for most in (60, 10**9):
        monkeypatch.setattr(ppo, "PIECE", most)
        network = Acting(_network(FIELDS))
        value, advantage = torch.randn(2, count, generator=torch.Generator().manual_seed(0))
        rollout = Rollout(rows, rows.environment, torch.full((count,), -1.0), value, advantage)
        found = ppo.descended(network, ppo.lesson(network, rollout, None), chosen, Recipe(), 0.0)
        points.append(found)
        gradients.append([each.grad for each in network.parameters() if each.grad is not None])
    for name, each in points[0].items():
        assert torch.allclose(each, points[1][name], atol=1e-5), name
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-5)


def _rows(samples: list[Sample]) -> Pages:
    taught = [acting.taught(each.label) for each in samples]
    actions = {name: torch.tensor([each[name] for each in taught]) for name in acting.NAMES}
    return Pages([each.arrays for each in samples], actions, torch.zeros(len(samples), dtype=torch.long))
