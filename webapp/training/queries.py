"""Every read of training."""

from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from webapp import storage
from webapp.agent_sessions.models import Session, Step
from webapp.agent_sessions.states import ReviewState, StepState
from webapp.problems import NotFound
from webapp.training.leases import Claim
from webapp.training.models import Evaluation, Job, MetricPoint, TrainingPlan, TrainingRun
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


def unclaimed() -> list[Job]:
    """Runs and evaluations that wait for a worker, or whose worker is gone."""
    waiting = Q(state=Job.State.QUEUED)
    orphaned = Q(state=Job.State.RUNNING, lease_expires_at__lt=timezone.now())
    return [
        *TrainingRun.objects.filter(waiting | orphaned).order_by("id"),
        *Evaluation.objects.filter(waiting | orphaned).order_by("id"),
    ]


def rejected(*, before: datetime) -> list[str]:
    """Content hashes of the trajectories of sessions that people had judged bad by then, in the order of that."""
    done = Step.objects.filter(session=OuterRef("pk"), state=StepState.DONE, index__gte=OuterRef("first_step"))
    judged = Session.objects.filter(review_state=ReviewState.REJECTED, reviewed_at__lte=before)
    return list(  # nothing is to be learnt where a console was begun anew and ended before a step
        judged.filter(Exists(done))
        .exclude(trajectory_hash="")
        .order_by("reviewed_at", "id")
        .values_list("trajectory_hash", flat=True)
    )


def evaluations(*, policy: int | None = None) -> QuerySet[Evaluation]:
    """Evaluations, of one policy version by its number or of all, newest first."""
    rows = Evaluation.objects.select_related("policy", "against", "created_by").order_by("-id")
    return rows if policy is None else rows.filter(policy__number=policy)


def report(evaluation: Evaluation, name: str) -> bytes:
    """A file of an evaluation's report. Raises NotFound where there is none, or none yet."""
    if evaluation.state != Job.State.COMPLETED:
        raise NotFound(f"Evaluation {evaluation.pk} is {evaluation.state}: it has no report.")
    try:
        return storage.get(report_key(evaluation.report, name))
    except storage.Missing:
        raise NotFound(f"The report of evaluation {evaluation.pk} has no {name}.") from None


def report_prefix(claim: Claim) -> str:
    """Where the report of one claim of an evaluation lies in object storage; no other claim writes there."""
    return f"evaluations/{claim.id}/{claim.fence}"


def report_key(prefix: str, name: str) -> str:
    """Where a file of a report lies in object storage."""
    return f"{prefix}/{name}"
