"""Every write of training: the plan, asking for a run, claiming it, its metrics, its end."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from learning.jobs import Kind
from webapp import locks
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.rollouts.queries import alias
from webapp.training import leases
from webapp.training.events import changed
from webapp.training.leases import MAX_ATTEMPTS, Claim, LeaseLost, fail, renew
from webapp.training.models import MetricPoint, TrainingPlan, TrainingRun
from webapp.training.queries import plan, trained_on
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion
from webapp.trajectories.queries import accepted_since

__all__ = [
    "MAX_ATTEMPTS",
    "Claim",
    "LeaseLost",
    "Wish",
    "cancel",
    "claim",
    "complete",
    "dispatch",
    "fail",
    "renew",
    "report",
    "request_run",
    "request_run_when_due",
    "set_plan",
]

PARTS: dict[Kind, str] = {"bc": "bc", "midtrain": "midtrain+bc", "offline": "offline", "distill": "distill"}
_PLANNED = ("after_accepted", "learn_s", "practice_s", "queue")
UNENDED = Q(state__in=[TrainingRun.State.QUEUED, TrainingRun.State.RUNNING])


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an admin chose for a run, in place of what is planned."""

    kind: Kind
    parent: PolicyVersion | None  # None: from nothing
    learn_s: int
    practice_s: int
    share: float  # of its teacher's parameters, that a student may have


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
    *,
    dataset: DatasetVersion,
    trigger: TrainingRun.Trigger,
    user: User | None,
    how: str,
    seed: int = 0,
    wish: Wish | None = None,
) -> TrainingRun:
    """Queue a run on a dataset version; one run for each version, wish and seed, however often it is asked for."""
    planned = plan()
    chosen = wish or Wish(
        kind="bc",
        parent=alias(Alias.Name.CHAMPION),
        learn_s=planned.learn_s,
        practice_s=planned.practice_s,
        share=0.0,
    )
    spec: dict[str, Any] = {"budget_s": chosen.learn_s, "practice_s": chosen.practice_s, "queue": planned.queue}
    if wish is not None:
        spec["kind"] = wish.kind
    if chosen.kind == "distill":
        spec["share"] = chosen.share
    run, created = TrainingRun.objects.get_or_create(
        dataset=dataset,
        algorithm=PARTS[chosen.kind] + ("+ppo" if chosen.practice_s else ""),
        seed=seed,
        asked=_digest(chosen, spec),
        defaults={
            "trigger": trigger,
            "parent": chosen.parent,
            "commit": settings.COMMIT,
            "created_by": user,
            "spec": spec,
        },
    )
    if created:
        after = {"dataset": dataset.number, "trigger": str(trigger), "seed": seed, "algorithm": run.algorithm}
        record("training.request", ("training_run", run.pk), user=user, how=how, after=after)
        changed()
    transaction.on_commit(lambda: dispatch(run))
    return run


def _digest(chosen: Wish, spec: dict[str, Any]) -> str:
    """What makes it the same wish; what is planned is another wish once there is another champion or plan."""
    said = {**spec, "parent": chosen.parent.content_hash if chosen.parent else None}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


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


def claim(*, run_id: int, holder: str) -> Claim | None:
    """Take a run that is queued or whose worker stopped renewing its lease; None where there is nothing to take."""
    return leases.claim(TrainingRun, run_id, holder=holder)


@transaction.atomic
def report(*, claim: Claim, phase: str, progress: float, step: int, values: Mapping[str, float]) -> None:
    """Write how far a run is, and its metrics at this optimiser step beside those there already. Raises LeaseLost.

    Those that are no number are left out: JSON has no word for them.
    """
    leases.reached(claim, phase=phase, progress=progress)
    kept = {name: value for name, value in values.items() if math.isfinite(value)}
    if kept:
        point, _ = MetricPoint.objects.get_or_create(run_id=claim.id, step=step, defaults={"values": {}})
        MetricPoint.objects.filter(pk=point.pk).update(values=point.values | kept)


def complete(*, claim: Claim, policy: PolicyVersion) -> None:
    """End a run with the version it made. Raises LeaseLost."""
    leases.complete(claim, policy=policy, after={"policy": policy.name})


def cancel(*, run_id: int, user: User, how: str) -> TrainingRun:
    """Stop a run; its worker notices at its next report. Raises Conflict where it has ended."""
    return leases.cancel(TrainingRun, run_id, user=user, how=how)


def dispatch(run: TrainingRun) -> None:
    """Tell the workers of the run's queue that there is work."""
    from webapp.training.tasks import train  # the task module imports these actions

    train.apply_async((run.pk,), queue=run.spec.get("queue", TrainingPlan.Queue.CPU), expires=leases.TOLD_S)
