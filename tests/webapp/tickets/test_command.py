"""`manage.py ticket`: the same verbs from a shell."""

import io

import pytest
from django.core.management import CommandError, call_command

from tests.builders import a_user
from webapp.accounts.models import User
from webapp.audit.models import AuditEntry
from webapp.tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> User:
    return a_user(username="operator")


def ticket(*words: str) -> str:
    out = io.StringIO()
    call_command("ticket", *words, stdout=out)
    return out.getvalue()


@pytest.mark.usefixtures("operator")
def test_a_ticket_goes_its_way_from_a_shell() -> None:
    said = ticket("file", "cloud/stop-instance", "instance=web-1")
    row = Ticket.objects.get()
    assert said.startswith(f"{row.pk}  open  cloud")
    assert str(row.pk) in ticket("list", "--state", "open")
    assert "queued" in ticket("show", str(row.pk))
    assert "cancelled" in ticket("cancel", str(row.pk))
    assert ticket("rerun", str(row.pk)).count("session") == 2
    assert {entry.how for entry in AuditEntry.objects.filter(object_kind="ticket")} == {"cli"}


@pytest.mark.usefixtures("operator")
def test_bad_fields_are_named() -> None:
    with pytest.raises(CommandError, match="instance: This field is required"):
        ticket("file", "cloud/stop-instance")


@pytest.mark.usefixtures("operator")
def test_an_absent_ticket_is_said_to_be() -> None:
    with pytest.raises(CommandError, match="There is no ticket 7"):
        ticket("show", "7")


def test_nobody_acts_without_a_name() -> None:
    with pytest.raises(CommandError, match="There is nobody called"):
        ticket("list")


@pytest.mark.usefixtures("operator")
def test_the_templates_say_what_to_fill_in() -> None:
    assert "cloud/stop-instance  instance=<" in ticket("templates")
