"""Every write about who works on a job: claiming, renewing, saying how far it is, ending."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.problems import Conflict
from webapp.training.events import changed
from webapp.training.models import Job
from webapp.training.states import ENDED

LEASE = timedelta(seconds=30)
TOLD_S = 120  # a message that there is work is worth so long, as a worker needs to start; the sweep sends others
MAX_ATTEMPTS = 5  # of a job whose workers keep dying without getting further
FURTHER = 0.01  # of the whole job

J = TypeVar("J", bound=Job)


class LeaseLost(Exception):
    """Another worker holds this job, or it was cancelled; write nothing more."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right to work on a job; every later write names its fence."""

    kind: type[Job]
    id: int
    fence: int


@transaction.atomic
def claim(kind: type[Job], job_id: int, *, holder: str) -> Claim | None:
    """Take a job that is queued or whose worker stopped renewing its lease; None where there is nothing to take."""
    now = timezone.now()
    free = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_expires_at__lt=now)
    job = _rows(kind).select_for_update(no_key=True, skip_locked=True).filter(free, pk=job_id).first()
    if job is None:
        return None
    further = job.progress >= job.furthest + FURTHER  # than any worker before: the next ones have all their attempts
    stuck = 0 if further else job.stuck
    if stuck >= MAX_ATTEMPTS:
        _end(job, Job.State.FAILED, error=f"given up after {MAX_ATTEMPTS} workers died on it without getting further")
        return None
    _rows(kind).filter(pk=job_id).update(
        state=Job.State.RUNNING,
        lease_holder=holder,
        lease_expires_at=now + LEASE,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        stuck=stuck + 1,
        furthest=max(job.furthest, job.progress),
        started_at=job.started_at or now,
    )
    after = {"holder": holder, "fence": job.fence + 1}
    verbs, noun = kind.NOUN
    record(f"{verbs}.claim", (noun, job_id), user=None, how="celery", before={"state": job.state}, after=after)
    changed()
    return Claim(kind=kind, id=job_id, fence=job.fence + 1)


def renew(*, claim: Claim) -> None:
    """Keep the lease. Raises LeaseLost."""
    fenced(claim, lease_expires_at=timezone.now() + LEASE)


def reached(claim: Claim, *, phase: str, progress: float) -> None:
    """Write how far a job is, and keep the lease. Raises LeaseLost."""
    fenced(claim, phase=phase, progress=progress, lease_expires_at=timezone.now() + LEASE)
    changed()


@transaction.atomic
def complete(claim: Claim, *, after: dict[str, Any], **columns: Any) -> None:
    """End a job with what it made. Raises LeaseLost."""
    fenced(claim, phase="", progress=1.0, **columns)
    _end(_rows(claim.kind).get(pk=claim.id), Job.State.COMPLETED, after=after)


@transaction.atomic
def fail(*, claim: Claim, error: str) -> None:
    """End a job that cannot go on. Raises LeaseLost."""
    fenced(claim, phase="")
    _end(_rows(claim.kind).get(pk=claim.id), Job.State.FAILED, error=error[:4000])


@transaction.atomic
def cancel(kind: type[J], job_id: int, *, user: User, how: str) -> J:
    """Stop a job; its worker notices at its next report. Raises Conflict where it has ended."""
    job = _rows(kind).select_for_update(no_key=True).get(pk=job_id)
    if job.state in ENDED:
        raise Conflict(f"{str(job).capitalize()} has ended ({job.state}).")
    _end(job, Job.State.CANCELLED, user=user, how=how)
    job.refresh_from_db()
    return job


def fenced(claim: Claim, **columns: Any) -> None:
    """Write columns of a job that is still ours. Raises LeaseLost."""
    rows = _rows(claim.kind).filter(pk=claim.id, fence=claim.fence, state=Job.State.RUNNING)
    if rows.update(**columns) != 1:
        raise LeaseLost(f"{claim.kind.__name__} {claim.id} is no longer ours (fence {claim.fence})")


def _end(
    job: Job,
    target: Job.State,
    *,
    user: User | None = None,
    how: str = "celery",
    error: str = "",
    after: dict[str, Any] | None = None,
) -> None:
    """Raise the fence too, so that whoever still works on the job can write nothing more."""
    _rows(type(job)).filter(pk=job.pk).update(
        state=target, ended_at=timezone.now(), lease_expires_at=None, fence=F("fence") + 1, error=error
    )
    verbs, noun = job.NOUN
    said = {"state": target, "error": error, **(after or {})}
    record(f"{verbs}.{target}", (noun, job.pk), user=user, how=how, before={"state": job.state}, after=said)
    changed()


def _rows(kind: type[J]) -> "models.Manager[J]":
    return kind._default_manager
