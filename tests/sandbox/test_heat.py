"""Heat rises by a draw, falls by the draws of others, and the coldest come first."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.heat import Heat


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=200))
def test_it_is_the_formula(drawn: list[str]) -> None:
    heat, expected = Heat(), dict.fromkeys("abc", 0.0)
    for key in drawn:
        heat.draw(key)
        expected = {each: 0.95 * warm + (each == key) for each, warm in expected.items()}
    assert {each: heat.of(each) for each in "abc"} == pytest.approx(expected)


def test_among_equally_cold_ones_any_is_taken() -> None:
    heat = Heat()
    heat.draw("warm")
    taken = {heat.coldest(["warm", "a", "b", "c"], random.Random(n)) for n in range(40)}
    assert taken == {"a", "b", "c"}


def test_drawing_the_coldest_of_all_goes_round_fairly() -> None:
    heat, rng, keys = Heat(), random.Random(3), [str(n) for n in range(30)]
    counts = dict.fromkeys(keys, 0)
    for _ in range(3000):
        key = heat.coldest(keys, rng)
        heat.draw(key)
        counts[key] += 1
    assert set(counts.values()) == {100}


def test_order_outlives_any_number_of_draws() -> None:
    heat = Heat()
    heat.draw("old")
    heat.draw("newer")
    for _ in range(100_000):
        heat.draw("hot")
    assert (heat.of("old"), heat.of("newer")) == (0.0, 0.0)
    assert heat.coldest(["hot", "newer", "old"], random.Random(0)) == "old"
    assert heat.of("hot") == pytest.approx(20.0)


def test_memory_is_bounded_and_the_warm_stay_known() -> None:
    heat = Heat(remember=100)
    for n in range(1000):
        heat.draw(str(n))
    assert heat.metrics()["heat_known"] <= 100
    assert heat.of("999") == pytest.approx(1.0)


def test_wrong_use_is_told() -> None:
    with pytest.raises(ValueError, match="at least one key"):
        Heat().coldest([], random.Random(0))
    with pytest.raises(ValueError, match="between 0 and 1, found 1"):
        Heat(decay=1.0)
