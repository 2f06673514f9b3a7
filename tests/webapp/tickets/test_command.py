"""`manage.py ticket`: the same verbs from a shell."""

import io
import re
import shlex
import subprocess
import sys

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
def test_free_words_go_to_an_environment() -> None:
    ticket("file", "cloud", "--text", "look around", "--priority", "1")
    row = Ticket.objects.get()
    assert (row.environment, row.template, row.text, row.priority) == ("cloud", "", "look around", 1)


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("file", "cloud"), "say --text for 'cloud'"),
        (("file", "cloud/stop-instance", "instance"), "written name=value; 'instance' is not"),
        (("file", "cloud/stop-instance", "instance=a", "instance=b"), "instance is given twice"),
        (("file", "cloud/nothing"), "no such template"),
        (("file", "nowhere", "--text", "hi"), "no such environment"),
        (("file", "cloud", "--text", " "), "Say what is to be done"),
        (("file", "cloud", "--text", "\u200b\u202e"), "Say what is to be done"),
        (("file", "cloud/stop-instance", "--text", "hi"), "name just an environment"),
        (("list", "--limit", "-3"), "'-3' is no number from 1 to 10000"),
        (("list", "--state", "bad"), "invalid choice: 'bad'"),
        (("show", "x"), "invalid int value: 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(words: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=re.escape(why)):
        ticket(*words)
    assert not Ticket.objects.exists()


@pytest.mark.usefixtures("operator")
def test_a_ticket_is_cancelled_once_and_rerun_when_nothing_is_at_work() -> None:
    ticket("file", "cloud", "--text", "look around")
    number = str(Ticket.objects.get().pk)
    with pytest.raises(CommandError, match="still at work"):
        ticket("rerun", number)
    ticket("cancel", number)
    with pytest.raises(CommandError, match="no longer open"):
        ticket("cancel", number)
    assert "operator cancelled the ticket" in ticket("show", number)


@pytest.mark.usefixtures("operator")
def test_somebody_elses_ticket_is_not_cancelled_by_an_operator() -> None:
    ticket("file", "cloud", "--text", "look around")
    other = a_user()
    with pytest.raises(CommandError, match="Only the person who filed"):
        ticket("--as", other.username, "cancel", str(Ticket.objects.get().pk))


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


@pytest.mark.usefixtures("operator")
def test_what_a_title_hides_is_written_out() -> None:
    ticket("file", "cloud", "--text", "look", "--title", "clean \x1b[2J up\u202e")
    assert "clean \\u001b[2J up\\u202e" in ticket("list")


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_has_seen_enough_is_no_fault() -> None:
    a_user(username="operator")
    code = "import os, sys; sys.argv = ['manage.py', 'ticket', 'templates']; import manage; manage.main()"
    shell = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} | head -1"
    answer = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {shell}"], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("cloud/")
