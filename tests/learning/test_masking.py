"""No secret leaves: not by its shape, not by what stands beside it, and none comes back that the page spoke of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import chat
from learning.masking import COVER, Mask
from sandbox.contracts.actions import Click, Finish, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal
from tests.learning.pages import a_form, a_goal, a_list

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
