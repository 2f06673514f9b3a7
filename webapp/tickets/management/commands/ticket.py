"""`manage.py ticket`: file, list, show, cancel and re-run tickets from a shell."""

import argparse
import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sandbox import sessions as sandbox
from webapp.accounts.models import User
from webapp.agent_sessions import actions
from webapp.problems import Problem
from webapp.texts import visible
from webapp.tickets import queries
from webapp.tickets.access import access_ticket
from webapp.tickets.models import Ticket


class Command(BaseCommand):
    help = "Work with tickets. `manage.py ticket templates` lists what can be filed."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--as", dest="username", default="operator", help="who acts (default: operator)")
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("templates", help="what can be filed, with parameters")
        file = verbs.add_parser(
            "file", help="file one: ticket file object-store/create-bucket bucket=logs quota=5 unit=GB"
        )
        file.add_argument("template", help="a template's id; or an environment's id together with --text")
        file.add_argument("parameters", nargs="*", metavar="name=value")
        file.add_argument("--text", default="", help="free words, for an environment without a template")
        file.add_argument("--title", default="")
        file.add_argument("--priority", type=int, choices=(1, 2, 3, 4), default=3)
        listing = verbs.add_parser("list", help="newest first")
        listing.add_argument("--state", default="", choices=("", "open", "done", "failed", "cancelled"))
        listing.add_argument("--limit", type=_count, default=20, help="how many (default: 20)")
        for verb, words in (("show", "one ticket"), ("cancel", "stop and close it"), ("rerun", "try it again")):
            verbs.add_parser(verb, help=words).add_argument("id", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is nobody called {options['username']!r}; choose another with --as.")
        try:
            getattr(self, f"_{options['verb']}")(user, options)
            self.stdout.flush()
        except BrokenPipeError:  # whoever read has seen enough: `ticket templates | head`
            # What is still to be written would be missed once more when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Problem as problem:
            fields = "".join(f"\n  {name}: {sentence}" for name, sentence in problem.errors.items())
            raise CommandError(f"{problem.detail}{fields}") from None

    def _templates(self, user: User, options: dict[str, Any]) -> None:
        for template in sandbox.templates():
            blanks = " ".join(f"{p.name}=<{p.title}{f', {p.unit}' if p.unit else ''}>" for p in template.parameters)
            self.stdout.write(f"{template.id}  {blanks}\n    {template.summary}")

    def _file(self, user: User, options: dict[str, Any]) -> None:
        environment, slash, _ = options["template"].partition("/")
        if not slash and not options["text"]:
            raise CommandError(f"Name a template, as `ticket templates` lists them, or say --text for {environment!r}.")
        if options["text"] and (slash or options["parameters"]):
            raise CommandError("With --text, name just an environment: free words have no template or parameters.")
        ticket = actions.file_ticket(
            user=user,
            how="cli",
            environment=environment,
            template=options["template"] if slash else "",
            parameters=_parameters(options["parameters"]),
            text=options["text"],
            title=options["title"],
            priority=options["priority"],
        )
        self._show(user, {"id": ticket.pk})

    def _list(self, user: User, options: dict[str, Any]) -> None:
        for ticket in queries.tickets(state=options["state"])[: options["limit"]]:
            self.stdout.write(self._line(ticket))

    def _show(self, user: User, options: dict[str, Any]) -> None:
        ticket = access_ticket(user, options["id"], to="see")
        self.stdout.write(self._line(ticket))
        for session in ticket.sessions.select_related("policy_version").order_by("attempt"):
            said = [session.state, session.outcome, f"by {session.policy_version}" if session.policy_version else ""]
            self.stdout.write(f"    session {session.pk}: {' '.join(filter(None, said))}, {session.step_count} steps")
            if session.end_reason:
                self.stdout.write(f"        {visible(session.end_reason)}")

    def _cancel(self, user: User, options: dict[str, Any]) -> None:
        access_ticket(user, options["id"], to="operate")
        self.stdout.write(self._line(actions.cancel_ticket(ticket_id=options["id"], user=user, how="cli")))

    def _rerun(self, user: User, options: dict[str, Any]) -> None:
        access_ticket(user, options["id"], to="operate")
        actions.rerun_ticket(ticket_id=options["id"], user=user, how="cli")
        self._show(user, options)

    @staticmethod
    def _line(ticket: Ticket) -> str:
        return (
            f"{ticket.pk}  {ticket.state}  {ticket.environment}  {visible(ticket.title)}"
            f"  (by {ticket.filed_by.get_username()})"
        )


def _count(text: str) -> int:
    """A number of lines, for argparse."""
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 10000")
    return int(text)


def _parameters(words: list[str]) -> dict[str, str]:
    """What was written as name=value."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise CommandError(f"Parameters are written name=value; {word!r} is not.")
        if name in given:
            raise CommandError(f"{name} is given twice; once is enough.")
        given[name] = value
    return given
