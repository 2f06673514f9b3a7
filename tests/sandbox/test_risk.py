"""What an action may cost is read off the page by rules, and the page can only raise it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Risk
from sandbox.risk import classify, riskier

FIELD = Element(9, "textbox", "Bucket name", states=("editable",))


def page(*elements: Element, dialogs: tuple[str, ...] = ()) -> Observation:
    return Observation("http://x/", "", elements, dialogs=dialogs)


def click(name: str, *, role: str = "button", region: str = "main", group: str = "") -> tuple[Element, Action]:
    return Element(1, role, name, region=region, group=group), Click(1)


@pytest.mark.parametrize(
    "action", [Wait(), Scroll("down"), Navigate("/x"), Finish("42"), GiveUp("no"), Press("Escape")]
)
def test_looking_is_reading(action: Action) -> None:
    assert classify(action, page()) is Risk.READ


@pytest.mark.parametrize(
    ("role", "name", "risk"),
    [
        ("link", "Buckets", Risk.READ),
        ("tab", "Rules", Risk.READ),
        ("link", "Delete bucket", Risk.DESTRUCTIVE),
        ("button", "Refresh", Risk.READ),
        ("button", "Next page", Risk.READ),
        ("button", "Cancel", Risk.READ),
        ("button", "3", Risk.READ),
        ("button", "Create bucket", Risk.REVERSIBLE),
        ("button", "pencil edit", Risk.REVERSIBLE),
        ("button", "trash", Risk.DESTRUCTIVE),
        ("button", "Delete", Risk.DESTRUCTIVE),
        ("button", "Terminate instance", Risk.DESTRUCTIVE),
        ("button", "action delete bucket one", Risk.DESTRUCTIVE),
        ("menuitem", "Remove user", Risk.DESTRUCTIVE),
        ("button", "Show secret key", Risk.CREDENTIAL),
        ("button", "Stop instance", Risk.COST),
        ("button", "Frobnicate", Risk.UNKNOWN),
        ("button", "Submit", Risk.UNKNOWN),
        ("button", "", Risk.UNKNOWN),
        ("checkbox", "Versioning", Risk.REVERSIBLE),
        ("textbox", "Name", Risk.READ),
    ],
)
def test_a_click_on_a_page_without_a_form(role: str, name: str, risk: Risk) -> None:
    element, action = click(name, role=role)
    assert classify(action, page(element)) is risk


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("Create bucket", Risk.COST),
        ("Launch", Risk.COST),
        ("Create user", Risk.CREDENTIAL),
        ("Save", Risk.REVERSIBLE),
        ("Update quota", Risk.COST),
        ("Submit", Risk.UNKNOWN),
        ("Cancel", Risk.READ),
    ],
)
def test_a_click_that_sends_a_form(name: str, risk: Risk) -> None:
    element, action = click(name)
    assert classify(action, page(FIELD, element)) is risk


@pytest.mark.parametrize(
    ("title", "said", "name", "risk"),
    [
        ("Delete bucket", "Sure?", "Confirm", Risk.DESTRUCTIVE),
        ("Are you sure?", "This permanently removes alpha.", "Yes", Risk.DESTRUCTIVE),
        ("Confirm", "Terminate i-1?", "Continue", Risk.DESTRUCTIVE),
        ("Delete bucket", "Sure?", "Cancel", Risk.READ),
        ("Create user", "", "Create", Risk.CREDENTIAL),
        ("Access keys", "", "Generate", Risk.CREDENTIAL),
        ("Quota", "", "Save", Risk.COST),
        ("Tags", "", "Save", Risk.REVERSIBLE),
        ("Something", "Do it?", "Confirm", Risk.UNKNOWN),
        ("Success", "Bucket deleted", "OK", Risk.READ),
    ],
)
def test_a_dialog_says_what_its_button_means(title: str, said: str, name: str, risk: Risk) -> None:
    button, action = click(name, region="dialog")
    text = Element(2, "text", said, region="dialog", actionable=False)
    assert classify(action, page(text, button, dialogs=(title,))) is risk


def test_the_last_step_of_a_wizard_sends_it() -> None:
    launch, back = Element(1, "button", "Create instance"), Element(2, "button", "Back")
    assert classify(Click(1), page(launch)) is Risk.REVERSIBLE
    assert classify(Click(1), page(back, launch)) is Risk.COST


def test_ok_beside_cancel_is_a_decision() -> None:
    ok, cancel = Element(1, "button", "OK", region="dialog"), Element(2, "button", "Cancel", region="dialog")
    assert classify(Click(1), page(ok, cancel, dialogs=("Something",))) is Risk.UNKNOWN


def test_filling_in_is_reversible_and_searching_reads() -> None:
    seen = page(FIELD, Element(2, "combobox", "Unit"), Element(3, "textbox", "Search buckets"))
    assert classify(Type(9, "x"), seen) is Risk.REVERSIBLE
    assert classify(Select(2, "GB"), seen) is Risk.REVERSIBLE
    assert classify(Type(3, "x"), seen) is Risk.READ


def test_enter_is_as_risky_as_the_button_it_presses() -> None:
    field = Element(1, "textbox", "Type the name", states=("editable", "focused"), region="dialog")
    button = Element(2, "button", "Delete", region="dialog")
    assert classify(Press("Enter"), page(field, button, dialogs=("Delete",))) is Risk.DESTRUCTIVE
    assert classify(Press("Enter"), page(field)) is Risk.UNKNOWN
    search = Element(1, "textbox", "Search", states=("editable", "focused"))
    assert classify(Press("Enter"), page(search, button)) is Risk.READ


def test_what_is_not_there_is_unknown() -> None:
    assert classify(Click(5), page()) is Risk.UNKNOWN
    assert classify(Type(5, "x"), page()) is Risk.UNKNOWN


@given(st.text(max_size=40), st.sampled_from(["button", "menuitem"]), st.sampled_from(["main", "dialog", "nav"]))
def test_no_words_around_it_make_deleting_harmless(words: str, role: str, region: str) -> None:
    element, action = click(f"{words} delete {words}", role=role, region=region)
    assert classify(action, page(element)) is Risk.DESTRUCTIVE


@given(st.lists(st.sampled_from(list(Risk)), min_size=1))
def test_the_riskier_wins(risks: list[Risk]) -> None:
    assert riskier(*risks).rank == max(risk.rank for risk in risks)
