"""Every read of training."""

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from webapp.training.models import MetricPoint, TrainingPlan, TrainingRun
from webapp.trajectories.models import DatasetVersion


def runs() -> QuerySet[TrainingRun]:
    """All runs, newest first."""
    return TrainingRun.objects.select_related("dataset", "parent", "policy", "created_by").order_by("-id")


def plan() -> TrainingPlan:
    """When trainings start and how long they may take; what the settings say until an admin says something else."""
    return TrainingPlan.objects.filter(id=1).first() or TrainingPlan(
        after_accepted=settings.TRAIN_AFTER_ACCEPTED,
        learn_s=settings.TRAIN_BUDGET_S,
        practice_s=settings.TRAIN_PRACTICE_S,
    )


def metrics(run_id: int, *, after: int = -1) -> QuerySet[MetricPoint]:
    """A run's metric points in order, those after a step."""
    return MetricPoint.objects.filter(run_id=run_id, step__gt=after).order_by("step")


def trained_on() -> DatasetVersion | None:
    """The newest dataset version that a run was made from; before the first, the starter's."""
    last = DatasetVersion.objects.filter(training_runs__isnull=False).order_by("-number").first()
    return last or DatasetVersion.objects.filter(reason=DatasetVersion.Reason.STARTER).order_by("-number").first()


def unclaimed() -> list[TrainingRun]:
    """Runs that wait for a worker, or whose worker is gone."""
    waiting = Q(state=TrainingRun.State.QUEUED)
    orphaned = Q(state=TrainingRun.State.RUNNING, lease_expires_at__lt=timezone.now())
    return list(TrainingRun.objects.filter(waiting | orphaned).order_by("id"))
