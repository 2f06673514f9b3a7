"""Every write of training: asking for a run, claiming it, its metrics, its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from webapp import locks
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.problems import Conflict
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.rollouts.queries import alias
from webapp.training.events import changed
from webapp.training.models import MetricPoint, TrainingPlan, TrainingRun
from webapp.training.queries import plan, trained_on
from webapp.training.states import ENDED
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion
from webapp.trajectories.queries import accepted_since

LEASE = timedelta(seconds=30)
MAX_ATTEMPTS = 5  # of a run whose worker keeps dying
_PLANNED = ("after_accepted", "learn_s", "practice_s", "queue")
UNENDED = Q(state__in=[TrainingRun.State.QUEUED, TrainingRun.State.RUNNING])


class LeaseLost(Exception):
    """Another worker holds this run, or it was cancelled; write nothing more."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right to work on a run; every later write names its fence."""

    run_id: int
    fence: int


@transaction.atomic
def set_plan(
    *, after_accepted: int, learn_s: int, practice_s: int, queue: TrainingPlan.Queue, user: User, how: str
) -> TrainingPlan:
    """Say when trainings start by themselves and how long each may take; holds for runs asked for from now on."""
    locks.take(locks.TRAINING)
    before = plan()
    TrainingPlan.objects.update_or_create(
        id=1,
        defaults={
            "after_accepted": after_accepted,
            "learn_s": learn_s,
            "practice_s": practice_s,
            "queue": queue,
            "changed_by": user,
            "changed_at": timezone.now(),
        },
    )
    after = plan()
    record(
        "training.plan",
        ("training_plan", 1),
        user=user,
        how=how,
        before={name: getattr(before, name) for name in _PLANNED},
        after={name: getattr(after, name) for name in _PLANNED},
    )
    changed()
    return after


@transaction.atomic
def request_run(
    *, dataset: DatasetVersion, trigger: TrainingRun.Trigger, user: User | None, how: str, seed: int = 0
) -> TrainingRun:
    """Queue a run on a dataset version; one run for each version and seed, however often it is asked for."""
    planned = plan()
    run, created = TrainingRun.objects.get_or_create(
        dataset=dataset,
        algorithm="bc+ppo" if planned.practice_s else "bc",
        seed=seed,
        defaults={
            "trigger": trigger,
            "parent": alias(Alias.Name.CHAMPION),
            "commit": settings.COMMIT,
            "created_by": user,
            "spec": {"budget_s": planned.learn_s, "practice_s": planned.practice_s, "queue": planned.queue},
        },
    )
    if created:
        record(
            "training.request",
            ("training_run", run.pk),
            user=user,
            how=how,
            after={"dataset": dataset.number, "trigger": str(trigger), "seed": seed},
        )
        changed()
    transaction.on_commit(lambda: dispatch(run))
    return run


@transaction.atomic
def request_run_when_due(*, trigger: TrainingRun.Trigger = TrainingRun.Trigger.THRESHOLD) -> TrainingRun | None:
    """Freeze a version and queue a run where enough was accepted since the last version that was trained on."""
    locks.take(locks.TRAINING)
    if TrainingRun.objects.filter(UNENDED).exists():
        return None  # looked at again when that run ends
    wanted = 1 if trigger == TrainingRun.Trigger.SCHEDULE else plan().after_accepted
    if accepted_since(trained_on()) < wanted:
        return None
    return request_run(dataset=freeze(reason=DatasetVersion.Reason(trigger)), trigger=trigger, user=None, how="celery")


@transaction.atomic
def claim(*, run_id: int, holder: str) -> Claim | None:
    """Take a run that is queued or whose worker stopped renewing its lease; None where there is nothing to take."""
    now = timezone.now()
    free = Q(state=TrainingRun.State.QUEUED) | Q(state=TrainingRun.State.RUNNING, lease_expires_at__lt=now)
    run = TrainingRun.objects.select_for_update(no_key=True, skip_locked=True).filter(free, id=run_id).first()
    if run is None:
        return None
    if run.attempts >= MAX_ATTEMPTS:
        _end(run, TrainingRun.State.FAILED, error=f"given up after {MAX_ATTEMPTS} workers died on it")
        return None
    TrainingRun.objects.filter(id=run_id).update(
        state=TrainingRun.State.RUNNING,
        lease_holder=holder,
        lease_expires_at=now + LEASE,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        started_at=run.started_at or now,
    )
    after = {"holder": holder, "fence": run.fence + 1}
    record(
        "training.claim", ("training_run", run_id), user=None, how="celery", before={"state": run.state}, after=after
    )
    changed()
    return Claim(run_id=run_id, fence=run.fence + 1)


def renew(*, claim: Claim) -> None:
    """Keep the lease. Raises LeaseLost."""
    _fenced(claim, lease_expires_at=timezone.now() + LEASE)


@transaction.atomic
def report(*, claim: Claim, phase: str, progress: float, step: int, values: Mapping[str, float]) -> None:
    """Write how far a run is, and its metrics at this optimiser step beside those there already. Raises LeaseLost."""
    _fenced(claim, phase=phase, progress=progress, lease_expires_at=timezone.now() + LEASE)
    if values:
        point, _ = MetricPoint.objects.get_or_create(run_id=claim.run_id, step=step, defaults={"values": {}})
        MetricPoint.objects.filter(pk=point.pk).update(values=point.values | dict(values))
    changed()


@transaction.atomic
def complete(*, claim: Claim, policy: PolicyVersion) -> None:
    """End a run with the version it made. Raises LeaseLost."""
    _fenced(claim, policy=policy, phase="", progress=1.0)
    run = TrainingRun.objects.get(id=claim.run_id)
    _end(run, TrainingRun.State.COMPLETED, policy=policy)


@transaction.atomic
def fail(*, claim: Claim, error: str) -> None:
    """End a run that cannot go on. Raises LeaseLost."""
    _fenced(claim, phase="")
    _end(TrainingRun.objects.get(id=claim.run_id), TrainingRun.State.FAILED, error=error[:4000])


@transaction.atomic
def cancel(*, run_id: int, user: User, how: str) -> TrainingRun:
    """Stop a run; its worker notices at its next report. Raises Conflict where it has ended."""
    run = TrainingRun.objects.select_for_update(no_key=True).get(id=run_id)
    if run.state in ENDED:
        raise Conflict(f"Training run {run_id} has ended ({run.state}).")
    _end(run, TrainingRun.State.CANCELLED, user=user, how=how)
    run.refresh_from_db()
    return run


def _end(
    run: TrainingRun,
    target: TrainingRun.State,
    *,
    user: User | None = None,
    how: str = "celery",
    error: str = "",
    policy: PolicyVersion | None = None,
) -> None:
    """Raise the fence too, so that whoever still works on the run can write nothing more."""
    TrainingRun.objects.filter(id=run.pk).update(
        state=target, ended_at=timezone.now(), lease_expires_at=None, fence=F("fence") + 1, error=error
    )
    before = {"state": run.state}
    after = {"state": target, "error": error, "policy": policy.name if policy else None}
    record(f"training.{target}", ("training_run", run.pk), user=user, how=how, before=before, after=after)
    changed()


def _fenced(claim: Claim, **columns: Any) -> None:
    written = TrainingRun.objects.filter(id=claim.run_id, fence=claim.fence, state=TrainingRun.State.RUNNING).update(
        **columns
    )
    if written != 1:
        raise LeaseLost(f"training run {claim.run_id} is no longer ours (fence {claim.fence})")


def dispatch(run: TrainingRun) -> None:
    """Tell the workers of the run's queue that there is work."""
    from webapp.training.tasks import train  # the task module imports these actions

    train.apply_async((run.pk,), queue=run.spec.get("queue", TrainingPlan.Queue.CPU))
