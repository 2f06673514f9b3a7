"""Everything that is decided all day can be done without a pointer, with keys that a person can change."""

import pytest
from playwright.sync_api import Page, expect

from sandbox.contracts.tasks import Risk
from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.webapp.agent_sessions.cast import Scene, a_scene
from webapp.agent_sessions.models import Step

pytestmark = pytest.mark.django_db(transaction=True)


def latest(scene: Scene) -> Step:
    return scene.session.steps.latest("index")


def asked(page: Page) -> None:
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


def test_the_queue_is_worked_by_keys_alone(cast: Cast, looks: Looks) -> None:
    first, second = a_scene(), a_scene()
    first.propose(Risk.COST)
    second.propose()
    page = looks.person(cast.reviewer, "/approvals")
    asked(page)
    keys(page, "r")
    expect(page.get_by_role("dialog", name="Reject this step?").get_by_role("textbox")).to_be_focused()
    page.keyboard.type("not this one")
    keys(page, "Enter")
    expect(page.get_by_text("1 waiting")).to_be_visible()
    asked(page)

    keys(page, "c")
    expect(page.get_by_role("textbox", name="Element")).to_be_focused()
    page.keyboard.type("name")
    keys(page, "Enter")
    expect(page.get_by_role("form").get_by_role("alert")).to_contain_text("TYPE “” into “Name”")
    page.get_by_role("textbox", name="Text").focus()
    page.keyboard.type("logs-eu")
    keys(page, "Enter")
    expect(page.get_by_text("Nothing waits for a decision")).to_be_visible()
    assert (latest(first).decision, latest(first).reason) == ("rejected", "not this one")
    assert latest(second).action == {"kind": "type", "element": 2, "text": "logs-eu"}


def test_a_number_key_takes_an_alternative(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    scene.propose()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    asked(page)
    keys(page, "2")
    form = page.get_by_role("form", name="Do something else")
    expect(form.get_by_role("alert")).to_contain_text("CLICK “Delete start”")
    form.get_by_role("button", name="Do this instead").focus()
    keys(page, "Enter")
    expect(page.get_by_role("list", name="Timeline").get_by_title("corrected")).to_be_visible()
    assert latest(scene).decision == "corrected"


def test_a_rejection_is_taken_back_within_five_seconds(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    step = scene.propose()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    asked(page)
    keys(page, "r")
    page.get_by_role("dialog", name="Reject this step?").get_by_role("textbox", name="Reason").fill("no")
    keys(page, "Enter")
    expect(page.get_by_role("button", name="Take it back")).to_be_visible()
    keys(page, "u")
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)
    expect(page.get_by_role("list", name="Timeline").get_by_title("cancelled")).to_be_visible()
    assert scene.step(step.pk).reason == f"taken back by {cast.reviewer.username}"


def test_what_is_being_done_offers_no_way_back_and_neither_does_an_old_decision(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    step = scene.propose()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    asked(page)
    keys(page, "a")
    back = page.get_by_role("button", name="Take it back")
    expect(back).to_be_visible()
    scene.carry_out(step)
    expect(back).to_have_count(0)

    scene.propose(page="next")
    asked(page)
    keys(page, "a")
    expect(back).to_be_visible()
    expect(back).to_have_count(0, timeout=8_000)  # nobody carried it out; the five seconds are over


def test_a_key_is_changed_swapped_kept_and_put_back(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    step = scene.propose()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    asked(page)
    keys(page, "?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_role("button", name="A: Approve").press("Enter")
    expect(dialog.get_by_role("status")).to_contain_text("Press the new key")
    keys(page, "c")
    expect(dialog.get_by_role("button", name="C: Approve")).to_be_visible()
    expect(dialog.get_by_role("button", name="A: Correct")).to_be_visible()
    keys(page, "Escape")

    page.reload()
    asked(page)
    expect(page.get_by_role("button", name="Approve")).to_contain_text("C")
    keys(page, "a")
    expect(page.get_by_role("form", name="Do something else")).to_be_visible()
    keys(page, "Escape")
    keys(page, "?")
    dialog.get_by_role("button", name="The usual keys again").click()
    expect(dialog.get_by_role("button", name="A: Approve")).to_be_visible()
    keys(page, "Escape")
    expect(dialog).to_have_count(0)
    keys(page, "a")
    expect(page.get_by_role("list", name="Timeline").get_by_title("approved")).to_be_visible()
    assert scene.step(step.pk).decision == "approved"


def test_esc_leaves_a_key_as_it_is_and_a_digit_is_no_new_key(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.reviewer, "/approvals")
    expect(page.get_by_text("Nothing waits for a decision")).to_be_visible()
    for pressed in ("Escape", "5"):
        keys(page, "?")
        dialog = page.get_by_role("dialog", name="Keys")
        dialog.get_by_role("button", name="N: newest approval").press("Enter")
        keys(page, pressed)
        expect(dialog.get_by_role("status")).to_contain_text("Click a key to change it")
        expect(dialog.get_by_role("button", name="N: newest approval")).to_be_visible()
        keys(page, "Escape")
        expect(dialog).to_have_count(0)
