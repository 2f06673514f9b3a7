"""Wilson's interval."""

import pytest

from learning.intervals import wilson


def test_the_known_interval_of_42_of_50() -> None:
    assert wilson(42, 50) == pytest.approx((0.715, 0.917), abs=5e-4)


@pytest.mark.parametrize("trials", [4, 7, 116])
def test_it_ends_exactly_at_the_ends_where_all_or_none_succeeded(trials: int) -> None:
    assert (wilson(0, trials)[0], wilson(trials, trials)[1]) == (0.0, 1.0)
