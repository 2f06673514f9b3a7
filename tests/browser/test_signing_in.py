"""Who may come in, and what they find first."""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def give_password(user: User, text: str) -> None:
    """Hashed as the web process hashes: this process is set to a quick hash that it does not know."""
    User.objects.filter(pk=user.pk).update(password=PBKDF2PasswordHasher().encode(text, "a-salt-of-this-test"))


def test_a_wrong_password_is_refused_and_a_right_one_opens_the_work_at_hand(cast: Cast, looks: Looks) -> None:
    give_password(cast.operator, "correct horse battery")
    page = looks.stranger()
    page.goto("/tickets")
    page.get_by_label("User name").fill(cast.operator.username)
    page.get_by_role("textbox", name="Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("textbox", name="Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Tickets")).to_be_visible()


def test_signing_out_ends_the_session(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator)
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def test_each_role_sees_the_places_that_are_theirs(cast: Cast, looks: Looks) -> None:
    operator = looks.person(cast.operator)
    expect(operator.get_by_role("link", name="Tickets", exact=True)).to_be_visible()
    expect(operator.get_by_role("link", name="Audit")).to_have_count(0)
    admin = looks.person(cast.admin)
    expect(admin.get_by_role("link", name="Audit")).to_be_visible()
    expect(admin.get_by_role("switch", name="Human only")).to_be_visible()


def test_an_empty_installation_says_what_to_do_first(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator)
    expect(page.get_by_text("No ticket yet")).to_be_visible()
    page.get_by_role("link", name="New ticket").click()
    expect(page.get_by_role("button", name="Cloud console")).to_be_visible()


def test_the_catalogue_speaks_chinese_and_remembers_it(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator)
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitem", name="中文").click()
    expect(page.get_by_role("heading", name="手头工作")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="新建工单")).to_be_visible()


def test_dark_and_light_follow_the_system_and_the_person(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.operator, color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    page.get_by_role("button", name="Colour scheme").click()
    page.get_by_role("menuitem", name="Light").click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "light")


def test_keys_go_places_but_not_while_typing(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.reviewer, "/tickets")
    page.get_by_role("textbox", name="Find in titles").fill("g")
    page.keyboard.press("a")
    expect(page).to_have_url("/tickets?q=ga")
    page.get_by_role("heading", name="Tickets").click()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Approvals")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("newest approval")


def test_the_palette_finds_pages_and_tickets_by_number(cast: Cast, looks: Looks) -> None:
    session = cast.file()
    page = looks.person(cast.operator)
    expect(page.get_by_role("heading", name="At hand")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_placeholder("Go to a page").fill(str(session.ticket_id))
    page.get_by_role("button", name=f"Ticket {session.ticket_id}", exact=True).click()
    expect(page.get_by_role("heading", name=f"Ticket {session.ticket_id}")).to_be_visible()
