"""The taxonomy and the audit chain."""

import json

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


def test_what_the_audit_page_shows_is_saved_as_csv_and_json(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.reviewer, "/audit?verb=ticket.open")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="As CSV").click()
    lines = saved.value.path().read_text().splitlines()
    assert len(lines) == 2
    assert f",ticket,{session.ticket_id}," in lines[1]

    page.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="As JSON").click()
    (entry,) = json.loads(saved.value.path().read_text())
    assert (saved.value.suggested_filename, entry["verb"]) == ("audit.json", "ticket.open")
