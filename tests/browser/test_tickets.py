"""Filing tickets, finding them, calling them off."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from webapp.rollouts.models import PolicyVersion
from webapp.tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)


def test_bad_parameters_are_refused_field_by_field_and_good_ones_open_the_session(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator, "/tickets/new")
    page.get_by_role("button", name="Cloud console").click()
    page.get_by_role("button", name="Create a disk").click()
    page.get_by_role("textbox", name="Name").fill("Not A Name")
    page.get_by_role("button", name="File ticket").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("textbox", name="Size")).to_have_attribute("aria-invalid", "true")

    page.get_by_role("textbox", name="Name").fill("amber-disk-7")
    page.get_by_role("textbox", name="Zone").click()
    page.get_by_role("option", name="zone-b").click()
    page.get_by_role("textbox", name="Size").fill("200")
    page.get_by_role("button", name="File ticket").click()
    expect(page.get_by_role("img", name="Browser of session").or_(page.get_by_text("Waits for a free"))).to_be_visible()
    assert Ticket.objects.get().parameters == {"name": "amber-disk-7", "zone": "zone-b", "size_gb": "200"}


def test_a_ticket_in_ones_own_words(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator, "/tickets/new?environment=cloud")
    page.get_by_role("button", name="In your own words").click()
    page.get_by_role("textbox", name="What is to be done").fill("Look whether any disk is unattached")
    page.get_by_role("button", name="File ticket").click()
    page.wait_for_url("**/sessions/*")
    assert Ticket.objects.get().text == "Look whether any disk is unattached"


def test_kinds_of_work_say_whether_the_policy_has_learnt_them(cast: Cast, looks: Looks) -> None:
    PolicyVersion.objects.update(spec={"templates": {"cloud/create-disk": 30}})
    page = looks.person(cast.operator, "/tickets/new?environment=cloud")
    expect(page.get_by_role("button", name="Create a disk")).to_contain_text("Trained on 30 demonstrations")
    expect(page.get_by_role("button", name="Attach a disk")).to_contain_text("Not trained yet: expect to correct it")


def test_filters_live_in_the_address(cast: Cast, looks: Looks) -> None:
    cast.file("cloud/create-disk")
    kept = cast.file("cloud/start-instance").ticket
    page = looks.person(cast.operator, "/tickets?template=cloud%2Fstart-instance")
    rows = page.get_by_role("table", name="Tickets").get_by_role("row")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text(kept.title)
    page.goto("/tickets")
    expect(rows).to_have_count(3)
    page.get_by_role("textbox", name="State").click()
    page.get_by_role("option", name="cancelled").click()
    expect(page.get_by_text("No ticket matches")).to_be_visible()
    expect(page).to_have_url("/tickets?state=cancelled")


def test_cancelling_says_what_it_will_do_and_a_cancelled_ticket_can_be_run_again(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.operator, f"/tickets/{session.ticket_id}")
    page.get_by_role("button", name="Cancel the ticket").click()
    dialog = page.get_by_role("dialog", name=f"Cancel ticket {session.ticket_id}?")
    expect(dialog).to_contain_text(session.ticket.title)
    dialog.get_by_role("button", name="Cancel the ticket").click()
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url("**/sessions/*")
    page.goto(f"/tickets/{session.ticket_id}")
    expect(page.get_by_role("table", name="Sessions").get_by_role("row")).to_have_count(3)


def test_an_address_of_nothing_says_so(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator, "/tickets/987654")
    expect(page.get_by_text("Nothing is at this address")).to_be_visible()
