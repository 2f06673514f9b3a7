"""What recordings lack is told from what the person rightly did."""

import pytest
from msgspec import structs

from learning.closeness import COLOURS
from learning.restored import TIMES, restored
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, Select, Type
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory


def _drawing(ref: int, name: str, size: float) -> Element:
    return Element(ref, "button", name, box=Box(10.0 * ref, 60, size, size))


def _answer(ref: int, name: str) -> Element:
    return Element(ref, "button", name, box=Box(30.0 * ref, 180, 25, 21))


def _recorded(task: str, text: str, clicked: int, *elements: Element) -> Trajectory:
    query = Element(1000, "text", text, actionable=False)
    page = Observation("http://127.0.0.1/", "", (query, *elements))
    done = ActResult(ActOutcome.DONE)
    steps = [
        Step(page, None, "operator", None, None, Risk.REVERSIBLE, action, done) for action in (Click(clicked), Finish())
    ]
    return Trajectory(
        "r", Task("miniwob", f"miniwob/{task}", Goal(text), 0), tuple(steps), Verification(Outcome.VERIFIED)
    )


def _names(trajectory: Trajectory) -> list[str]:
    return [each.name for each in trajectory.steps[0].observation.elements[1:]]


def test_a_colour_that_was_shown_is_told() -> None:
    boxes = Element(1, "button", "color olive"), Element(2, "button", "color red")
    [found] = restored([_recorded("click-color", "Click on the  colored box.", 1, *boxes)])
    assert found.task.goal.text == "Click on the olive colored box."
    assert found.steps[0].observation.elements[0].name == "Click on the olive colored box."


def test_a_colour_that_was_told_stays() -> None:
    recorded = _recorded("click-color", "Click on the red colored box.", 1, Element(1, "button", "color red"))
    assert restored([recorded]) == [recorded]


def test_the_one_that_was_clicked_has_the_colour_and_its_like_have_not() -> None:
    page = _drawing(1, "s", 20), _drawing(2, "s", 20), _drawing(3, "circle", 20)
    found = restored([_recorded("click-shape", "Click on a large red letter", 1, *page)])
    assert len(found) == TIMES
    assert {_names(each)[0] for each in found} == {"red s"}
    assert "red s" not in {_names(each)[1] for each in found}
    assert all(_names(each)[2].split()[0] in COLOURS for each in found)


@pytest.mark.parametrize("answer", ["0", "1", "2"])
def test_as_many_have_the_colour_as_were_counted(answer: str) -> None:
    page = _drawing(1, "s", 20), _drawing(2, "e", 20), _drawing(3, "e", 10), _answer(4, answer)
    for found in restored([_recorded("count-shape", "How many large red letters are there?", 4, *page)]):
        assert sum(name.startswith("red ") for name in _names(found)[:2]) == int(answer)
        assert _names(found)[3] == answer


def test_a_count_that_no_colours_can_make_right_is_left_out() -> None:
    page = _drawing(1, "s", 20), _answer(4, "3")
    assert restored([_recorded("count-shape", "How many red letters are there?", 4, *page)]) == []


def test_other_recordings_stay_as_they_are() -> None:
    recorded = _recorded("login-user", "Log in.", 1, Element(1, "button", "Login"))
    assert restored([recorded]) == [recorded]


def test_a_closed_list_has_what_was_asked_for_among_others() -> None:
    def asked(name: str) -> Trajectory:
        text = " ".join(("Select", name, "from the list and click Submit."))
        recorded = _recorded("choose-list", text, 1, Element(1, "combobox", "List"), Element(2, "button", "Submit"))
        chosen = structs.replace(recorded.steps[0], action=Select(1, ""))
        return structs.replace(recorded, id=name, steps=(chosen, *recorded.steps))

    found = restored([asked(name) for name in ("Congo", "Cuba", "Costa Rica")])
    first, then, *_ = found[2].steps
    assert first.action == Select(1, "Costa Rica")
    assert set(first.observation.elements[1].options) == {"Congo", "Cuba", "Costa Rica"}
    assert then.observation.elements[1].value == "Costa Rica"


def test_presses_on_the_arrows_of_a_number_are_the_number_that_it_then_holds() -> None:
    def at(value: str, action: Action) -> Step:
        page = Observation("", "", (Element(1, "spinbutton", "Number", value=value), Element(2, "button", "Submit")))
        return Step(page, None, "operator", None, None, Risk.REVERSIBLE, action, ActResult(ActOutcome.DONE))

    steps = at("", Click(1)), at("", Click(1)), at("1", Click(1)), at("2", Click(2)), at("2", Finish())
    recorded = structs.replace(_recorded("guess-number", "Guess.", 1), steps=steps)
    [found] = restored([recorded])
    assert [step.action for step in found.steps] == [Type(1, "2"), Click(2), Finish()]
    assert found.steps[0].observation.elements[0].value == ""


def _steps(*pairs: tuple[Action, tuple[Element, ...]]) -> tuple[Step, ...]:
    done = ActResult(ActOutcome.DONE)
    return tuple(
        Step(Observation("", "", elements), None, "operator", None, None, Risk.REVERSIBLE, action, done)
        for action, elements in pairs
    )


def test_what_was_typed_until_a_suggestion_came_is_the_whole_word() -> None:
    page = (Element(1, "textbox", "From:"),)
    recorded = structs.replace(
        _recorded("x", "Fly from Pueblo, CO.", 1), steps=_steps((Type(1, "Pue"), page), (Finish(), page))
    )
    [found] = restored([recorded])
    assert found.steps[0].action == Type(1, "Pueblo")


def test_suggestions_that_are_bare_items_are_clicked_themselves() -> None:
    page = Element(1, "button", "Pueblo (PUB)"), Element(2, "menuitem", "Pueblo (PUB)")
    recorded = structs.replace(_recorded("book-flight", "Fly.", 1), steps=_steps((Click(2), page), (Finish(), page)))
    [found] = restored([recorded])
    assert found.steps[0].action == Click(1)
    assert [each.role for each in found.steps[0].observation.elements] == ["button"]


def test_an_open_list_holds_what_was_chosen_and_mistakes_are_left_out() -> None:
    page = (Element(1, "combobox", "", options=("Ann", "Bob", "Cid")),)
    steps = _steps((Select(1, "Bob"), page), (Select(1, "Cid"), page), (Select(1, "Ann"), page), (Finish(), page))
    recorded = structs.replace(_recorded("click-scroll-list", "Select Cid, Ann.", 1), steps=steps)
    [found] = restored([recorded])
    assert [step.action for step in found.steps] == [Select(1, "Cid"), Select(1, "Ann"), Finish()]
    assert [step.observation.elements[0].value for step in found.steps] == ["", "Cid", "Ann, Cid"]


def test_a_menu_that_opened_under_the_pointer_was_opened_item_by_item() -> None:
    def item(ref: int, name: str, left: float, row: str = "") -> Element:
        return Element(ref, "menuitem", name, box=Box(left, 60, 50, 17), row=row)

    page = (
        Element(1, "button", "Ann Bob Cid Dora"),
        item(2, "Ann", 5, "Ann Bob Cid Dora"),
        item(3, "Bob", 57, "Bob Cid"),
        item(4, "Cid", 108),
        item(5, "Dora", 57),
        item(6, "Emil", 6),
    )
    [found] = restored([_recorded("click-menu", "Select Ann>Bob>Cid", 4, *page)])
    assert [step.action for step in found.steps] == [Click(2), Click(3), Click(4), Finish()]
    shown = [{each.name for each in step.observation.elements if each.role == "menuitem"} for step in found.steps[:3]]
    assert shown == [{"Ann", "Emil"}, {"Ann", "Bob", "Dora", "Emil"}, {"Ann", "Bob", "Cid", "Dora", "Emil"}]
    holders = [step.observation.elements[1].name for step in found.steps[:3]]
    assert holders == ["Ann", "Ann Bob Dora", "Ann Bob Cid Dora"]


def test_what_was_chosen_by_keys_in_an_open_list_is_what_was_asked_for_one_after_the_other() -> None:
    text = "Select Nepal, Egypt from the scroll list and click Submit."
    listed = Element(1, "combobox", "options", options=("Chad", "Egypt", "Nepal"))
    recorded = _recorded("click-scroll-list", text, 2, listed, Element(2, "button", "Submit"))
    by_keys = structs.replace(recorded.steps[0], action=Select(1, ""))
    [found] = restored([structs.replace(recorded, steps=(by_keys, *recorded.steps))])
    assert [step.action for step in found.steps] == [Select(1, "Nepal"), Select(1, "Egypt"), Click(2), Finish()]
    assert [step.observation.elements[1].value for step in found.steps[:3]] == ["", "Nepal", "Egypt, Nepal"]
