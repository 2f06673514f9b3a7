"""What live pages and session hosts hear: numbered rows in the transaction, hints after it."""

import json
from typing import Any

from django.db import connection
from django.db.models import F

from webapp.agent_sessions import snapshot
from webapp.agent_sessions.models import ApprovalRequest, Session, SessionEvent, Step
from webapp.hints import after_commit, lists_changed

__all__ = [
    "approval_changed",
    "lists_changed",
    "marks_changed",
    "page_changed",
    "session_changed",
    "step_changed",
    "wake",
]


def wake(session_id: int) -> None:
    """Tell the hosts, when this transaction commits, that something happened to a session."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify('belay', %s)", [json.dumps({"session": session_id})])


def session_changed(session: Session, *fields: str) -> None:
    """Say which of the session's own fields are new."""
    _append(session, "session_changed", snapshot.change(session).model_dump(mode="json", include=set(fields)))


def page_changed(session: Session) -> None:
    """Say what the page looks like now."""
    _append(session, "page_changed", snapshot.page(session).model_dump(mode="json"))


def step_changed(session: Session, step: Step) -> None:
    """Say how a step is now."""
    _append(session, "step_changed", {"step": snapshot.step_view(step).model_dump(mode="json")})


def approval_changed(session: Session, approval: ApprovalRequest | None) -> None:
    """Say which question is open now, if any."""
    view = None if approval is None else snapshot.approval_view(approval).model_dump(mode="json")
    _append(session, "approval_changed", {"approval": view})


def marks_changed(session: Session) -> None:
    """Say which labels there are now."""
    _append(session, "marks_changed", {"marks": [mark.model_dump(mode="json") for mark in snapshot.marks(session.pk)]})


def _append(session: Session, kind: str, data: dict[str, Any]) -> None:
    """Number the event; the caller holds the session's row lock."""
    Session.objects.filter(pk=session.pk).update(event_seq=F("event_seq") + 1)
    session.event_seq += 1
    SessionEvent.objects.create(session=session, seq=session.event_seq, kind=kind, data=data)
    hint = {"type": "session.hint", "seq": session.event_seq}
    after_commit(f"session.{session.pk}", hint)
