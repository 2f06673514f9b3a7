"""Advantages against the written-out sum, and what an end and a cut mean to them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from learning import advantages
from learning.normalise import PopArt

Rows = list[tuple[float, float, float, int]]  # reward, value, value of the state reached, 0 goes on 1 ends 2 is cut

numbers = st.floats(-10, 10, width=32)
rows = st.lists(st.tuples(numbers, numbers, numbers, st.sampled_from((0, 0, 0, 1, 2))), min_size=1, max_size=12)


def _written_out(steps: Rows, gamma: float, lam: float) -> list[float]:
    """Each advantage as the sum over all that follows within its episode."""
    sums = []
    for start in range(len(steps)):
        total, discount = 0.0, 1.0
        for reward, value, reached, end in steps[start:]:
            total += discount * (reward + gamma * reached * (end != 1) - value)
            discount *= gamma * lam * (end == 0)
        sums.append(total)
    return sums


def _gae(steps: Rows, gamma: float, lam: float) -> torch.Tensor:
    reward, value, reached, end = (torch.tensor(each)[:, None] for each in zip(*steps, strict=True))
    return advantages.gae(reward, value, reached, end == 1, end == 2, gamma=gamma, lam=lam)[:, 0]


@given(rows, st.floats(0, 1), st.floats(0, 1))
def test_every_advantage_is_the_written_out_sum(steps: Rows, gamma: float, lam: float) -> None:
    assert _gae(steps, gamma, lam).tolist() == pytest.approx(_written_out(steps, gamma, lam), rel=1e-4, abs=1e-3)


def test_by_hand() -> None:
    steps = [(1.0, 0.5, 2.0, 0), (0.0, 2.0, 4.0, 1)]
    # the last: 0 - 2 = -2; the first: 1 + .5 * 2 - .5 = 1.5, and .5 * .5 * -2 of what follows
    assert _gae(steps, 0.5, 0.5).tolist() == [1.0, -2.0]


def test_a_task_that_ended_has_no_future_and_one_that_was_cut_has_one() -> None:
    assert _gae([(0.0, 1.0, 9.0, 1)], 0.9, 0.95).item() == pytest.approx(-1.0)
    assert _gae([(0.0, 1.0, 9.0, 2)], 0.9, 0.95).item() == pytest.approx(0.9 * 9 - 1)


@given(rows, rows)
def test_nothing_is_carried_over_an_end_or_a_cut(before: Rows, after: Rows) -> None:
    cut = [*before[:-1], (*before[-1][:3], 2)]
    together = _gae([*cut, *after], 0.99, 0.95)
    assert torch.equal(together[: len(cut)], _gae(cut, 0.99, 0.95))


def test_the_state_reached_is_the_next_row_but_where_an_episode_was_cut() -> None:
    values = torch.tensor([[1.0, 10.0], [2.0, 20.0]])
    reached = advantages.successors(values, torch.tensor([3.0, 30.0]), {(0, 1): 7.0})
    assert reached.tolist() == [[2.0, 7.0], [3.0, 30.0]]


def test_standardised_advantages_have_mean_nought_and_deviation_one() -> None:
    found = advantages.standardised(torch.tensor([1.0, 2.0, 6.0]))
    assert [found.mean().item(), found.std().item()] == pytest.approx([0, 1], abs=1e-6)
    assert advantages.standardised(torch.tensor([4.0])).tolist() == [0.0]


def test_values_explain_all_none_or_less_than_nothing() -> None:
    returns = torch.tensor([0.0, 1.0, 2.0])
    assert advantages.explained(returns, returns) == 1.0
    assert advantages.explained(torch.zeros(3), returns) == 0.0
    assert advantages.explained(-returns, returns) < 0
    assert advantages.explained(returns, torch.ones(3)) == 0.0


@given(st.lists(st.tuples(numbers, st.integers(0, 2)), min_size=1, max_size=30))
def test_what_the_critic_says_stays_when_its_scale_moves(seen: list[tuple[float, int]]) -> None:
    torch.manual_seed(0)
    critic = PopArt(4, 3)
    states, environment = torch.randn(9, 4), torch.arange(9) % 3
    before = critic(states, environment)
    returns, whose = (torch.tensor(each) for each in zip(*seen, strict=True))
    critic.observe(100 * returns, whose)
    assert torch.allclose(critic(states, environment), before, rtol=1e-3, atol=1e-3)


def test_each_environment_has_a_scale_of_its_own() -> None:
    critic = PopArt(2, 2)
    returns = torch.tensor([0.0, 1.0, 0.0, 1000.0])
    critic.observe(returns, torch.tensor([0, 0, 1, 1]))
    assert critic.mean.tolist() == [0.5, 500.0]
    assert critic.scale().tolist() == pytest.approx([0.5, 500.0])
