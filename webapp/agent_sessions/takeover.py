"""Every write about a person at the wheel: take over, drive, hand back, finish."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from sandbox import sessions as sandbox
from sandbox.contracts import storage
from sandbox.contracts.actions import Action, ActResult, Finish, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.takeover import HandEvent
from sandbox.contracts.tasks import Risk
from webapp.accounts.models import User
from webapp.agent_sessions import events
from webapp.agent_sessions.leases import show
from webapp.agent_sessions.models import OperatorInput, Session, Step
from webapp.agent_sessions.proposals import next_index
from webapp.agent_sessions.session_row import audit, held, locked, move, put, withdraw_open_steps
from webapp.agent_sessions.states import ENDED, Control, SessionState, StepState
from webapp.problems import Conflict, Forbidden
from webapp.texts import without_credentials


@transaction.atomic
def take_over(*, session_id: int, user: User, how: str) -> Session:
    """Ask for the wheel; it is given when the agent has stopped. Raises Conflict, Forbidden."""
    session = locked(session_id)
    if session.state in ENDED or session.state in (SessionState.QUEUED, SessionState.STARTING):
        raise Conflict(f"A session that is {session.state} cannot be taken over.", state=session.state)
    if session.control != Control.AGENT:
        raise Conflict(f"{session.controlled_by} has the wheel.", controlled_by=str(session.controlled_by))
    if session.ticket.filed_by_id == user.pk and _is_destructive(session):
        raise Forbidden("You filed this destructive ticket: somebody else must do it by hand.")
    withdraw_open_steps(session, reason=f"{user.username} took over")
    if session.state == SessionState.AWAITING_APPROVAL:
        move(session, SessionState.RUNNING)
    put(session, control=Control.USER_PENDING, controlled_by=user, end_reason="")
    events.wake(session_id)
    audit(session, "take_over", user=user, how=how, after={"control": Control.USER_PENDING})
    return session


@transaction.atomic
def grant_control(*, session_id: int, fence: int) -> bool:
    """The agent has stopped: the person has the wheel. False where they do not want it any more."""
    session = held(session_id, fence)
    if session.control != Control.USER_PENDING or session.state in ENDED:
        return False
    move(session, SessionState.USER_CONTROL, control=Control.USER)
    audit(session, "grant_control", user=session.controlled_by, how="host", after={"control": Control.USER})
    return True


@transaction.atomic
def hand(*, session_id: int, user: User, how: str, inputs: Sequence[HandEvent]) -> None:
    """Put what the person's hands did on its way to the browser; what they type is in no audit entry."""
    session = _driven_by(session_id, user)
    rows = [OperatorInput(session=session, user=user, data=storage.to_builtins(each)) for each in inputs]
    OperatorInput.objects.bulk_create(rows)
    events.wake(session_id)
    audit(session, "hand", user=user, how=how, after={"inputs": len(rows)})


@transaction.atomic
def finish(*, session_id: int, user: User, how: str, answer: str) -> None:
    """The person at the wheel says that the work is done; it comes after all that their hands did before."""
    session = _driven_by(session_id, user)
    OperatorInput.objects.create(session=session, user=user, data=storage.to_builtins(Finish(answer)))
    events.wake(session_id)
    audit(session, "finish", user=user, how=how, after={"answer": answer})


@transaction.atomic
def hand_back(*, session_id: int, user: User, how: str) -> Session:
    """Give the wheel back to the agent; what the person did before still happens first."""
    session = locked(session_id)
    if session.control == Control.AGENT:
        raise Conflict("The agent has the wheel already.", control=session.control)
    if session.state == SessionState.USER_CONTROL:
        move(session, SessionState.RUNNING, control=Control.AGENT, controlled_by=None)
    else:
        put(session, control=Control.AGENT, controlled_by=None)
    events.wake(session_id)
    audit(session, "hand_back", user=user, how=how, after={"control": Control.AGENT})
    return session


@transaction.atomic
def next_input(*, session_id: int, fence: int) -> tuple[User, HandEvent | Finish, Risk] | None:
    """Take the oldest input that has not gone to the browser; each goes there at most once. Raises LeaseLost.

    With it comes what it may cost: who filed the ticket destroys nothing alone, by hand no more than by approval.
    """
    session = held(session_id, fence)
    if session.state in ENDED:
        return None
    row = session.inputs.filter(consumed_at=None).select_related("user").order_by("pk").first()
    if row is None:
        return None
    OperatorInput.objects.filter(pk=row.pk).update(consumed_at=timezone.now(), data={"kind": row.data["kind"]})
    if row.data["kind"] == "finish":
        return row.user, storage.from_builtins(row.data, Finish), Risk.READ  # nothing goes to the console
    event: HandEvent = storage.from_builtins(row.data, HandEvent)
    permit = Risk.CREDENTIAL if session.ticket.filed_by_id == row.user_id else Risk.UNKNOWN
    return row.user, event, permit


@transaction.atomic
def record_demonstration(
    *,
    session_id: int,
    fence: int,
    user: User,
    seen: Observation,
    action: Action,
    risk: Risk,
    result: ActResult,
    now: Observation,
    before: str,
    after: str,
) -> None:
    """Write what a person at the wheel did as a step."""
    session = held(session_id, fence)
    at = timezone.now()
    step = Step.objects.create(
        session=session,
        index=next_index(session),
        actor="operator",
        state=StepState.DONE,
        observation=storage.to_builtins(seen),
        fingerprint=seen.fingerprint,
        risk=risk.value,
        source="user",
        decided_by=user,
        decided_at=at,
        action=storage.to_builtins(_kept(action)),
        result=storage.to_builtins(result),
        before=before,
        after=after,
        intent_at=at,
        done_at=at,
    )
    events.step_changed(session, step)
    put(session, step_count=session.step_count + 1)
    show(session, now)
    after_: dict[str, Any] = {"step": step.index, "kind": (step.action or {})["kind"], "risk": risk.value}
    audit(session, "demonstrate", user=user, how="host", after=after_)


def _kept(action: Action) -> Action:
    """An act as it is written down: an address that a person typed keeps its password to itself."""
    if isinstance(action, Type):
        return Type(action.element, without_credentials(action.text))
    return action


def _driven_by(session_id: int, user: User) -> Session:
    session = locked(session_id)
    if session.control != Control.USER or session.controlled_by_id != user.pk:
        who = session.controlled_by.username if session.controlled_by else "the agent"
        raise Conflict(f"You do not have the wheel; {who} has.", control=session.control)
    return session


def _is_destructive(session: Session) -> bool:
    return bool(session.ticket.template) and sandbox.template(session.ticket.template).risk == Risk.DESTRUCTIVE
