"""Every write about tickets and approval policies; queuing sessions is the floor above."""

import secrets
from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from sandbox import sessions
from sandbox.contracts.tasks import Task
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.problems import BadInput, Conflict
from webapp.texts import NO_CREDENTIALS, has_credentials
from webapp.tickets.models import ApprovalPolicy, Ticket
from webapp.tickets.states import TRANSITIONS, TicketState


@transaction.atomic
def open_ticket(
    *,
    user: User,
    how: str,
    environment: str,
    template: str = "",
    parameters: Mapping[str, object] | None = None,
    text: str = "",
    title: str = "",
    priority: int = 3,
    idempotency_key: str | None = None,
) -> Ticket:
    """Write a ticket; the same key of the same person gives the ticket it gave before.

    Raises BadInput with a sentence for each field that cannot be taken.
    """
    if idempotency_key:
        earlier = Ticket.objects.filter(filed_by=user, idempotency_key=idempotency_key).first()
        if earlier is not None:
            return earlier
    _refuse_credentials({**(parameters or {}), "text": text, "title": title})
    seed = secrets.randbelow(2**31)
    task = task_of(environment=environment, template=template, parameters=parameters or {}, text=text, seed=seed)
    try:
        with transaction.atomic():
            ticket = Ticket.objects.create(
                title=(title.strip() or task.goal.text)[:200],
                environment=environment,
                template=template,
                parameters=dict(task.goal.fields),
                text=task.goal.text,
                seed=seed,
                priority=priority,
                filed_by=user,
                idempotency_key=idempotency_key or None,
            )
    except IntegrityError:  # the same key at the same moment
        return Ticket.objects.get(filed_by=user, idempotency_key=idempotency_key)
    after = {"environment": environment, "template": template, "parameters": ticket.parameters, "text": ticket.text}
    record("ticket.open", ("ticket", ticket.pk), user=user, how=how, after=after)
    return ticket


def task_of(*, environment: str, template: str, parameters: Mapping[str, object], text: str, seed: int) -> Task:
    """What a ticket asks for as the sandbox's task. Raises BadInput."""
    if environment not in {each.id for each in sessions.environments()}:
        raise BadInput("There is no such environment.", errors={"environment": "Choose one of the list."})
    try:
        if not template:
            return sessions.free_task(environment, text, seed=seed)
        if sessions.template(template).environment != environment:
            raise BadInput("Template and environment do not fit.", errors={"template": f"Not one of {environment}."})
        return sessions.bind(template, parameters, seed=seed)
    except sessions.UnknownTemplate:
        raise BadInput("There is no such template.", errors={"template": "Choose one of the list."}) from None
    except sessions.BadParameters as problem:
        raise BadInput("Some fields cannot be taken.", errors=problem.errors) from None


def _refuse_credentials(given: Mapping[str, object]) -> None:
    """What a ticket says is kept and shown as it is: no place for a password, not even within an address."""
    if telling := [name for name, value in given.items() if has_credentials(str(value))]:
        raise BadInput("Some fields cannot be taken.", errors=dict.fromkeys(telling, NO_CREDENTIALS))


@transaction.atomic
def move(*, ticket_id: int, source: TicketState, target: TicketState, user: User | None, how: str) -> None:
    """One legal move. Raises Conflict where it is not legal, or somebody was faster."""
    if target not in TRANSITIONS[source]:
        raise Conflict(f"A ticket that is {source} cannot become {target}.")
    changed = Ticket.objects.filter(id=ticket_id, state=source).update(
        state=target, version=F("version") + 1, updated_at=timezone.now()
    )
    if changed != 1:
        raise Conflict(f"Ticket {ticket_id} is no longer {source}.")
    before, after = {"state": source}, {"state": target}
    record(f"ticket.{target}", ("ticket", ticket_id), user=user, how=how, before=before, after=after)


@transaction.atomic
def set_approval_policy(
    *, environment: str, auto_approve_up_to: str, approval_timeout_s: int, version: int, user: User | None, how: str
) -> ApprovalPolicy:
    """Say up to which risk steps go on without asking. Raises Conflict where the policy was changed meanwhile."""
    if auto_approve_up_to not in ApprovalPolicy.UpTo.values:
        sentence = f"Choose one of {', '.join(ApprovalPolicy.UpTo.values)}; what is riskier always asks."
        raise BadInput("This cannot go on without asking.", errors={"auto_approve_up_to": sentence})
    policy, _ = ApprovalPolicy.objects.select_for_update(no_key=True).get_or_create(environment=environment)
    if policy.version != version:
        raise Conflict("Somebody changed this policy meanwhile; load it again.")
    before = {"auto_approve_up_to": policy.auto_approve_up_to, "approval_timeout_s": policy.approval_timeout_s}
    after = {"auto_approve_up_to": auto_approve_up_to, "approval_timeout_s": approval_timeout_s}
    ApprovalPolicy.objects.filter(environment=environment).update(**after, version=F("version") + 1)
    record("approval_policy.set", ("environment", environment), user=user, how=how, before=before, after=after)
    policy.refresh_from_db()
    return policy
