"""The flat list of actions: every action once, and learning in it works as by heads."""

import math

import pytest
import torch
from torch import Tensor

from learning import batches, bc, flat
from learning.arrays import KINDS
from learning.networks import Shape, run, tensors
from learning.samples import lessons
from tests.learning.pages import a_demonstration

E, G, OPTIONS = 2, 2, 1
SIZES = {"kind": 9, "click": E, "type": E, "answer": E, "option": OPTIONS, "key": 8, "direction": 2}


def _outputs(**given: Tensor) -> dict[str, Tensor]:
    found = {name: torch.zeros(1, size) for name, size in SIZES.items()} | {"source": torch.zeros(1, E, G)}
    return found | given


def _labels(kind: str, **given: Tensor) -> dict[str, Tensor]:
    nothing = {"elements": torch.zeros(1, E, dtype=torch.bool), "sources": torch.zeros(1, G, dtype=torch.bool)}
    nothing |= {
        "options": torch.zeros(1, OPTIONS, dtype=torch.bool),
        "key": torch.tensor([-1]),
        "direction": torch.tensor([-1]),
    }
    return nothing | {"kind": torch.tensor([KINDS.index(kind)])} | given


ONE = torch.tensor([[True, False]])


@pytest.mark.parametrize(
    ("labels", "ways"),
    [
        (_labels("click", elements=ONE), 1),
        (_labels("type", elements=ONE, sources=torch.tensor([[True, True]])), 2),
        (_labels("press", key=torch.tensor([3])), 1),
        (_labels("select", options=torch.tensor([[True]])), 1),
        (_labels("finish"), 1),
    ],
)
def test_every_action_has_its_share_of_all(labels: dict[str, Tensor], ways: int) -> None:
    actions = 2 * E + E * G + OPTIONS + 8 + 2 + 3
    assert flat.logits(_outputs()).shape == (1, actions)
    assert float(flat.action_nll(_outputs(), labels)) == pytest.approx(math.log(actions / ways))


def test_scores_of_kind_and_arguments_add_up() -> None:
    kind = torch.zeros(1, 9)
    kind[0, KINDS.index("click")] = 1.0
    found = flat.logits(_outputs(kind=kind, click=torch.tensor([[2.0, 0.0]])))[0]
    assert found[:3].tolist() == [3.0, 1.0, 0.0]


def test_gradients_agree_with_differences() -> None:
    torch.manual_seed(0)
    given = {name: torch.randn(1, size, dtype=torch.float64) for name, size in SIZES.items()}
    given["source"] = torch.randn(1, E, G, dtype=torch.float64)
    names = list(given)
    labels = _labels("type", elements=ONE, sources=ONE)

    def loss(*values: Tensor) -> Tensor:
        return flat.action_nll(dict(zip(names, values, strict=True)), labels)

    assert torch.autograd.gradcheck(loss, tuple(given[name].requires_grad_() for name in names))


def test_eight_examples_are_memorised() -> None:
    torch.set_num_threads(1)
    eight = lessons(a_demonstration(seed) for seed in range(2)).samples[:8]
    network = bc.fresh(Shape(width=32, layers=1, heads=2, word_width=8), seed=1)
    arrays = batches.inputs_of([each.arrays for each in eight])
    labels = tensors(batches.labels_of(eight, arrays["element_there"].shape[1], arrays["option_there"].shape[1]))
    optimizer = torch.optim.AdamW(network.parameters(), lr=5e-3)
    for _ in range(60):
        loss = flat.action_nll(run(network, tensors(arrays)), labels).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    assert float(loss.detach()) < 0.05
