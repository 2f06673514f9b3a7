"""Taking a decision back, for as long as nothing was done because of it."""

from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.agent_sessions import events
from webapp.agent_sessions.models import ApprovalRequest, Session, Step
from webapp.agent_sessions.session_row import audit, locked, move, put_step, withdraw_open_steps
from webapp.agent_sessions.states import ENDED, ApprovalState, SessionState, StepState
from webapp.problems import Conflict, Forbidden, NotFound

UNDO_S = 6.0  # five seconds on the page and one for the way


@transaction.atomic
def take_back(*, session_id: int, proposal_id: str, user: User, how: str) -> Step:
    """Make a decision of this person's void, so that the question is asked again.

    Raises Forbidden where somebody else decided, and Conflict where it is too late: the act is under way, the next
    step was decided, the session has ended, or more than `UNDO_S` have gone by.
    """
    session = locked(session_id)
    step = session.steps.select_related("decided_by").filter(proposal_id=proposal_id).first()
    if step is None:
        raise NotFound("There is no such proposal in this session.")
    if step.decided_by_id != user.pk or step.decided_at is None:
        raise Forbidden("Only who decided a step may take that back.")
    if why := _too_late(session, step):
        raise Conflict(why, decision=step.decision)
    before = {"decision": step.decision, "state": step.state}
    withdraw_open_steps(session, reason="an earlier decision was taken back")
    if session.state == SessionState.AWAITING_APPROVAL:
        move(session, SessionState.RUNNING)
    put_step(session, step, state=StepState.WITHDRAWN, decision="cancelled", reason=f"taken back by {user.username}")
    ApprovalRequest.objects.filter(step=step).update(
        state=ApprovalState.CANCELLED, decided_by=user, decided_at=timezone.now()
    )
    events.wake(session_id)
    after = {"proposal_id": proposal_id, "decision": step.decision, "state": step.state}
    audit(session, "undo", user=user, how=how, before=before, after=after)
    return step


def _too_late(session: Session, step: Step) -> str:
    """Why a decision stands; "" where it can be taken back."""
    if session.state in ENDED:
        return f"This session has ended ({session.state})."
    is_rejected = step.state == StepState.WITHDRAWN and step.decision == "rejected"
    if step.state != StepState.DECIDED and not is_rejected:
        return "It is being carried out already, or was taken back."
    if session.steps.filter(index__gt=step.index).exclude(state__in=[StepState.PROPOSED, StepState.WITHDRAWN]).exists():
        return "The next step was decided already."
    if step.decided_at is None or (timezone.now() - step.decided_at).total_seconds() > UNDO_S:
        return "Too much time has gone by."
    return ""
