"""Every write of the dataset: asking for an append, appending, freezing a version."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import F

from sandbox.contracts import storage as files
from sandbox.contracts.trajectories import Trajectory
from webapp import crashpoints, locks, storage
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.trajectories.models import AppendRequest, DatasetEntry, DatasetVersion, TrajectoryRecord

GRACE_S = 7.0  # an accepted session stays out for so long, in which its verdict can be taken back


class AppendRefused(Exception):
    """The reviewed file is missing, damaged or not what was accepted; the message says which."""


class AppendWithdrawn(Exception):
    """The verdict was taken back: there is nothing to append."""


def object_key(content_hash: str) -> str:
    """Where a trajectory's bytes lie in object storage."""
    return f"trajectories/{content_hash}.belay"


@transaction.atomic
def request_append(*, session_id: int, content_hash: str, user: User) -> None:
    """Put an accepted session on its way into the dataset; call it inside the verdict's transaction."""
    from webapp.trajectories import tasks  # the task module imports these actions

    AppendRequest.objects.get_or_create(
        session_id=session_id, defaults={"content_hash": content_hash, "accepted_by": user}
    )
    transaction.on_commit(lambda: tasks.append.apply_async((session_id,), countdown=GRACE_S))


@transaction.atomic
def withdraw_append(*, session_id: int) -> bool:
    """Take back a request that was not carried out; False where it is too late. Within the verdict's transaction."""
    request = AppendRequest.objects.select_for_update().filter(session_id=session_id).first()
    if request is None:
        return True
    if TrajectoryRecord.objects.filter(session_id=session_id).exists():
        return False
    request.delete()
    return True


def append(*, session_id: int) -> TrajectoryRecord:
    """Carry out one append request; any number of calls leave exactly one record.

    Raises AppendRefused where the stored bytes are not those that were reviewed, AppendWithdrawn where nobody wants it.
    """
    request = AppendRequest.objects.filter(session_id=session_id).first()
    if request is None:
        raise AppendWithdrawn(f"session {session_id}")
    existing = TrajectoryRecord.objects.filter(session_id=session_id).first()
    if existing is not None and request.state == AppendRequest.State.DONE:
        return existing
    content = _reviewed_bytes(request)
    crashpoints.reach("append_after_fetch")
    row = _append_checked(request=request, trajectory=files.unpack(content), size_bytes=len(content))
    crashpoints.reach("append_after_commit")
    return row


def _reviewed_bytes(request: AppendRequest) -> bytes:
    key = object_key(request.content_hash)
    if not storage.exists(key):
        raise AppendRefused(f"{key} is not in object storage")
    content = storage.get(key)
    if files.address(content) != request.content_hash:
        raise AppendRefused(f"{key} does not hold the bytes that were reviewed")
    return content


@transaction.atomic
def _append_checked(*, request: AppendRequest, trajectory: Trajectory, size_bytes: int) -> TrajectoryRecord:
    # Held until commit: from here on the verdict stands.
    if not AppendRequest.objects.select_for_update().filter(pk=request.pk).exists():
        raise AppendWithdrawn(f"session {request.session_id}")
    locks.take(locks.DATASET)
    row, created = TrajectoryRecord.objects.get_or_create(
        content_hash=request.content_hash,
        defaults={
            **_columns(trajectory),
            "session_id": request.session_id,
            "source": TrajectoryRecord.Source.SESSION,
            "size_bytes": size_bytes,
            "accepted_by": request.accepted_by,
        },
    )
    AppendRequest.objects.filter(id=request.id).update(
        state=AppendRequest.State.DONE, attempts=F("attempts") + 1, error=""
    )
    if created:
        record(
            "trajectory.append",
            ("trajectory", row.content_hash),
            user=request.accepted_by,
            how="celery",
            after={"session": request.session_id, "template": row.template, "steps": row.steps},
        )
    crashpoints.reach("append_before_commit")
    return row


@transaction.atomic
def append_failed(*, session_id: int, error: str) -> None:
    """Note why an append did not work; it stays in the outbox for people to see."""
    failed = AppendRequest.objects.filter(session_id=session_id, state=AppendRequest.State.PENDING).update(
        state=AppendRequest.State.FAILED, attempts=F("attempts") + 1, error=error[:2000]
    )
    if failed:
        record(
            "trajectory.append_failed",
            ("session", session_id),
            user=None,
            how="celery",
            after={"error": error[:2000]},
        )


@transaction.atomic
def import_starter(contents: Iterable[bytes]) -> int:
    """Admit the starter policy's demonstrations; returns how many were new."""
    locks.take(locks.DATASET)
    known = set(TrajectoryRecord.objects.values_list("content_hash", flat=True))
    rows = []
    for content in contents:
        content_hash = files.address(content)
        if content_hash in known:
            continue
        known.add(content_hash)
        storage.put(object_key(content_hash), content, "application/octet-stream")
        rows.append(
            TrajectoryRecord(
                content_hash=content_hash,
                source=TrajectoryRecord.Source.STARTER,
                size_bytes=len(content),
                **_columns(files.unpack(content)),
            )
        )
    TrajectoryRecord.objects.bulk_create(rows)
    if rows:
        record(
            "dataset.import",
            ("dataset", "starter"),
            user=None,
            how="system",
            after={"manifest_hash": manifest([row.content_hash for row in rows]), "count": len(rows)},
        )
    return len(rows)


def seed_starter() -> DatasetVersion:
    """Admit the starter policy's demonstrations and freeze them as the first dataset version."""
    from learning import jobs  # the door; light until a policy is loaded

    first = DatasetVersion.objects.filter(reason=DatasetVersion.Reason.STARTER).first()
    if first is not None:
        return first
    import_starter(jobs.starter_trajectories())
    return freeze(reason=DatasetVersion.Reason.STARTER, how="system")


def _columns(trajectory: Trajectory) -> dict[str, str | int]:
    return {
        "environment": trajectory.task.environment,
        "template": trajectory.task.template,
        "goal": trajectory.task.goal.text,
        "steps": len(trajectory.steps),
        "corrections": sum(step.decision == "corrected" for step in trajectory.steps),
        "demonstrations": sum(step.actor != "policy" and step.decision != "corrected" for step in trajectory.steps),
        "outcome": trajectory.verification.outcome,
        "policy": trajectory.policy,
    }


@transaction.atomic
def freeze(
    *,
    reason: DatasetVersion.Reason,
    user: User | None = None,
    how: str = "celery",
    period_start: datetime | None = None,
) -> DatasetVersion:
    """Freeze everything admitted so far; where nothing was added since the last version, that one is returned."""
    locks.take(locks.DATASET)
    rows = list(TrajectoryRecord.objects.order_by("id").values_list("id", "content_hash"))
    manifest_hash = manifest([content_hash for _, content_hash in rows])
    last = DatasetVersion.objects.order_by("-number").first()
    if last is not None and last.manifest_hash == manifest_hash:
        return last
    version = DatasetVersion.objects.create(
        number=1 if last is None else last.number + 1,
        reason=reason,
        period_start=period_start,
        manifest_hash=manifest_hash,
        count=len(rows),
        added=len(rows) - (0 if last is None else last.count),
        created_by=user,
    )
    DatasetEntry.objects.bulk_create(
        DatasetEntry(version=version, trajectory_id=row_id, position=position)
        for position, (row_id, _) in enumerate(rows)
    )
    record(
        "dataset.freeze",
        ("dataset", version.number),
        user=user,
        how=how,
        after={"manifest_hash": manifest_hash, "count": version.count, "reason": str(reason)},
    )
    return version


def manifest(content_hashes: list[str]) -> str:
    """SHA-256 (hex) over the ordered content hashes, one a line."""
    return hashlib.sha256("\n".join(content_hashes).encode()).hexdigest()
