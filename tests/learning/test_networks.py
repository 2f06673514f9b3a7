"""The network: order and padding do not matter, gradients are right, and it is small."""

import numpy as np
import pytest
import torch
from msgspec import structs

from learning import batches, bc, features
from learning.arrays import OUTPUTS, Arrays
from learning.networks import ElementSetPolicy, Shape, run, tensors
from sandbox.contracts.observations import Observation
from tests.learning.pages import a_form, a_goal, a_list

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)


@pytest.fixture
def network() -> ElementSetPolicy:
    """A small one with its first weights."""
    torch.set_num_threads(1)
    return bc.fresh(SMALL, seed=3).eval()


def _arrays(page: Observation) -> Arrays:
    return features.scene(page, a_goal(), ()).arrays


@torch.no_grad()
def _outputs(network: ElementSetPolicy, *pages: Observation) -> dict[str, torch.Tensor]:
    return run(network, tensors(batches.inputs_of([_arrays(page) for page in pages])))


@pytest.mark.parametrize("name", ["click", "answer", "source"])
def test_the_order_of_elements_does_not_matter(network: ElementSetPolicy, name: str) -> None:
    page = a_list("logs-3", "web-1", "web-2")
    order = np.random.default_rng(0).permutation(len(page.elements))
    shuffled = structs.replace(page, elements=tuple(page.elements[index] for index in order))
    straight, mixed = _outputs(network, page)[name][0], _outputs(network, shuffled)[name][0]
    assert torch.allclose(straight[torch.from_numpy(order)], mixed, atol=1e-5)


@pytest.mark.parametrize("name", ["kind", "key", "direction", "value"])
def test_nor_does_it_matter_for_the_page_as_a_whole(network: ElementSetPolicy, name: str) -> None:
    page = a_list("logs-3", "web-1", "web-2")
    turned = structs.replace(page, elements=page.elements[::-1])
    assert torch.allclose(_outputs(network, page)[name], _outputs(network, turned)[name], atol=1e-5)


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_batch_says_the_same_as_one_by_one(network: ElementSetPolicy, name: str) -> None:
    small, large = a_form("50"), a_list("logs-3", "web-1", "web-2")
    alone, together = _outputs(network, small)[name], _outputs(network, small, large)[name]
    sizes = tuple(slice(size) for size in alone.shape[1:])
    assert torch.allclose(alone[0], together[0][sizes], atol=1e-5)


def test_other_names_get_the_same_answer(network: ElementSetPolicy) -> None:
    one = run(network, tensors(batches.inputs_of([features.scene(a_list("amber-1"), a_goal("amber-1"), ()).arrays])))
    other = run(network, tensors(batches.inputs_of([features.scene(a_list("zulu-77"), a_goal("zulu-77"), ()).arrays])))
    assert torch.allclose(one["click"], other["click"], atol=1e-5)


def test_gradients_agree_with_finite_differences() -> None:
    network = bc.fresh(SMALL, seed=3).double()
    arrays = tensors(batches.inputs_of([_arrays(a_form("50"))]))
    doubled = {name: each.double() if each.is_floating_point() else each for name, each in arrays.items()}
    weight = network.match.gate.weight
    torch.manual_seed(0)
    project = {name: torch.randn_like(out) for name, out in run(network, doubled).items()}

    def loss() -> torch.Tensor:
        outputs = run(network, doubled)
        return torch.stack([(outputs[name].clamp(min=-50) * project[name]).sum() for name in OUTPUTS]).sum()

    [gradient] = torch.autograd.grad(loss(), [weight])
    row, column = divmod(int(gradient.abs().argmax()), weight.shape[1])
    exact = float(gradient[row, column])
    with torch.no_grad():
        weight[row, column] += 1e-6
        above = float(loss())
        weight[row, column] -= 2e-6
        below = float(loss())
    assert exact == pytest.approx((above - below) / 2e-6, rel=1e-4)


def test_it_has_less_than_a_million_parameters() -> None:
    assert sum(each.numel() for each in ElementSetPolicy(Shape()).parameters()) < 1_000_000
