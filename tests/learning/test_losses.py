"""The mathematics: hand-worked numbers, and gradients against finite differences."""

import math

import pytest
import torch

from learning import losses
from learning.arrays import KINDS
from learning.candidates import LOW


def test_pointing_is_minus_log_of_the_share_that_is_right() -> None:
    logits = torch.log(torch.tensor([[1.0, 2.0, 5.0], [1.0, 1.0, 2.0]]))
    right = torch.tensor([[True, True, False], [False, False, True]])
    expected = [-math.log(3 / 8), -math.log(1 / 2)]
    assert losses.pointing(logits, right).tolist() == pytest.approx(expected)


def test_pointing_at_nothing_costs_nothing() -> None:
    assert losses.pointing(torch.randn(2, 4), torch.zeros(2, 4, dtype=torch.bool)).tolist() == [0.0, 0.0]


def test_the_loss_of_an_action_is_the_sum_over_the_heads_that_have_a_say() -> None:
    outputs, labels = _one_type_action()
    # kind: 1 of 2 equal; field: 3 of 4 by weight; goal token at that field: 1 of 4 by weight
    expected = math.log(2) + math.log(4 / 3) + math.log(4)
    assert losses.action_nll(outputs, labels).tolist() == pytest.approx([expected], rel=1e-5)


def test_what_a_click_says_is_not_asked_of_a_type_action() -> None:
    outputs, labels = _one_type_action()
    before = losses.action_nll(outputs, labels)
    outputs["click"] = torch.tensor([[9.0, -9.0]])
    assert torch.equal(losses.action_nll(outputs, labels), before)


def test_unknown_changes_and_ends_cost_nothing() -> None:
    chosen = torch.tensor([[True, False]])
    assert losses.change_nll(torch.randn(1, 2, 3), chosen, torch.full((1, 3), -1.0)).item() == 0.0
    assert losses.success_nll(torch.randn(1), torch.tensor([-1.0])).item() == 0.0


def test_an_even_guess_of_a_change_costs_log_two() -> None:
    chosen = torch.tensor([[True, False]])
    changed = torch.tensor([[1.0, -1.0, -1.0]])
    assert losses.change_nll(torch.zeros(1, 2, 3), chosen, changed).item() == pytest.approx(math.log(2))


def test_weights_count() -> None:
    mean = losses.weighted_mean(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 1.0]))
    assert mean.item() == pytest.approx(7 / 4)


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    logits = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    right = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda x: losses.pointing(x, right), logits)
    source = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    element = torch.tensor([[0, 1, 0], [0, 0, 1]], dtype=torch.bool)
    said = torch.tensor([[1, 0, 0, 1], [0, 1, 0, 0]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda x: losses.sourcing(x, element, said), source)
    changed = torch.tensor([[1.0, 0.0, -1.0, 1.0], [0.0, 1.0, 1.0, -1.0]], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: losses.change_nll(x, element, changed), source)
    ends = torch.tensor([1.0, -1.0, 0.0], dtype=torch.float64)
    value = torch.randn(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: losses.success_nll(x, ends), value)


def _one_type_action() -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    kind = torch.full((1, len(KINDS)), LOW)
    kind[0, KINDS.index("type")] = kind[0, KINDS.index("click")] = 0.0
    outputs = {
        "kind": kind,
        "click": torch.zeros(1, 2),
        "type": torch.log(torch.tensor([[3.0, 1.0]])),
        "answer": torch.zeros(1, 2),
        "source": torch.log(torch.tensor([[[1.0, 3.0], [7.0, 7.0]]])),
        "option": torch.zeros(1, 1),
        "key": torch.zeros(1, 8),
        "direction": torch.zeros(1, 2),
    }
    labels = {
        "kind": torch.tensor([KINDS.index("type")]),
        "elements": torch.tensor([[True, False]]),
        "sources": torch.tensor([[True, False]]),
        "options": torch.tensor([[False]]),
        "key": torch.tensor([-1]),
        "direction": torch.tensor([-1]),
    }
    return outputs, labels
