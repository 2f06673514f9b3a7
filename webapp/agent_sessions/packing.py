"""An ended session as one file of the contracts, made from its rows."""

from django.db.models import QuerySet

from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.contracts.trajectories import Step as TrajectoryStep
from sandbox.contracts.trajectories import Trajectory
from webapp import storage as objects
from webapp.agent_sessions.models import Session, Step
from webapp.agent_sessions.states import StepState


def trajectory(session: Session) -> Trajectory:
    """What was seen, proposed, decided and done in the console that the session ended in."""
    rows = done_steps(session).order_by("index")
    marks = session.marks.select_related("label")
    found = session.verification or Verification(Outcome(session.outcome or Outcome.UNVERIFIED))
    return Trajectory(
        id=f"session-{session.pk}",
        task=storage.from_builtins(session.task, Task),
        steps=tuple(_step(row) for row in rows.prefetch_related("marks__label")),
        verification=storage.from_builtins(storage.to_builtins(found), Verification),
        policy=session.policy_version.name if session.policy_version else "",
        answer=session.answer,
        verdict=session.verdict,
        labels=tuple(sorted({mark.label.key for mark in marks if mark.step_id is None})),
    )


def done_steps(session: Session) -> QuerySet[Step]:
    """What was done in the console that the session is in, or ended in."""
    return session.steps.filter(state=StepState.DONE, index__gte=session.first_step)


def store(session: Session) -> str:
    """Put the packed session into object storage; returns its content address."""
    content = storage.pack(trajectory(session))
    content_hash = storage.address(content)
    objects.put(f"trajectories/{content_hash}.belay", content, "application/octet-stream")
    return content_hash


def _step(row: Step) -> TrajectoryStep:
    decision = row.decision if row.decision in ("approved", "corrected") else None
    return storage.from_builtins(
        {
            "observation": row.observation,
            "proposal": row.proposal,
            "actor": row.actor,
            "decision": decision,
            "source": (row.source or None) if decision else None,
            "risk": row.risk,
            "action": row.action,
            "result": row.result,
            "labels": sorted(mark.label.key for mark in row.marks.all()),
            "before": row.before,
            "after": row.after,
        },
        TrajectoryStep,
    )
