"""The session page: approve, correct, reject, take over, stop; and that everybody sees the same."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.crash.rig import has_ended, wait_for
from webapp.agent_sessions.models import Session

PATIENCE_MS = 90_000  # a console and a browser start; a busy machine is given time

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("host")]


def asked(page: Page) -> None:
    """A question is on the page, and a picture of the browser with it."""
    expect(page.get_by_role("button", name="Approve")).to_be_enabled(timeout=PATIENCE_MS)
    expect(page.locator("canvas[data-has-frame=true]")).to_be_visible()


def approve_to_the_end(page: Page) -> None:
    """Press A at each question until the session has ended."""
    ended = page.get_by_role("button", name="Accept for training")
    approve = page.get_by_role("button", name="Approve")
    question = page.get_by_role("region", name="Proposal")
    expect(approve.or_(ended)).to_be_visible(timeout=PATIENCE_MS)
    while approve.is_visible():
        expect(approve.or_(ended)).to_be_enabled()
        before = question.inner_text()
        page.keyboard.press("a")
        page.wait_for_function(
            """before => document.querySelector('[aria-label="Proposal"]')?.innerText !== before""", arg=before
        )
        expect(approve.or_(ended)).to_be_visible(timeout=PATIENCE_MS)


def test_steps_are_approved_by_key_until_the_console_says_verified(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    second = looks.person(cast.operator, f"/sessions/{session.pk}")
    asked(page)
    act = page.get_by_role("region", name="Proposal").locator(".action").inner_text()
    expect(second.get_by_role("region", name="Proposal").locator(".action")).to_have_text(act)
    expect(second.get_by_role("button", name="Approve")).to_be_disabled()

    approve_to_the_end(page)
    for viewer in (page, second):
        outcome = viewer.get_by_role("region", name="Outcome")
        expect(outcome).to_contain_text("verified")
        expect(outcome.get_by_role("img", name="yes").first).to_be_visible()
    session.refresh_from_db()
    assert (session.state, session.outcome) == ("completed", "verified")


def test_a_correction_is_picked_from_the_list_spelled_out_and_carried_out(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    asked(page)
    page.keyboard.press("c")
    form = page.get_by_role("form", name="Do something else")
    form.get_by_role("textbox", name="Element").fill("Description")
    form.get_by_role("textbox", name="Element").press("Enter")
    form.get_by_role("button", name="description: ").click()
    wanted = dict(session.task["goal"]["fields"])["description"]
    expect(form.get_by_role("alert")).to_contain_text(f"TYPE “{wanted}” into “Description")
    form.get_by_role("button", name="Do this instead").click()
    expect(page.get_by_role("list", name="Timeline").get_by_title("corrected")).to_be_visible()
    step = session.steps.get(decision="corrected")
    assert step.action is not None
    assert (step.decided_by, step.action["kind"], step.action["text"]) == (cast.reviewer, "type", wanted)
    approve_to_the_end(page)
    session.refresh_from_db()
    assert session.outcome == "verified"


def test_elements_light_up_on_the_picture_and_a_click_picks_one(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    asked(page)
    page.keyboard.press("c")
    page.locator("rect.pickable", has_text="Cancel").click()
    expect(page.get_by_role("form", name="Do something else").get_by_role("alert")).to_contain_text("CLICK “Cancel”")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    assert not session.steps.filter(decision="corrected").exists()


def test_a_rejection_needs_a_reason_and_keeps_it(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    asked(page)
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Reject this step?")
    expect(dialog.get_by_role("button", name="Reject this step")).to_be_disabled()
    dialog.get_by_role("textbox", name="Reason").fill("not this group")
    dialog.get_by_role("textbox", name="Reason").press("Enter")
    expect(page.get_by_role("list", name="Timeline").get_by_title("rejected")).to_be_visible()
    assert session.steps.get(decision="rejected").reason == "not this group"


def test_a_person_takes_over_drives_and_ends_the_work(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    other = looks.person(cast.admin, f"/sessions/{session.pk}")
    asked(page)
    page.keyboard.press("t")
    expect(page.get_by_text("You are driving")).to_be_visible()
    expect(other.get_by_text(f"{cast.reviewer.username} is driving")).to_be_visible()

    click_on(page, session, "Name")
    page.keyboard.type("by-hand")
    page.keyboard.press("Tab")
    typed = page.get_by_role("list", name="Timeline").get_by_role("button", name="TYPE “by-hand” into “Name”")
    expect(typed).to_be_visible()
    step = session.steps.filter(actor="operator", action__kind="type").get()
    assert step.action is not None
    assert (step.action["text"], step.decided_by) == ("by-hand", cast.reviewer)

    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="End and verify").click()
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("failed", timeout=PATIENCE_MS)


def test_handing_back_lets_the_agent_go_on(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    asked(page)
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_role("button", name="Hand back")).to_be_visible()
    page.keyboard.press("Shift+Escape")
    page.keyboard.press("h")
    asked(page)
    session.refresh_from_db()
    assert session.control == "agent"


def test_pausing_resuming_and_stopping(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, f"/sessions/{session.pk}")
    asked(page)
    page.keyboard.press("Space")
    expect(page.get_by_text("Nothing happens until somebody resumes it")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    asked(page)
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog", name=f"Stop session {session.pk}?")
    expect(dialog).to_contain_text("What was already done in the console stays done")
    dialog.get_by_role("button", name="Stop the session").click()
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("cancelled")
    wait_for("the row to say so", lambda: has_ended(session))


def click_on(page: Page, session: Session, name: str) -> None:
    """Click an element of the driven browser where the picture shows it."""
    session.refresh_from_db()
    assert session.observation is not None
    box = next(each["box"] for each in session.observation["elements"] if each["name"] == name and each["actionable"])
    wheel = page.get_by_role("textbox", name="The browser: your pointer and keys drive it")
    shown = wheel.bounding_box()
    assert shown is not None
    across, down = shown["width"] / 1280, shown["height"] / 720
    x, y = (box["x"] + box["width"] / 2) * across, (box["y"] + box["height"] / 2) * down
    wheel.click(position={"x": x, "y": y})
