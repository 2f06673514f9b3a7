"""Every write about sessions as wholes: file, queue, pause, stop, end; other nouns have files of their own."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.tasks import Task, Verification
from webapp.accounts.models import User
from webapp.agent_sessions import events, packing
from webapp.agent_sessions.models import Session, SessionEvent
from webapp.agent_sessions.proposals import next_index
from webapp.agent_sessions.session_row import (
    audit,
    end,
    held,
    locked,
    move,
    open_sessions,
    put,
    withdraw_open_steps,
)
from webapp.agent_sessions.states import ENDED, Control, ReviewState, SessionState
from webapp.problems import Conflict, NotFound
from webapp.rollouts.queries import assignment
from webapp.tickets import actions as tickets
from webapp.tickets.models import Ticket
from webapp.tickets.queries import approval_policy
from webapp.tickets.states import TicketState

ALL_REFUSED = (
    "All that the policy proposes on this page was refused: "
    "take over to do this step by hand, or resume to be asked about it again."
)


@transaction.atomic
def file_ticket(
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
    """Open a ticket and queue its first session; the same idempotency key gives the same ticket.

    Raises BadInput with a sentence for each field that is wrong.
    """
    ticket = tickets.open_ticket(
        user=user,
        how=how,
        environment=environment,
        template=template,
        parameters=parameters or {},
        text=text,
        title=title,
        priority=priority,
        idempotency_key=idempotency_key,
    )
    if not ticket.sessions.exists():
        queue_session(ticket=ticket, user=user, how=how)
    return ticket


@transaction.atomic
def queue_session(*, ticket: Ticket, user: User, how: str) -> Session:
    """Put one more attempt at a ticket in the queue."""
    last = ticket.sessions.aggregate(last=Max("attempt"))["last"] or 0
    session = Session.objects.create(ticket=ticket, attempt=last + 1, task=storage.to_builtins(_task(ticket)))
    events.session_changed(session, "state")
    events.lists_changed("tickets")
    events.wake(session.pk)
    audit(session, "queue", user=user, how=how, after={"ticket": ticket.pk, "attempt": session.attempt})
    return session


@transaction.atomic
def cancel_ticket(*, ticket_id: int, user: User, how: str) -> Ticket:
    """Stop whatever works on a ticket and close it. Raises Conflict where it is closed already, or was just re-run."""
    stopped = open_sessions(ticket_id)
    for session in stopped:
        end(
            session,
            SessionState.CANCELLED,
            reason=f"{user.username} cancelled the ticket",
            user=user,
            how=how,
            ticket_state=TicketState.CANCELLED,
        )
    if not stopped:
        tickets.move(ticket_id=ticket_id, source=TicketState.OPEN, target=TicketState.CANCELLED, user=user, how=how)
    if Session.objects.filter(ticket_id=ticket_id).exclude(state__in=ENDED).exists():
        raise Conflict("Somebody re-ran this ticket at the same moment; look again.")
    return Ticket.objects.select_related("filed_by").get(pk=ticket_id)


@transaction.atomic
def rerun_ticket(*, ticket_id: int, user: User, how: str) -> Session:
    """Try a ticket once more. Raises Conflict while an attempt is under way."""
    ticket = (
        Ticket.objects.select_for_update(no_key=True, of=("self",))
        .select_related("filed_by")
        .filter(pk=ticket_id)
        .first()
    )
    if ticket is None:
        raise NotFound(f"There is no ticket {ticket_id}.")
    under_way = ticket.sessions.exclude(state__in=ENDED).first()
    if under_way is not None:
        raise Conflict(f"Session {under_way.pk} is still at work on this ticket.", session_id=under_way.pk)
    if ticket.state != TicketState.OPEN:
        tickets.move(ticket_id=ticket_id, source=TicketState(ticket.state), target=TicketState.OPEN, user=user, how=how)
    return queue_session(ticket=ticket, user=user, how=how)


@transaction.atomic
def pause(*, session_id: int, user: User | None, how: str, reason: str = "") -> Session:
    """Let nothing more happen until resumed; an open question is withdrawn and asked again then."""
    session = locked(session_id)
    withdraw_open_steps(session, reason="paused")
    move(session, SessionState.PAUSED, end_reason=reason or f"paused by {user.username if user else 'the host'}")
    events.wake(session_id)
    audit(session, "pause", user=user, how=how, after={"state": session.state, "reason": session.end_reason})
    return session


@transaction.atomic
def pause_held(*, session_id: int, fence: int, reason: str) -> None:
    """The host cannot go on without a person, for a reason that tells them how to."""
    _pause_held(held(session_id, fence), reason)


@transaction.atomic
def pause_refused(*, session_id: int, fence: int) -> None:
    """Nothing is left to propose on this page. Who resumes wants to be asked again, so the refusals are spent."""
    session = held(session_id, fence)
    _pause_held(session, ALL_REFUSED)
    Session.objects.filter(pk=session_id).update(refusals_from=next_index(session))


def _pause_held(session: Session, reason: str) -> None:
    if session.state in (SessionState.RUNNING, SessionState.AWAITING_APPROVAL) and session.control == Control.AGENT:
        withdraw_open_steps(session, reason=reason)
        move(session, SessionState.PAUSED, end_reason=reason)
        audit(session, "pause", user=None, how="host", after={"state": session.state, "reason": reason})


@transaction.atomic
def resume(*, session_id: int, user: User, how: str) -> Session:
    """Go on; a session that had no policy gets one if policies may act again."""
    session = locked(session_id)
    if session.state != SessionState.PAUSED:
        raise Conflict(f"This session is {session.state}, not paused.", state=session.state)
    fields: dict[str, Any] = {"end_reason": ""}
    if session.policy_version is None:
        chosen = assignment(session.ticket_id)
        fields |= {"policy_version": chosen.policy, "arm": chosen.arm}
        Session.objects.filter(pk=session_id).update(rollout=chosen.rollout)
    move(session, SessionState.RUNNING, **fields)
    events.wake(session_id)
    audit(session, "resume", user=user, how=how, after={"state": session.state})
    return session


@transaction.atomic
def stop(*, session_id: int, user: User, how: str, reason: str = "") -> Session:
    """End a session now; the host that holds it shuts its browser."""
    session = locked(session_id)
    if session.state in ENDED:
        raise Conflict(f"This session has ended already ({session.state}).", state=session.state)
    end(session, SessionState.CANCELLED, reason=reason or f"stopped by {user.username}", user=user, how=how)
    return session


@transaction.atomic
def end_held(
    *,
    session_id: int,
    fence: int,
    state: SessionState,
    reason: str,
    verification: Verification | None = None,
    answer: str = "",
) -> bool:
    """The host ends its session; False where a person was faster. Raises LeaseLost."""
    session = held(session_id, fence)
    if session.state in ENDED:
        return False
    end(session, state, reason=reason, user=None, how="host", verification=verification, answer=answer)
    return True


@transaction.atomic
def wind_up(*, session_id: int, fence: int) -> None:
    """Pack an ended session into object storage and forget its browser, which is closed."""
    session = held(session_id, fence)
    Session.objects.filter(pk=session_id).update(handle=None, lease_holder="", lease_expires_at=None)
    # A reviewer may have been faster: what they accepted is packed already, with their verdict.
    if packing.done_steps(session).exists() and session.review_state != ReviewState.ACCEPTED:
        put(session, trajectory_hash=packing.store(session))
        audit(session, "pack", user=None, how="host", after={"trajectory": session.trajectory_hash})


@transaction.atomic
def end_abandoned(*, session_id: int) -> bool:
    """End a session that waits at a person's wheel, or paused, and heard nothing for the approval time-out."""
    session = locked(session_id)
    if session.state not in (SessionState.PAUSED, SessionState.USER_CONTROL):
        return False
    policy = approval_policy(session.ticket.environment)
    last = SessionEvent.objects.filter(session=session, seq=session.event_seq).first()
    idle_s = (timezone.now() - last.at).total_seconds() if last else 0.0
    if idle_s < policy.approval_timeout_s:
        return False
    end(session, SessionState.TIMED_OUT, reason="nobody went on with it", user=None, how="celery")
    return True


def _task(ticket: Ticket) -> Task:
    return tickets.task_of(
        environment=ticket.environment,
        template=ticket.template,
        parameters=ticket.parameters,
        text=ticket.text,
        seed=ticket.seed,
    )
