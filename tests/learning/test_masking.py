"""No secret leaves: not by its shape, not by what stands beside it, and none comes back that the page spoke of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from learning import chat
from learning.masking import COVER, Mask
from sandbox.contracts.actions import Click, Finish, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal
from tests.learning.pages import a_form, a_goal, a_list, remembered

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123"


@pytest.mark.parametrize(
    "secret",
    ["AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghij", JWT, "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "0af3" * 10],
)
def test_what_looks_like_a_key_is_hidden_wherever_it_stands(secret: str) -> None:
    mask = Mask()
    assert mask.text(f"Use {secret} now") == "Use [secret 1] now"
    assert mask.text(f"again: {secret}") == "again: [secret 1]"


@pytest.mark.parametrize(
    "text",
    ["password: {}", "Token={}", 'api_key: "{}"', "set the password to {}.", "Bearer {}", "https://bob:{}@host/"],
)
def test_what_is_announced_as_a_secret_is_hidden(text: str) -> None:
    assert "hunter2x" not in Mask().text(text.format("hunter2x"))


@pytest.mark.parametrize(
    "text",
    [
        "Change the quota of bucket logs-3 to 50 GB.",
        "Reset the password of user alice",
        "i-0a1b2c3d4e5f67890",
        "https://console.example/buckets?page=2",
        "2026-11-30T12:00:00Z eu-central-1a",
    ],
)
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert Mask().text(text) == text


def test_a_secret_field_is_covered_and_a_secret_cell_named() -> None:
    field = Element(1, "textbox", "Password", value="correct horse", states=("editable", "password"))
    cell = Element(2, "cell", "s3cr3tvalue", value="s3cr3tvalue", label="Secret key", actionable=False)
    mask = Mask()
    assert mask.element(field).value == COVER
    assert mask.element(cell).value == "[secret 1]"
    assert mask.element(cell).name == "[secret 1]"


def test_a_secret_of_the_goal_is_typed_as_it_is() -> None:
    mask = Mask()
    hidden = mask.goal(Goal("Set the password of bob to hunter2x.", (("user", "bob"), ("new_password", "hunter2x"))))
    assert "hunter2x" not in f"{hidden}"
    assert mask.action(Type(7, dict(hidden.fields)["new_password"])) == Type(7, "hunter2x")


def test_a_secret_of_the_page_is_never_typed_or_answered() -> None:
    mask = Mask()
    mask.goal(a_goal())
    assert mask.text("Secret: AKIAIOSFODNN7EXAMPLE") == "Secret: [secret 1]"
    assert mask.action(Type(7, "[secret 1]")) == Type(7, "[secret 1]")
    assert mask.action(Finish("[secret 1]")) == Finish("[secret 1]")


FIELD = Element(1, "textbox", "Password", states=("editable",))
LOGIN = Observation("http://127.0.0.1/login", "Log in", (FIELD, Element(2, "textbox", "Name", states=("editable",))))


def test_what_was_typed_into_a_secret_field_is_not_told_of_the_past() -> None:
    step = structs.replace(remembered(LOGIN, Type(1, "horse")), value="pony")
    mask = Mask()
    assert mask.past(step) == structs.replace(step, action=Type(1, COVER), value=COVER)
    sent = chat.View(LOGIN, Goal("Log in as bob."), (step,), Mask()).messages()[1]["content"]
    assert "horse" not in sent
    assert COVER in sent


@pytest.mark.parametrize("element", [FIELD, structs.replace(FIELD, name="", states=("editable", "password"))])
def test_what_is_typed_into_a_secret_field_is_not_taught(element: Element) -> None:
    page = structs.replace(LOGIN, elements=(element,))
    with pytest.raises(chat.Unsayable, match="a secret is typed"):
        chat.View(page, Goal("Log in as bob, on the horses' page."), (), Mask()).answer(Type(1, "horse"))


def test_what_the_goal_tells_is_told_of_the_past_and_taught_in_a_secret_field_too() -> None:
    goal = Goal("Log in with pony or汉字, make it hunter2x.", (("password", "hunter2x"),))
    for typed, told in (("hunter2x", "[secret 1]"), ("pony", "pony"), ("字", "字")):
        view = chat.View(LOGIN, goal, (remembered(LOGIN, Type(1, typed)),), Mask())
        assert f'"text":"{told}"' in view.messages()[1]["content"]
        assert view.parse(view.answer(Type(1, typed))).action == Type(1, typed)
    assert Mask().hidden(Type(1, ""), secret=True) == Type(1, "")


def test_names_stay_whole_where_a_secret_is_the_very_word_for_one() -> None:
    mask = Mask(["hunter2x", "secret"])
    assert mask.text("hunter2x is no secret") == "[secret 1] is no [secret 2]"
    assert mask.text("[secret 1] again") == "[secret 1] again"
    assert mask.element(Element(2, "cell", "a", value="hunter2x", label="Password")).value == "[secret 1]"
    hidden = mask.goal(Goal("Log in.", (("password", "secret"), ("token", "hunter2x"))))
    assert hidden.fields == (("password", "[secret 2]"), ("token", "[secret 1]"))
    assert mask.action(Type(7, "[secret 2] [secret 1]")) == Type(7, "secret hunter2x")


def test_an_option_that_looks_secret_can_still_be_chosen() -> None:
    mask = Mask()
    element = Element(3, "combobox", "Key", options=("AKIAIOSFODNN7EXAMPLE", "none"))
    assert mask.element(element).options == ("[secret 1]", "none")
    assert mask.action(Select(3, "[secret 1]")) == Select(3, "AKIAIOSFODNN7EXAMPLE")


_SECRETS = st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=6, max_size=20).filter(
    lambda value: "secret" not in value.lower() and value.strip(".)") == value
)


@given(secret=_SECRETS, place=st.sampled_from(["name", "value", "row", "label", "group", "title", "toast", "goal"]))
def test_a_known_secret_is_in_nothing_that_is_sent(secret: str, place: str) -> None:
    said = f"before {secret} after"
    texts: dict[str, Any] = {
        each: said if each == place else "plain" for each in ("name", "value", "row", "label", "group")
    }
    page = Observation(
        "http://127.0.0.1/",
        said if place == "title" else "Page",
        (Element(1, "button", **texts),),
        toasts=(said,) if place == "toast" else (),
    )
    goal = Goal(said if place == "goal" else "do it")
    mask = Mask([secret])
    view = chat.View(page, goal, (), mask)
    sent = f"{[each['content'] for each in view.messages()][1:]}"
    allowed = f"{view.schema(explain=True, closed=True)}"
    written = secret.encode("unicode_escape").decode()
    assert "[secret 1]" in sent
    assert secret not in sent.replace("\\\\", "\\")
    assert written not in sent
    assert secret not in allowed


def test_nothing_is_hidden_of_an_ordinary_page() -> None:
    mask = Mask()
    sent = chat.View(a_list("web-1", "logs-3"), a_goal(), (), mask).messages()[1]["content"]
    sent += chat.View(a_form("5"), a_goal(), (), mask).messages()[1]["content"]
    assert "[secret" not in sent
    assert mask.action(Click(3)) == Click(3)
