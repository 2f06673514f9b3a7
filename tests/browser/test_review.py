"""An ended session is judged; accepted, it is in the dataset and replays."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.webapp.agent_sessions.test_review import an_ended_scene
from webapp.agent_sessions.models import LabelMark
from webapp.trajectories.actions import append

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_accepted_session_is_in_the_dataset_and_replays_by_slider_and_keys(cast: Cast, looks: Looks) -> None:
    scene = an_ended_scene()
    page = looks.person(cast.reviewer, "/review")
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("verified")
    page.get_by_role("button", name="Accept for training").click()
    expect(page.get_by_text("Nothing waits for review")).to_be_visible()
    append(session_id=scene.session_id)  # what the Celery worker does

    page.goto("/trajectories")
    page.get_by_role("table", name="Trajectories").get_by_role("link").first.click()
    slider = page.get_by_role("slider", name="Position in the recording")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "1")
    slider.blur()
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    timeline = page.get_by_role("list", name="Timeline")
    expect(timeline.get_by_role("button", name="TYPE “logs” into “Name”")).to_be_visible()
    page.get_by_role("tab", name="Elements").click()
    expect(page.get_by_role("table").get_by_text("Save", exact=True)).to_be_visible()
    assert page.url.endswith(f"/trajectories/{scene.session.trajectory_hash}")


def test_a_session_is_kept_out_with_a_note(cast: Cast, looks: Looks) -> None:
    scene = an_ended_scene()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    expect(page.get_by_role("button", name="Keep out of training")).to_be_enabled()
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Keep out of training")
    dialog.get_by_role("textbox", name="Reason").fill("went around in circles")
    dialog.get_by_role("button", name="Keep out of training").click()
    kept_out = page.get_by_role("alert", name="Kept out of training")
    expect(kept_out).to_contain_text("went around in circles")
    assert scene.session.review_state == "rejected"


def test_a_verdict_is_taken_back_by_a_key_and_the_session_waits_again(cast: Cast, looks: Looks) -> None:
    scene = an_ended_scene()
    page = looks.person(cast.reviewer, "/review")
    expect(page.get_by_role("button", name="Accept for training")).to_be_enabled()
    page.keyboard.press("a")
    expect(page.get_by_role("status").filter(has_text="Accepted for training: Save it")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="Accept for training")).to_be_enabled()
    assert scene.session.review_state == "waiting"
    page.goto(f"/sessions/{scene.session_id}")
    page.get_by_role("button", name="Accept for training").click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_role("button", name="Accept for training")).to_be_enabled()


def test_failure_labels_go_on_and_off_by_number_keys(cast: Cast, looks: Looks) -> None:
    scene = an_ended_scene()
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    labels = page.get_by_role("region", name="Failure labels")
    expect(labels.get_by_text("No label")).to_be_visible()
    page.keyboard.press("l")
    expect(labels.get_by_role("button", name="Wrong target")).to_be_visible()
    page.keyboard.press("1")
    expect(labels.get_by_role("button", pressed=True)).to_have_count(1)
    assert LabelMark.objects.get(session_id=scene.session_id).by == cast.reviewer
    page.keyboard.press("1")
    expect(labels.get_by_text("No label")).to_be_visible()


def test_an_operator_sees_the_review_but_cannot_judge(cast: Cast, looks: Looks) -> None:
    scene = an_ended_scene()
    page = looks.person(cast.operator, f"/sessions/{scene.session_id}")
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("Waits for review")
    expect(page.get_by_role("button", name="Accept for training")).to_have_count(0)
