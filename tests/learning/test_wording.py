"""A sentence is cut into what pages speak of: quoted texts, dates, ordinals and words, each with its neighbours."""

import pytest

from learning import wording
from learning.wording import Token
from sandbox.contracts.tasks import Goal


def _texts(text: str, *fields: tuple[str, str]) -> list[str]:
    return [token.text for token in wording.tokens(Goal(text, fields))]


def _only(text: str, sought: str) -> Token:
    return next(token for token in wording.tokens(Goal(text)) if token.text == sought)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Enter "Ac nulla." and go', ["Enter", "Ac nulla.", "Ac nulla", "and", "go"]),
        ("Click on (-1,2)", ["Click", "on", "(-1,2)"]),
        ("Set -3 now", ["Set", "-3", "now"]),
        ("Pick the 9th", ["Pick", "the", "9th", "9"]),
        ("Enter 8:05 PM", ["Enter", "8:05 PM", "20:05"]),
        ("On 12/06/2016", ["On", "12/06/2016", "2016-12-06", "december", "6", "2016"]),
        ("Guess 0-3", ["Guess", "0", "1", "2", "3"]),
        ("Forward Lorena's email", ["Forward", "Lorena", "email"]),
        ("How many 2s", ["How", "many", "2s", "2"]),
    ],
)
def test_a_sentence_is_cut_into_what_a_page_may_say(text: str, found: list[str]) -> None:
    assert _texts(text) == found


def test_twelve_at_night_and_noon_are_told_apart() -> None:
    assert "00:10" in _texts("Enter 12:10 AM")
    assert "12:10" in _texts("Enter 12:10 PM")


def test_a_month_that_there_is_not_is_left_out() -> None:
    assert _texts("On 13/06/2016") == ["On", "13/06/2016", "2016-13-06", "6", "2016"]


def test_fields_come_first_under_their_names() -> None:
    first = wording.tokens(Goal("Send it to Ann.", (("to_whom", "Ann"),)))[0]
    assert (first.text, first.kind, first.before[0]) == ("Ann", "field", "to whom")


def test_fields_that_only_quote_the_text_are_read_in_it_once() -> None:
    assert _texts('Enter "ab"', ("quoted 1", "ab")) == ["Enter", "ab"]


def test_every_token_knows_its_neighbours() -> None:
    token = _only("movies directed by Smith from year 1984", "Smith")
    assert (token.before, token.after) == (("by", "directed"), "from")


def test_no_goal_has_more_tokens_than_the_limit() -> None:
    assert len(_texts(" ".join(f"w{n}" for n in range(100)))) == wording.LIMIT


@pytest.mark.parametrize(
    ("text", "figure"),
    [("October 2017", ("month", 10.0)), ("Tab #2", ("number", 2.0)), ("-3", ("number", -3.0)), ("no", None)],
)
def test_what_can_be_compared_in_a_text(text: str, figure: tuple[str, float] | None) -> None:
    assert wording.figure(text) == figure
