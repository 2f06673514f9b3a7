"""What stands out on a page is told beside the goal that asks for it."""

import numpy as np
import pytest

from learning import salience
from learning.arrays import Floats
from learning.wording import Token, tokens
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal


def _spoken(text: str) -> tuple[Token, ...]:
    return tokens(Goal(text))


def _field(ref: int, height: float) -> Element:
    return Element(ref, "textbox", "", states=("editable",), box=Box(0, 0, 100, height))


def _past(page: tuple[Element, ...], *actions: Action) -> list[Past]:
    return [past(Observation("", "", page), action, ActResult(ActOutcome.DONE)) for action in actions]


def _numbers(page: tuple[Element, ...], text: str, *refs: int, before: Floats | None = None) -> Floats:
    spoken = _spoken(text)
    around = before if before is not None else np.zeros((len(page), len(spoken)), np.float32)
    return salience.numbers(page, spoken, _past(page, *map(Click, refs)), around, text)


@pytest.mark.parametrize(
    ("word", "named"),
    [("button", [1]), ("checkbox", [2]), ("radio", []), ("text", [3]), ("textarea", [4]), ("textbox", [3, 4])],
)
def test_a_kind_of_thing_is_named_by_its_word(word: str, named: list[int]) -> None:
    page = (Element(1, "button", "a"), Element(2, "checkbox", "b"), _field(3, 20), _field(4, 50))
    [told] = salience.pairs(page, [Token(word, "quoted")])[:, :, 0].T
    assert [each.ref for each, holds in zip(page, told, strict=True) if holds] == named


def _flights() -> tuple[Element, ...]:
    offers = ((2, "2h 6m", "Book flight for $57"), (4, "0h 17m", "Book flight for $419"))
    return tuple(
        each
        for ref, duration, name in offers
        for each in (Element(ref, "text", duration, actionable=False), Element(ref + 1, "button", name))
    )


@pytest.mark.parametrize(("word", "right", "wrong"), [("cheapest", 1, 3), ("shortest", 3, 1), ("most", 3, 1)])
def test_an_extreme_is_told_from_the_others_by_its_figure_or_by_what_stands_before_it(
    word: str, right: int, wrong: int
) -> None:
    told = salience.pairs(_flights(), [Token(word, "word")])[:, 0, 1]
    assert told[right] == 1
    assert told[wrong] == -1
    assert not told[[0, 2]].any()


def test_figures_of_things_that_are_called_alike_are_ranked() -> None:
    assert _numbers(_flights(), "Book.")[:, 2].tolist() == [0, 0, 0, 1]


def test_what_is_like_the_last_and_not_done_yet_is_left() -> None:
    page = (*(Element(ref, "button", "color blue") for ref in (1, 2, 3)), Element(4, "button", "Submit"))
    after_two = _numbers(page, "Select blue.", 1, 2)
    assert after_two[:, 1].tolist() == [0, 0, 1, 0]
    assert after_two[:, 4:6].tolist() == [[pytest.approx(0.2), 0]] * 4
    after_all = _numbers(page, "Select blue.", 1, 2, 3)
    assert not after_all[:, 1].any()
    assert (after_all[:, 5] == 1).all()
    assert not _numbers(page, "Select blue.").any()


def test_as_many_as_were_asked_for_are_told_from_fewer() -> None:
    page = tuple(Element(ref, "button", "like") for ref in (1, 2, 3))
    assert [_numbers(page, "Like 2 posts.", *refs)[0, 7:9].tolist() for refs in ((1,), (1, 2))] == [[1, 0], [0, 1]]
    assert not _numbers(page, "Like posts.", 1)[0, 7:9].any()


def test_a_quoted_word_that_names_a_kind_is_told_to_all_of_that_kind() -> None:
    page = (Element(1, "button", "a"), Element(2, "radio", "b"))
    assert _numbers(page, 'Click on a "radio" widget.')[:, 3].tolist() == [0, 1]


def test_what_the_goal_speaks_of_otherwise_is_not_alike() -> None:
    page = tuple(Element(ref, "button", "like") for ref in (1, 2, 3))
    before = np.array([[1], [0], [1]], np.float32)  # whose post it is
    assert _numbers(page, "Like", 1, before=before)[:, 1].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "drawing", "holds"),
    [
        ("Triangle", "yellow triangle", True),
        ("Circle", "yellow triangle", False),
        ("Letter", "red s", True),
        ("Number", "red 4", True),
        ("Number", "red s", False),
    ],
)
def test_a_name_says_what_is_drawn(name: str, drawing: str, *, holds: bool) -> None:
    page = (Element(1, "button", drawing), Element(2, "button", name))
    assert _numbers(page, "What is it?")[:, 0].tolist() == [0, float(holds)]


def test_a_list_tells_how_many_of_the_asked_options_it_holds_and_lacks() -> None:
    def told(value: str) -> list[float]:
        page = (Element(1, "combobox", "List", value=value, options=("Nepal", "Egypt", "Chad")),)
        return [float(each) for each in _numbers(page, "Select Nepal, Egypt from the list.")[0, 9:12]]

    assert told("") == [0, 0.5, 0]
    assert told("Nepal") == [0.25, 0.25, 0]
    assert told("Nepal, Egypt") == [0.5, 0, 1]


def test_the_month_that_is_shown_is_before_after_or_the_one_that_is_asked_for() -> None:
    goal = "Select 06/11/2016 as the date."
    spoken = _spoken(goal)
    june = [token.text for token in spoken].index("june")

    def told(month: str) -> list[float]:
        page = (Element(0, "text", goal, actionable=False), Element(1, "text", month, actionable=False))
        return [float(each) for each in salience.figures(page, spoken, goal)[june, :3]]

    assert [told(month) for month in ("May", "July", "June")] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    page = (Element(0, "text", goal, actionable=False), Element(1, "text", "July", actionable=False))
    assert _numbers(page, goal)[:, 12:15].tolist() == [[0, 1, 0], [0, 1, 0]]


def test_the_number_that_a_field_holds_is_compared_with_the_one_that_is_asked_for() -> None:
    goal = "Select -2 with the spinner."
    spoken = _spoken(goal)
    page = (Element(1, "textbox", "Number", value="0", states=("editable",)),)
    wanted = [token.text for token in spoken].index("-2")
    assert salience.figures(page, spoken, goal)[wanted, 4:7].tolist() == [0, 1, 0]
    assert not salience.figures(page, spoken, goal)[:wanted].any()
