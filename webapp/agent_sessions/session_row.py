"""What every write on a session shares: its row lock, its legal moves, its end."""

from typing import Any

from django.db.models import Q
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome, Verification
from webapp.accounts.models import User
from webapp.agent_sessions import events
from webapp.agent_sessions.models import ApprovalRequest, Session, Step
from webapp.agent_sessions.schemas import SessionChange
from webapp.agent_sessions.states import (
    ENDED,
    TRANSITIONS,
    ApprovalState,
    Control,
    ReviewState,
    SessionState,
    StepState,
)
from webapp.audit.actions import record
from webapp.problems import Conflict, NotFound
from webapp.rollouts.actions import record_result
from webapp.tickets import actions as tickets
from webapp.tickets.states import TicketState


class LeaseLost(Exception):
    """Another host holds this session now; nothing of this one's is written."""


class Interrupted(Exception):
    """A person paused, stopped or took over, or policies were switched off: do not act."""


def locked(session_id: int) -> Session:
    """The session with its row locked: everything about one session happens one after the other.

    Locks on rows leave their keys alone: whoever writes a row that refers to this one (an audit entry, a result)
    need not wait, and two who hold a row and the chain's lock do not wait for each other.
    """
    # Two queries: one that waits and joins gives the row as it is after the wait, and who it refers to as before it.
    if not Session.objects.select_for_update(no_key=True).filter(pk=session_id).values_list("pk"):
        raise NotFound(f"There is no session {session_id}.")
    rows = Session.objects.select_related("ticket__filed_by", "policy_version", "controlled_by", "reviewed_by")
    return rows.get(pk=session_id)


def held(session_id: int, fence: int) -> Session:
    """The session locked for the host that holds it. Raises LeaseLost."""
    session = locked(session_id)
    if session.fence != fence:
        raise LeaseLost(f"session {session_id}: fence {fence} is not {session.fence}")
    return session


def put(session: Session, **fields: Any) -> None:
    """Write columns of a locked session and tell live pages about those they show."""
    Session.objects.filter(pk=session.pk).update(**fields)
    for name, value in fields.items():
        setattr(session, name, value)
    shown = {"policy" if name == "policy_version" else name for name in fields} & SessionChange.model_fields.keys()
    if shown:
        events.session_changed(session, *sorted(shown))


def move(session: Session, target: SessionState, **fields: Any) -> None:
    """Bring a locked session into another state. Raises Conflict where that is no legal move."""
    if target not in TRANSITIONS[SessionState(session.state)]:
        raise Conflict(f"A session that is {session.state} cannot become {target}.", state=session.state)
    put(session, state=target, **fields)


def put_step(session: Session, step: Step, **fields: Any) -> None:
    """Write columns of a step of a locked session and tell live pages."""
    Step.objects.filter(pk=step.pk).update(**fields)
    for name, value in fields.items():
        setattr(step, name, value)
    events.step_changed(session, step)


def withdraw_open_steps(session: Session, *, reason: str) -> None:
    """Nothing proposed or decided so far may be carried out any more; an open question is closed as cancelled."""
    for step in session.steps.filter(state__in=[StepState.PROPOSED, StepState.DECIDED]).order_by("index"):
        decided: dict[str, Any] = {}
        if step.state == StepState.PROPOSED:
            decided = {"decision": "cancelled", "decided_at": timezone.now()}
        put_step(session, step, state=StepState.WITHDRAWN, reason=step.reason or reason, **decided)
    close_approval(session, ApprovalState.CANCELLED)


def close_approval(session: Session, state: ApprovalState, *, user: User | None = None) -> None:
    """Close the open question, if there is one."""
    closed = ApprovalRequest.objects.filter(session=session, state=ApprovalState.PENDING).update(
        state=state, decided_by=user, decided_at=timezone.now()
    )
    if closed:
        events.approval_changed(session, None)
        events.lists_changed("approvals")


def audit(
    session: Session,
    verb: str,
    *,
    user: User | None,
    how: str,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
) -> None:
    """One entry about a session; write it last, because it holds the chain's lock until commit."""
    record(f"session.{verb}", ("session", session.pk), user=user, how=how, before=before, after=after)


def end(
    session: Session,
    state: SessionState,
    *,
    reason: str,
    user: User | None,
    how: str,
    verification: Verification | None = None,
    answer: str = "",
    ticket_state: TicketState | None = None,
) -> None:
    """End a locked session: nothing open is left, the ticket follows, the rollout counts it."""
    before = {"state": session.state}
    withdraw_open_steps(session, reason=reason)
    started = session.started_at is not None
    found = verification or Verification(Outcome.UNVERIFIED)
    # A cancelled session taught nobody anything; all others are judged, if anything was done in them.
    to_judge = state != SessionState.CANCELLED and session.step_count > 0
    move(
        session,
        state,
        control=Control.AGENT,
        controlled_by=None,
        outcome=found.outcome.value if started else "",
        verification=storage.to_builtins(verification) if verification else None,
        answer=answer,
        review_state=ReviewState.WAITING if to_judge else ReviewState.NONE,
        ended_at=timezone.now(),
        end_reason=reason,
    )
    succeeded = state == SessionState.COMPLETED and found.outcome != Outcome.FAILED
    target = ticket_state or (TicketState.DONE if succeeded else TicketState.FAILED)
    if session.ticket.state == TicketState.OPEN:
        tickets.move(ticket_id=session.ticket_id, source=TicketState.OPEN, target=target, user=user, how=how)
    _count(session)
    events.lists_changed("tickets", "review")
    events.wake(session.pk)
    audit(session, "end", user=user, how=how, before=before, after={"state": state, "outcome": session.outcome})


def _count(session: Session) -> None:
    if session.rollout_id is None or session.ended_at is None:
        return
    record_result(
        rollout_id=session.rollout_id,
        session_id=session.pk,
        arm=session.arm,
        outcome=session.outcome or Outcome.UNVERIFIED.value,
        end_state=session.state,
        steps=session.step_count,
        corrections=session.steps.filter(decision="corrected").count(),
        takeovers=session.events.filter(kind="session_changed", data__control=Control.USER.value).count(),
        ended_at=session.ended_at,
    )


def open_sessions(ticket_id: int) -> list[Session]:
    """The locked sessions of a ticket that have not ended."""
    ids = Session.objects.filter(~Q(state__in=ENDED), ticket_id=ticket_id).order_by("pk").values_list("pk", flat=True)
    return [session for session in map(locked, ids) if session.state not in ENDED]
