"""A session as live pages see it; events are cut from the same cloth, so that the fold equals the snapshot."""

from typing import Any

from sandbox.contracts import storage
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Element, Observation
from webapp.agent_sessions.models import ApprovalRequest, LabelMark, Session, Step
from webapp.agent_sessions.schemas import (
    ApprovalView,
    Mark,
    PageView,
    SessionChange,
    SessionSnapshot,
    StepView,
    Target,
    TicketRef,
)
from webapp.agent_sessions.states import ApprovalState
from webapp.agent_sessions.words import in_words
from webapp.tickets.models import Ticket

EMPTY_PAGE = PageView(elements=[], url="", title="", viewport=(1280, 720), fingerprint="")


def ticket_ref(ticket: Ticket) -> TicketRef:
    """How a session names its ticket."""
    return TicketRef(id=ticket.pk, title=ticket.title, filed_by=ticket.filed_by.username)


def change(session: Session) -> SessionChange:
    """What `session_changed` carries."""
    return SessionChange.model_validate(
        {
            "state": session.state,
            "control": session.control,
            "controlled_by": _name(session.controlled_by),
            "policy": session.policy_version.name if session.policy_version else "",
            "arm": session.arm,
            "step_count": session.step_count,
            "outcome": session.outcome,
            "verification": session.verification,
            "answer": session.answer,
            "verdict": session.verdict,
            "review_state": session.review_state,
            "reviewed_by": _name(session.reviewed_by),
            "review_note": session.review_note,
            "trajectory_hash": session.trajectory_hash,
            "started_at": session.started_at,
            "ended_at": session.ended_at,
            "end_reason": session.end_reason,
        }
    )


def page(session: Session) -> PageView:
    """What `page_changed` carries."""
    if session.observation is None:
        return EMPTY_PAGE
    seen = session.observation
    return PageView.model_validate({key: seen[key] for key in PageView.model_fields})


def step_view(step: Step) -> StepView:
    """One step; its labels are read from the rows."""
    observation: Observation = storage.from_builtins(step.observation, Observation)
    shown = step.action or (step.proposal or {}).get("action")
    action: Action | None = None if shown is None else storage.from_builtins(shown, Action)
    element = None if action is None else observation.element(getattr(action, "element", -1))
    took_ms = None if not (step.intent_at and step.done_at) else (step.done_at - step.intent_at).total_seconds() * 1000
    return StepView.model_validate(
        {
            "id": step.pk,
            "index": step.index,
            "proposal_id": str(step.proposal_id),
            "fingerprint": step.fingerprint,
            "actor": step.actor,
            "state": step.state,
            "risk": step.risk,
            "proposal": step.proposal,
            "decision": step.decision,
            "source": step.source,
            "decided_by": _name(step.decided_by),
            "decided_at": step.decided_at,
            "reason": step.reason,
            "action": step.action,
            "target": None if element is None else _target(element),
            "summary": "" if action is None else in_words(action, observation),
            "result": step.result,
            "before": step.before,
            "after": step.after,
            "proposed_at": step.proposed_at,
            "done_at": step.done_at,
            "duration_ms": None if took_ms is None else round(took_ms),
            "labels": sorted(mark.label.key for mark in step.marks.all()),
        }
    )


def _target(element: Element) -> Target:
    plain = {name: getattr(element, name) for name in ("ref", "role", "name")}
    return Target.model_validate({**plain, "box": storage.to_builtins(element.box)})


def approval_view(approval: ApprovalRequest) -> ApprovalView:
    """One question, as everybody sees it; `blocked_reason` is filled in for the one who asks."""
    step = approval.step
    ticket = approval.session.ticket
    observation: Observation = storage.from_builtins(step.observation, Observation)
    action: Action = storage.from_builtins(step.action, Action)
    return ApprovalView(
        id=approval.pk,
        session_id=approval.session_id,
        step_id=step.pk,
        proposal_id=str(step.proposal_id),
        fingerprint=step.fingerprint,
        state=_state(approval),
        risk=step.risk,
        asked_at=approval.asked_at,
        due_at=approval.due_at,
        claimed_by=_name(approval.claimed_by),
        claimed_until=approval.claimed_until,
        summary=in_words(action, observation),
        ticket=ticket_ref(ticket),
        environment=ticket.environment,
    )


def open_approval(session_id: int) -> ApprovalView | None:
    """The question that waits for an answer, if any."""
    row = (
        ApprovalRequest.objects.filter(session_id=session_id, state=ApprovalState.PENDING)
        .select_related("step", "session__ticket__filed_by", "claimed_by")
        .first()
    )
    return None if row is None else approval_view(row)


def marks(session_id: int) -> list[Mark]:
    """The labels on a session and its steps, oldest first."""
    rows = LabelMark.objects.filter(session_id=session_id).select_related("label", "step", "by").order_by("id")
    return [
        Mark(
            id=row.pk,
            label=row.label.key,
            severity=row.label.severity,
            step_id=row.step_id,
            step_index=row.step.index if row.step else None,
            by=row.by.username,
            note=row.note,
            at=row.at,
        )
        for row in rows
    ]


def snapshot(session: Session) -> SessionSnapshot:
    """Everything; read it inside a transaction of its own with the row locked or in REPEATABLE READ."""
    approval = open_approval(session.pk)
    steps = session.steps.select_related("decided_by").prefetch_related("marks__label").order_by("index")
    return SessionSnapshot.model_validate(
        {
            **change(session).model_dump(),
            **page(session).model_dump(),
            "id": session.pk,
            "seq": session.event_seq,
            "ticket": ticket_ref(session.ticket).model_dump(),
            "attempt": session.attempt,
            "environment": session.ticket.environment,
            "template": session.ticket.template,
            "goal": session.task["goal"],
            "max_steps": session.task["max_steps"],
            "created_at": session.created_at,
            "steps": [step_view(step).model_dump() for step in steps],
            "approval": None if approval is None else approval.model_dump(),
            "marks": [mark.model_dump() for mark in marks(session.pk)],
        }
    )


def _state(approval: ApprovalRequest) -> Any:
    return ApprovalState(approval.state).value


def _name(user: Any) -> str:
    return user.username if user is not None else ""
