"""Every write about a step by a policy: propose, ask, intend, finish, and what is left uncertain."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import Risk
from webapp.agent_sessions import events
from webapp.agent_sessions.leases import show
from webapp.agent_sessions.models import ApprovalRequest, Session, Step
from webapp.agent_sessions.session_row import (
    Interrupted,
    audit,
    close_approval,
    end,
    held,
    locked,
    move,
    put,
    put_step,
    withdraw_open_steps,
)
from webapp.agent_sessions.states import ApprovalState, Control, SessionState, StepState
from webapp.rollouts.queries import human_only
from webapp.tickets.models import ApprovalPolicy
from webapp.tickets.queries import approval_policy

MAX_REJECTIONS = 3
HOST_ENDED = "the host ended while it was carried out"
_NEVER_AUTOMATIC = (Risk.CREDENTIAL, Risk.DESTRUCTIVE, Risk.UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """A step that was written; `ask`: a person decides."""

    step_id: int
    ask: bool


def must_ask(action: Action, risk: Risk, up_to: str) -> bool:
    """Whether an approval policy leaves this action to a person.

    The end cannot be taken back, so finishing counts as more than reading, and giving up is always asked.
    """
    if isinstance(action, GiveUp) or risk in _NEVER_AUTOMATIC or up_to == ApprovalPolicy.UpTo.NOTHING:
        return True
    rank = max(risk.rank, Risk.REVERSIBLE.rank) if isinstance(action, Finish) else risk.rank
    return rank > Risk(up_to).rank


@transaction.atomic
def propose(
    *,
    session_id: int,
    fence: int,
    observation: Observation,
    proposal: Proposal,
    risk: Risk,
    before: str,
    ask: bool = False,
) -> Proposed:
    """Write a proposal, with the approval policy's yes or a question to people. Raises Interrupted, LeaseLost."""
    session = _acting(session_id, fence)
    show(session, observation)
    policy = approval_policy(session.ticket.environment)
    asked = ask or must_ask(proposal.action, risk, policy.auto_approve_up_to)
    decided: dict[str, Any] = {}
    if not asked:
        decided = {"decision": "approved", "source": "auto_policy", "decided_at": timezone.now()}
    step = Step.objects.create(
        session=session,
        index=next_index(session),
        actor="oracle" if proposal.policy == "oracle" else "policy",
        state=StepState.PROPOSED if asked else StepState.DECIDED,
        observation=storage.to_builtins(observation),
        fingerprint=observation.fingerprint,
        proposal=storage.to_builtins(proposal),
        risk=risk.value,
        action=storage.to_builtins(proposal.action),
        before=before,
        **decided,
    )
    events.step_changed(session, step)
    if asked:
        _ask(session, step, risk, policy.approval_timeout_s)
    audit(session, "propose", user=None, how="host", after=_after(step))
    return Proposed(step_id=step.pk, ask=asked)


def _ask(session: Session, step: Step, risk: Risk, timeout_s: int) -> None:
    approval = ApprovalRequest.objects.create(
        step=step, session=session, risk_rank=risk.rank, due_at=timezone.now() + timedelta(seconds=timeout_s)
    )
    move(session, SessionState.AWAITING_APPROVAL)
    events.approval_changed(session, approval)
    events.lists_changed("approvals")


@transaction.atomic
def supersede(*, session_id: int, fence: int, step_id: int, observation: Observation) -> bool:
    """The page changed under a proposal: withdraw it. False where a person decided it or stepped in meanwhile."""
    session = held(session_id, fence)
    step = Step.objects.get(pk=step_id, session=session)
    if step.state not in (StepState.PROPOSED, StepState.DECIDED) or session.control != Control.AGENT:
        return False
    if session.state == SessionState.AWAITING_APPROVAL:
        move(session, SessionState.RUNNING)
    withdraw_open_steps(session, reason="the page changed before it was carried out")
    show(session, observation)
    audit(session, "supersede", user=None, how="host", after=_after(step))
    return True


@transaction.atomic
def begin_intent(*, session_id: int, fence: int, step_id: int) -> Step:
    """Commit to carrying a decided step out, once. Raises Interrupted, LeaseLost."""
    session = _acting(session_id, fence)
    changed = Step.objects.filter(pk=step_id, session=session, state=StepState.DECIDED).update(
        state=StepState.INTENT, intent_at=timezone.now()
    )
    if changed != 1:
        raise Interrupted(f"step {step_id} is not to be carried out")
    step = Step.objects.select_related("decided_by").get(pk=step_id)
    events.step_changed(session, step)
    audit(session, "intend", user=None, how="host", after=_after(step))
    return step


@transaction.atomic
def finish_act(
    *, session_id: int, fence: int, step_id: int, result: ActResult, observation: Observation, after: str
) -> None:
    """Write what came of a step that was carried out; also after a stop, because it happened."""
    session = held(session_id, fence)
    step = Step.objects.select_related("decided_by").get(pk=step_id, session=session, state=StepState.INTENT)
    put_step(
        session, step, state=StepState.DONE, result=storage.to_builtins(result), after=after, done_at=timezone.now()
    )
    put(session, step_count=session.step_count + 1)
    show(session, observation)
    audit(session, "act", user=None, how="host", after={**_after(step), "result": result.outcome})


@transaction.atomic
def mark_uncertain(*, session_id: int, fence: int) -> int | None:
    """After a crash: a step that was intended and never finished may or may not have happened. Returns its id."""
    session = held(session_id, fence)
    step = session.steps.filter(state__in=[StepState.INTENT, StepState.UNCERTAIN]).select_related("decided_by").first()
    if step is None:
        return None
    if step.state == StepState.INTENT:
        put_step(session, step, state=StepState.UNCERTAIN, reason=HOST_ENDED)
        audit(session, "uncertain", user=None, how="host", after=_after(step))
    return step.pk


@transaction.atomic
def settle(*, session_id: int, fence: int, step_id: int, happened: bool, observation: Observation) -> None:
    """Looking again told whether an uncertain step happened; where nothing shows it did, people are asked anew."""
    session = held(session_id, fence)
    step = Step.objects.select_related("decided_by").get(pk=step_id, session=session, state=StepState.UNCERTAIN)
    if happened:
        result = ActResult(ActOutcome.DONE, detail="seen after the host came back")
        put_step(session, step, state=StepState.DONE, result=storage.to_builtins(result), done_at=timezone.now())
        put(session, step_count=session.step_count + 1)
    else:
        put_step(session, step, state=StepState.WITHDRAWN)
    show(session, observation)
    audit(session, "settle", user=None, how="host", after={**_after(step), "happened": happened})


@transaction.atomic
def expire_approval(*, approval_id: int) -> bool:
    """Nobody answered in time: the answer is no, and the session ends. False where somebody was faster."""
    session_id = ApprovalRequest.objects.values_list("session_id", flat=True).get(pk=approval_id)
    session = locked(session_id)
    approval = ApprovalRequest.objects.select_related("step").get(pk=approval_id)
    if approval.state != ApprovalState.PENDING or approval.due_at > timezone.now():
        return False
    put_step(session, approval.step, state=StepState.WITHDRAWN, decision="expired", decided_at=timezone.now())
    close_approval(session, ApprovalState.EXPIRED)
    end(session, SessionState.TIMED_OUT, reason="nobody decided in time", user=None, how="celery")
    return True


def next_index(session: Session) -> int:
    """The number of a locked session's next step, from 1."""
    last = session.steps.order_by("-index").values_list("index", flat=True).first()
    return (last or 0) + 1


def _acting(session_id: int, fence: int) -> Session:
    session = held(session_id, fence)
    if session.state != SessionState.RUNNING or session.control != Control.AGENT:
        raise Interrupted(f"session {session_id} is {session.state}, control {session.control}")
    if human_only():
        raise Interrupted("only people may act now")
    return session


def _after(step: Step) -> dict[str, Any]:
    return {
        "step": step.index,
        "proposal_id": str(step.proposal_id),
        "state": step.state,
        "risk": step.risk,
        "kind": (step.action or {}).get("kind", ""),
    }
