"""Celery entry: appending accepted sessions and freezing versions; each is safe to run any number of times."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from webapp.trajectories import actions, queries
from webapp.trajectories.models import DatasetVersion

log = logging.getLogger(__name__)


@shared_task
def append(session_id: int) -> None:
    """Append one accepted session to the dataset, then see whether training is due."""
    from webapp.training.tasks import train_when_due  # training sits above this app

    try:
        actions.append(session_id=session_id)
    except actions.AppendWithdrawn:
        return
    except actions.AppendRefused as problem:
        log.error("session %s was accepted but cannot be appended: %s", session_id, problem)
        actions.append_failed(session_id=session_id, error=str(problem))
        return
    train_when_due.delay()


@shared_task
def sweep_appends() -> None:
    """Drive again what a lost message or a killed worker left in the outbox."""
    for session_id in queries.pending_appends(older_than_s=actions.GRACE_S):
        append.delay(session_id)


@shared_task
def freeze_daily() -> None:
    """Freeze a version once a day; beat may fire twice, the period's uniqueness makes it one."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if DatasetVersion.objects.filter(period_start__gte=today, period_start__lt=today + timedelta(days=1)).exists():
        return
    actions.freeze(reason=DatasetVersion.Reason.SCHEDULE, period_start=today)
