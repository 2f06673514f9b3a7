"""The queue of questions: riskiest first, claimed while open, the next one opens by itself."""

import pytest
from playwright.sync_api import expect

from sandbox.contracts.actions import Type
from sandbox.contracts.tasks import Risk
from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.webapp.agent_sessions.cast import a_proposal, a_scene
from webapp.tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_decides_with_keys_and_the_next_question_opens(cast: Cast, looks: Looks) -> None:
    first, second = a_scene(), a_scene()
    asked = [first.propose(), second.propose()]
    page = looks.person(cast.reviewer, "/approvals")
    expect(page.get_by_text("2 waiting")).to_be_visible()
    open_card = page.locator("[aria-current=true]")
    expect(open_card.get_by_text("open with you")).to_be_visible()

    page.keyboard.press("a")
    expect(page.get_by_text("1 waiting")).to_be_visible()
    expect(open_card.get_by_role("button", name="Approve")).to_be_enabled()
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Reject this step?")
    dialog.get_by_role("textbox", name="Reason").fill("not this one")
    dialog.get_by_role("button", name="Reject this step").click()
    expect(page.get_by_text("Nothing waits for a decision")).to_be_visible()
    for step in asked:
        step.refresh_from_db()
    assert sorted(step.decision for step in asked) == ["approved", "rejected"]
    assert {step.decided_by for step in asked} == {cast.reviewer}


def test_the_riskiest_is_open_first_and_j_goes_on(cast: Cast, looks: Looks) -> None:
    harmless, grave = a_scene(), a_scene()
    harmless.propose(Risk.REVERSIBLE)
    grave.propose(Risk.DESTRUCTIVE)
    page = looks.person(cast.reviewer, "/approvals")
    open_card = page.locator("[aria-current=true]")
    expect(open_card.get_by_role("link", name="Open the session")).to_have_attribute(
        "href", f"/sessions/{grave.session_id}"
    )
    page.keyboard.press("j")
    expect(open_card.get_by_role("link", name="Open the session")).to_have_attribute(
        "href", f"/sessions/{harmless.session_id}"
    )


def test_others_see_whose_card_it_is(cast: Cast, looks: Looks) -> None:
    a_scene().propose()
    mine = looks.person(cast.reviewer, "/approvals")
    expect(mine.get_by_text("open with you")).to_be_visible()
    theirs = looks.person(cast.admin, "/approvals")
    expect(theirs.get_by_text(f"{cast.reviewer.username} looks at it")).to_be_visible()


def test_who_filed_a_destructive_ticket_is_told_that_another_must_decide(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    scene.propose(Risk.DESTRUCTIVE)
    page = looks.person(scene.filer, "/approvals")
    expect(page.get_by_role("alert", name="You cannot decide this step")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_be_disabled()


def test_the_filter_lives_in_the_address(cast: Cast, looks: Looks) -> None:
    a_scene().propose(Risk.REVERSIBLE)
    page = looks.person(cast.reviewer, "/approvals?risk=cost")
    expect(page.get_by_text("Nothing waits for a decision")).to_be_visible()
    page.goto("/approvals?risk=reversible")
    expect(page.get_by_text("1 waiting")).to_be_visible()


def test_what_a_text_hides_is_shown_to_who_decides(cast: Cast, looks: Looks) -> None:
    scene = a_scene()
    scene.propose(proposal=a_proposal(Type(2, "logs\u202e\u200bue")))
    Ticket.objects.update(title="Save\u2066 it")
    page = looks.person(cast.reviewer, f"/sessions/{scene.session_id}")
    expect(page.get_by_role("region", name="Proposal")).to_contain_text("“logs\\u202e\\u200bue” into “Name”")
    expect(page.get_by_role("link", name="Save\\u2066 it")).to_be_visible()
    page.goto("/approvals")
    expect(page.locator("[aria-current=true]")).to_contain_text("Type “logs\\u202e\\u200bue” into “Name”")
    expect(page.locator("[aria-current=true]")).to_contain_text("Save\\u2066 it")
