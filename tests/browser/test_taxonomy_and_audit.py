"""The taxonomy and the audit chain."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from webapp.agent_sessions.models import FailureLabel

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_label_is_added_to_the_taxonomy(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.admin, "/settings?tab=taxonomy")
    page.get_by_role("button", name="New label").click()
    page.get_by_role("textbox", name="Key").fill("wrong-region")
    page.get_by_role("textbox", name="Title").fill("Wrong region")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("cell", name="Wrong region", exact=True)).to_be_visible()
    assert FailureLabel.objects.filter(key="wrong-region").exists()


def test_the_audit_page_finds_entries_and_checks_the_chain(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.admin, "/audit?verb=ticket.open")
    expect(page.get_by_role("table", name="Audit")).to_contain_text(f"ticket {session.ticket_id}")
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("status").filter(has_text="The chain is whole")).to_be_visible()
