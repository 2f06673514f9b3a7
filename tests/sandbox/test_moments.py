"""Running moments are those of the numbers themselves, however they were split up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.moments import Moments, RewardStats

NUMBERS = st.lists(st.floats(-1e3, 1e3), max_size=40)


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_merged_moments_are_numpys(ones: list[float], others: list[float]) -> None:
    left, right = Moments(), Moments()
    for value in ones:
        left.add(value)
    for value in others:
        right.add(value)
    left.merge(right)
    every = np.array([*ones, *others] or [0.0])
    assert left.count == len(ones) + len(others)
    assert left.mean == pytest.approx(every.mean(), abs=1e-9)
    assert left.variance == pytest.approx(every.var(), rel=1e-6, abs=1e-6)


def test_each_environment_is_put_on_its_own_scale() -> None:
    stats = RewardStats(enough=4)
    for value in (1.0, 2.0, 3.0, 4.0):
        stats.add("small", value)
        stats.add("large", value * 1000)
    assert stats.normalised("small", 4.0) == pytest.approx(stats.normalised("large", 4000.0))
    assert stats.normalised("large", 1e9) == 10.0
    assert stats.of("small").mean == 2.5


def test_what_was_hardly_seen_borrows_the_scale_of_all() -> None:
    stats = RewardStats(enough=3)
    for value in (0.0, 2.0, 0.0, 2.0):
        stats.add("known", value)
    stats.add("new", 2.0)
    assert stats.normalised("new", 1.2) == pytest.approx(0.0)
    assert RewardStats().normalised("any", 5.0) == 0.0


def test_what_another_process_has_seen_is_taken_in_once() -> None:
    here, there = RewardStats(), RewardStats()
    there.add("a", 1.0)
    here.add("a", 3.0)
    here.merge(there.snapshot())
    there.add("a", 100.0)
    assert (here.of("a").count, here.of("a").mean) == (2, 2.0)
    assert here.metrics()["reward_mean"] == 2.0


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a finite number, found nan"):
        RewardStats().add("a", float("nan"))
