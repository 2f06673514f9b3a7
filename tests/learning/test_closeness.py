"""Words come close in more ways than by being equal; every column says one of them."""

import pytest

from learning import closeness
from learning.wording import Token

GOAL = "Find the flight from Pedro Bay to November Lake"


def _close(name: str, text: str, *, held: str = "", label: str = "", around: str = "") -> tuple[float, ...]:
    return closeness.close(name, held, label, around, text, GOAL)


def test_the_columns_are_as_many_as_they_are_said_to_be() -> None:
    assert len(_close("a", "b")) == closeness.CLOSE
    assert len(closeness.close_option("a", "b", GOAL)) == closeness.OPTION_CLOSE


def test_a_name_begins_and_ends_with_a_token() -> None:
    assert _close("San Marino", "Sa")[:2] == (1.0, 0.0)
    assert _close("San Marino", "ino")[:2] == (0.0, 1.0)


def test_a_whole_name_in_the_goal_is_told_at_each_of_its_words_only() -> None:
    assert [_close("Pedro Bay", word)[3] for word in ("Pedro", "Bay", "Lake")] == [1.0, 1.0, 0.0]
    assert _close("Pedro Lake", "Pedro")[3] == 0.0


def test_numbers_of_a_kind_are_compared_and_others_are_not() -> None:
    below, above, far = 6, 7, 8
    assert _close("October 2016", "November")[below] == 1.0
    assert _close("December 2016", "November")[above] == 1.0
    assert _close("7", "2")[far] == pytest.approx(0.761594, abs=1e-5)  # tanh(5 / 5)
    assert _close("October 2016", "7")[below : far + 1] == (0.0, 0.0, 0.0)


def test_words_that_begin_alike_are_alike_by_the_share_they_share() -> None:
    assert closeness.alike("directed", "Director:") == pytest.approx(6 / 8)
    assert closeness.alike("from", "year") == 0.0


@pytest.mark.parametrize(
    ("name", "sort", "holds"),
    [
        ("red s", "letter", True),
        ("red 2", "letter", False),
        ("red 2", "digits", True),
        ("red circle", "shapes", True),
        ("red s", "item", True),
        ("red s", "bird", False),
    ],
)
def test_what_sort_of_thing_is_drawn(name: str, sort: str, *, holds: bool) -> None:
    assert closeness.is_a(name, sort) is holds


def test_large_and_small_are_told_beside_the_middle() -> None:
    assert [closeness.sized(20, 15, word) for word in ("large", "small", "red")] == [1.0, -1.0, 0.0]


def test_a_drawing_has_a_quality_by_its_colour_size_sort_or_sign() -> None:
    wanted = closeness.qualities([Token(word, "word") for word in ("How", "many", "large", "red", "letters", "a")])
    assert [token.text for token in wanted] == ["large", "red", "letters"]
    assert all(closeness.has_quality("red s", 20, 15, token) for token in wanted)
    assert not closeness.has_quality("red s", 10, 15, wanted[0])
