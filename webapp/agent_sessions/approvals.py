"""Every write about an open question: claim it, let go of it, decide it."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Risk
from sandbox.risk import classify, riskier
from webapp import crashpoints
from webapp.accounts.models import Role, User
from webapp.agent_sessions import events
from webapp.agent_sessions.corrections import objection
from webapp.agent_sessions.models import ApprovalRequest, Session, Step
from webapp.agent_sessions.proposals import MAX_REJECTIONS
from webapp.agent_sessions.session_row import audit, close_approval, end, locked, move, put_step
from webapp.agent_sessions.situation import learnt_risk
from webapp.agent_sessions.states import ApprovalState, SessionState, StepState
from webapp.problems import BadInput, Conflict, Forbidden, NotFound

CLAIM_S = 60
_FOUR_EYES = (Risk.DESTRUCTIVE, Risk.UNKNOWN)  # unknown may well be destructive


def blocked_reason(user: User, session: Session, risk: str) -> str:
    """Why this person may not decide such a step; "" where they may."""
    if not user.is_at_least(Role.REVIEWER):
        return "Deciding needs the role reviewer."
    if risk in _FOUR_EYES and session.ticket.filed_by_id == user.pk:
        return "You filed this ticket: somebody else must decide a step that may destroy."
    return ""


@transaction.atomic
def claim_approval(*, approval_id: int, user: User, how: str) -> ApprovalRequest:
    """Tell others that this person is at it, for a minute. Raises Conflict while somebody else is."""
    session, approval = _locked(approval_id)
    _must_be_open(approval)
    now = timezone.now()
    if approval.claimed_by not in (None, user) and approval.claimed_until and approval.claimed_until > now:
        raise Conflict(
            f"{approval.claimed_by} is at it.",
            claimed_by=str(approval.claimed_by),
            claimed_until=approval.claimed_until.isoformat(),
        )
    return _put_claim(session, approval, user, now + timedelta(seconds=CLAIM_S), user=user, how=how)


@transaction.atomic
def release_approval(*, approval_id: int, user: User, how: str) -> ApprovalRequest:
    """Let others have it; harmless where this person does not hold it."""
    session, approval = _locked(approval_id)
    if approval.claimed_by != user or approval.state != ApprovalState.PENDING:
        return approval
    return _put_claim(session, approval, None, None, user=user, how=how)


def _put_claim(
    session: Session, approval: ApprovalRequest, holder: User | None, until: datetime | None, *, user: User, how: str
) -> ApprovalRequest:
    ApprovalRequest.objects.filter(pk=approval.pk).update(claimed_by=holder, claimed_until=until)
    approval.claimed_by, approval.claimed_until = holder, until
    events.approval_changed(session, approval)
    events.lists_changed("approvals")
    verb = "claim_approval" if holder else "release_approval"
    audit(session, verb, user=user, how=how, after={"proposal_id": str(approval.step.proposal_id)})
    return approval


@transaction.atomic
def decide(
    *,
    session_id: int,
    proposal_id: str,
    fingerprint: str,
    decision: str,
    user: User,
    how: str,
    action: Action | None = None,
    reason: str = "",
) -> Step:
    """Answer the question about one proposal on one page; the first answer counts.

    Raises Conflict with who decided, when and what, or that the page has changed; Forbidden for the filer of a
    destructive step; BadInput where a correction makes no sense on that page.
    """
    session = locked(session_id)
    step = session.steps.select_related("decided_by", "approval").filter(proposal_id=proposal_id).first()
    if step is None:
        raise NotFound("There is no such proposal in this session.")
    if step.fingerprint != fingerprint:
        raise Conflict("The page has changed since; look again.", decision=step.decision)
    if step.state != StepState.PROPOSED:
        raise _lost_race(step)
    before = {"action": step.action, "risk": step.risk}
    match decision:
        case "approved":
            _allow(session, step, user=user, fields={"decision": "approved", "reason": reason})
        case "corrected":
            _allow(session, step, user=user, fields={**_correction(step, action), "reason": reason})
        case "rejected":
            _reject(session, step, user=user, reason=reason)
        case _:
            raise BadInput("No such decision.", errors={"decision": "One of approved, corrected, rejected."})
    events.wake(session_id)
    if decision == "rejected" and _rejections(session) >= MAX_REJECTIONS:
        end(session, SessionState.REJECTED, reason=f"{MAX_REJECTIONS} proposals were rejected", user=user, how=how)
    after = {"proposal_id": proposal_id, "decision": decision, "action": step.action, "risk": step.risk}
    audit(session, "decide", user=user, how=how, before=before, after={**after, "reason": reason})
    crashpoints.reach("decide_before_commit")
    return step


def _allow(session: Session, step: Step, *, user: User, fields: dict[str, Any]) -> None:
    for risk in {step.risk, fields.get("risk", step.risk)}:
        if why := blocked_reason(user, session, risk):
            raise Forbidden(why)
    put_step(
        session, step, state=StepState.DECIDED, source="user", decided_by=user, decided_at=timezone.now(), **fields
    )
    close_approval(session, ApprovalState(fields["decision"]), user=user)
    move(session, SessionState.RUNNING)


def _reject(session: Session, step: Step, *, user: User, reason: str) -> None:
    if why := blocked_reason(user, session, step.risk):
        raise Forbidden(why)
    put_step(
        session,
        step,
        state=StepState.WITHDRAWN,
        decision="rejected",
        source="user",
        decided_by=user,
        decided_at=timezone.now(),
        reason=reason,
    )
    close_approval(session, ApprovalState.REJECTED, user=user)
    move(session, SessionState.RUNNING)


def _correction(step: Step, action: Action | None) -> dict[str, Any]:
    if action is None:
        raise BadInput("A correction names the action to do instead.", errors={"action": "Choose an action."})
    observation: Observation = storage.from_builtins(step.observation, Observation)
    if why := objection(action, observation):
        raise BadInput(why, errors={"action": why})
    return {
        "decision": "corrected",
        "actor": "operator",
        "action": storage.to_builtins(action),
        "risk": riskier(classify(action, observation), learnt_risk(step.session_id, action, observation)).value,
    }


def _rejections(session: Session) -> int:
    return session.steps.filter(decision="rejected").count()


def _lost_race(step: Step) -> Conflict:
    if step.state == StepState.WITHDRAWN and step.decided_by is None:
        return Conflict(f"This question is closed: {step.reason}.", decided_by="", decision=step.decision)
    by = step.decided_by.username if step.decided_by else ""
    at = step.decided_at.isoformat() if step.decided_at else None
    what = step.decision or step.state
    return Conflict(
        f"{by or 'The approval policy'} was faster: {what}.", decided_by=by, decided_at=at, decision=step.decision
    )


def _locked(approval_id: int) -> tuple[Session, ApprovalRequest]:
    session_id = ApprovalRequest.objects.filter(pk=approval_id).values_list("session_id", flat=True).first()
    if session_id is None:
        raise NotFound(f"There is no approval {approval_id}.")
    session = locked(session_id)
    rows = ApprovalRequest.objects.select_related("step__decided_by", "session__ticket__filed_by", "claimed_by")
    return session, rows.get(pk=approval_id)


def _must_be_open(approval: ApprovalRequest) -> None:
    if approval.state != ApprovalState.PENDING:
        raise _lost_race(approval.step)
