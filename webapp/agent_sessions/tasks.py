"""Celery's entries: what happens to sessions when nobody does anything."""

from celery import shared_task
from django.utils import timezone

from webapp.agent_sessions import actions, proposals
from webapp.agent_sessions.models import ApprovalRequest, Session
from webapp.agent_sessions.states import ApprovalState, SessionState


@shared_task
def expire_overdue() -> int:
    """Close questions that nobody answered in time, and sessions that nobody went on with; returns how many."""
    overdue = ApprovalRequest.objects.filter(state=ApprovalState.PENDING, due_at__lte=timezone.now())
    expired = sum(proposals.expire_approval(approval_id=pk) for pk in overdue.values_list("pk", flat=True))
    idle = Session.objects.filter(state__in=[SessionState.PAUSED, SessionState.USER_CONTROL])
    return expired + sum(actions.end_abandoned(session_id=pk) for pk in idle.values_list("pk", flat=True))
