"""What admins govern: rollouts, the human-only switch, approval policies, people and tokens."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.builders import a_policy_folder
from tests.crash.rig import wait_for
from webapp.accounts.models import ApiToken, User
from webapp.rollouts.actions import register_policy
from webapp.rollouts.models import Alias, PolicyVersion, Rollout
from webapp.rollouts.queries import human_only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def challenger(cast: Cast, tmp_path: Path) -> PolicyVersion:
    """A version that could be let out."""
    return register_policy(
        folder=a_policy_folder(tmp_path / "policy"),
        source=PolicyVersion.Source.TRAINING,
        parent=cast.policy,
        spec={},
        card="# Made for a journey",
        lineage={},
        evaluation={},
        user=None,
        how="system",
    )


def serving() -> PolicyVersion | None:
    """The champion."""
    return Alias.objects.get(name=Alias.Name.CHAMPION).policy


def test_a_version_is_let_out_at_a_weight_and_promoted(cast: Cast, looks: Looks, challenger: PolicyVersion) -> None:
    page = looks.person(cast.admin, f"/policies/{challenger.number}")
    expect(page.get_by_role("heading", name="Made for a journey")).to_be_visible()
    page.get_by_role("button", name="Roll out").click()
    dialog = page.get_by_role("dialog", name=f"Let {challenger.name} out beside the champion?")
    dialog.get_by_role("textbox", name="Weight").fill("50")
    dialog.get_by_role("button", name="Roll out").click()

    expect(page.get_by_role("heading", name="Rollout")).to_be_visible()
    weight = page.get_by_role("textbox", name="Weight")
    expect(weight).to_have_value("50 %")
    weight.press("ControlOrMeta+a")
    page.keyboard.type("80")
    page.get_by_role("button", name="Set weight").click()
    expect(page.get_by_role("button", name="Set weight")).to_be_disabled()
    wait_for("the weight to be set", lambda: Rollout.objects.get().weight == 80)
    page.get_by_role("button", name="Pause the rollout").click()
    page.get_by_role("button", name="Resume the rollout").click()
    expect(page.get_by_role("button", name="Pause the rollout")).to_be_visible()

    page.get_by_role("button", name="Promote").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_text("promoted", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Roll back")).to_have_count(0)
    assert serving() == challenger


def test_rolling_back_needs_a_reason_and_keeps_the_champion(
    cast: Cast, looks: Looks, challenger: PolicyVersion
) -> None:
    page = looks.person(cast.admin, f"/policies/{challenger.number}")
    page.get_by_role("button", name="Roll out").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll out").click()
    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog", name=f"Roll {challenger.name} back?")
    expect(dialog.get_by_role("button", name="Roll back")).to_be_disabled()
    dialog.get_by_role("textbox", name="Reason").fill("it deletes too eagerly")
    dialog.get_by_role("button", name="Roll back").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("it deletes too eagerly")).to_be_visible()
    assert serving() == cast.policy
    wait_for("the roll-back", lambda: Rollout.objects.get().state == Rollout.State.ROLLED_BACK)


def test_operators_cannot_let_anything_out(cast: Cast, looks: Looks, challenger: PolicyVersion) -> None:
    page = looks.person(cast.operator, f"/policies/{challenger.number}")
    expect(page.get_by_role("heading", name=f"Policy {challenger.name}")).to_be_visible()
    expect(page.get_by_role("button", name="Roll out")).to_have_count(0)


def test_human_only_is_a_switch_that_everybody_sees(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.admin)
    page.get_by_role("switch", name="Human only").click()
    dialog = page.get_by_role("dialog", name="Turn human only on")
    dialog.get_by_role("textbox", name="Reason").fill("an audit is on")
    dialog.get_by_role("button", name="Turn human only on").click()
    banner = "Human only is on. No policy proposes anywhere. an audit is on"
    expect(page.get_by_text(banner)).to_be_visible()
    expect(looks.person(cast.operator).get_by_text(banner)).to_be_visible()
    assert human_only()
    page.get_by_role("switch", name="Human only").click()
    page.get_by_role("dialog").get_by_role("button", name="Turn human only off").click()
    expect(page.get_by_text(banner)).to_have_count(0)
    assert not human_only()


def test_an_approval_policy_is_changed_and_kept(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.admin, "/environments")
    form = page.get_by_role("form", name="Approval policy").first
    form.get_by_role("textbox", name="A question expires after").fill("17")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("button", name="Save")).to_be_disabled()
    page.reload()
    expect(form.get_by_role("textbox", name="A question expires after")).to_have_value("17")
    reader = looks.person(cast.operator, "/environments")
    expect(reader.get_by_role("textbox", name="A question expires after").first).to_be_disabled()


def test_a_person_is_added_made_reviewer_and_shut_out(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.admin, "/settings?tab=people")
    page.get_by_role("button", name="Add a person").click()
    dialog = page.get_by_role("dialog", name="Add a person")
    dialog.get_by_role("textbox", name="User name").fill("maria")
    dialog.get_by_role("textbox", name="Password").fill("x")
    dialog.get_by_role("button", name="Add a person").click()
    expect(dialog.get_by_role("textbox", name="Password")).to_have_accessible_description(re.compile("too short"))
    dialog.get_by_role("textbox", name="Password").fill("three quiet otters")
    dialog.get_by_role("button", name="Add a person").click()

    page.get_by_role("textbox", name="Role: maria").click()
    page.get_by_role("option", name="reviewer").click()
    expect(page.get_by_role("textbox", name="Role: maria")).to_have_value("reviewer")
    active = page.get_by_role("switch", name="Active: maria")
    active.focus()
    page.keyboard.press("Space")
    expect(active).not_to_be_checked()
    maria = User.objects.get(username="maria")
    assert (maria.role, maria.is_active) == ("reviewer", False)


def test_a_token_is_shown_once_and_revoked(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator, "/settings")
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog", name="New token")
    dialog.get_by_role("textbox", name="Name").fill("nightly")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_text("Copy it now: it is shown this once.")).to_be_visible()
    shown = dialog.locator("pre, code").first.inner_text()
    page.keyboard.press("Escape")
    row = page.get_by_role("table", name="API tokens").get_by_role("row", name="nightly")
    expect(row).to_be_visible()
    expect(page.get_by_text(shown)).to_have_count(0)
    row.get_by_role("button", name="Revoke: nightly").click()
    page.get_by_role("dialog", name="Revoke the token “nightly”?").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No token")).to_be_visible()
    assert not ApiToken.objects.filter(revoked_at=None).exists()
