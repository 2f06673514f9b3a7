"""Every read of the dataset."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from sandbox.contracts import storage as files
from sandbox.contracts.trajectories import Trajectory
from webapp import storage
from webapp.trajectories.actions import object_key
from webapp.trajectories.models import AppendRequest, DatasetVersion, TrajectoryRecord


def trajectories(
    *, environment: str = "", template: str = "", outcome: str = "", source: str = "", q: str = ""
) -> QuerySet[TrajectoryRecord]:
    """Admitted trajectories, newest first; empty filters do not filter."""
    exact = {"environment": environment, "template": template, "outcome": outcome, "source": source}
    rows = TrajectoryRecord.objects.filter(**{name: value for name, value in exact.items() if value})
    if q:
        rows = rows.filter(goal__icontains=q)
    return rows.select_related("accepted_by").order_by("-id")


def trajectory(content_hash: str) -> Trajectory:
    """One admitted trajectory, read from object storage. Raises TrajectoryRecord.DoesNotExist."""
    row = TrajectoryRecord.objects.get(content_hash=content_hash)
    return files.unpack(storage.get(object_key(row.content_hash)))


def datasets() -> QuerySet[DatasetVersion]:
    """Dataset versions, newest first."""
    return DatasetVersion.objects.select_related("created_by").order_by("-number")


def entries(version: DatasetVersion) -> QuerySet[TrajectoryRecord]:
    """A version's trajectories in its frozen order."""
    ids = version.entries.order_by("position").values_list("trajectory_id", flat=True)
    return TrajectoryRecord.objects.filter(id__in=ids).select_related("accepted_by").order_by("id")


def pending_appends(*, older_than_s: float = 0.0) -> list[int]:
    """Sessions that were accepted so long ago and are not in the dataset yet."""
    until = timezone.now() - timedelta(seconds=older_than_s)
    return list(
        AppendRequest.objects.filter(state=AppendRequest.State.PENDING, created_at__lte=until)
        .order_by("id")
        .values_list("session_id", flat=True)
    )


def accepted_since(version: DatasetVersion | None) -> int:
    """How many reviewed trajectories were admitted that this version does not hold."""
    rows = TrajectoryRecord.objects.filter(source=TrajectoryRecord.Source.SESSION)
    if version is not None:
        rows = rows.exclude(id__in=version.entries.values("trajectory_id"))
    return rows.count()


def local_files(version: DatasetVersion) -> list[Path]:
    """A version's files on this machine, fetched once, in its frozen order. Raises ValueError on damaged bytes."""
    return local_copies(version.entries.order_by("position").values_list("trajectory__content_hash", flat=True))


def local_copies(content_hashes: Iterable[str]) -> list[Path]:
    """Packed trajectories on this machine, fetched once, in this order. Raises ValueError on damaged bytes."""
    folder = settings.STATE_DIR / "trajectories"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for content_hash in content_hashes:
        path = folder / f"{content_hash}.belay"
        if not path.exists():
            content = storage.get(object_key(content_hash))
            if files.address(content) != content_hash:
                raise ValueError(f"{object_key(content_hash)} is damaged: its bytes do not match its name")
            partial = path.with_suffix(".partial")
            partial.write_bytes(content)
            partial.rename(path)
        paths.append(path)
    return paths
