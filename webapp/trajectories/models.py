"""Rows: what was admitted to the dataset, and frozen versions of it."""

from django.conf import settings
from django.db import models


class TrajectoryRecord(models.Model):
    """One admitted trajectory; its bytes are in object storage under their SHA-256. Never changes."""

    class Source(models.TextChoices):
        SESSION = "session"
        STARTER = "starter"

    content_hash = models.CharField(max_length=64, unique=True)
    session_id = models.BigIntegerField(null=True, unique=True)
    source = models.CharField(max_length=16, choices=Source.choices)
    environment = models.CharField(max_length=64)
    template = models.CharField(max_length=128, blank=True)
    goal = models.TextField()
    steps = models.PositiveIntegerField()
    corrections = models.PositiveIntegerField(default=0)
    demonstrations = models.PositiveIntegerField(default=0)  # steps a person or oracle did
    outcome = models.CharField(max_length=16)
    policy = models.CharField(max_length=32, blank=True)
    size_bytes = models.PositiveIntegerField()
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    appended_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.content_hash


class AppendRequest(models.Model):
    """Outbox: an accepted session that must get into the dataset; written with the verdict in one transaction."""

    class State(models.TextChoices):
        PENDING = "pending"
        DONE = "done"
        FAILED = "failed"

    session_id = models.BigIntegerField(unique=True)
    content_hash = models.CharField(max_length=64)  # of the trajectory file that was reviewed
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"append of session {self.session_id}, {self.state}"


class DatasetVersion(models.Model):
    """A frozen, hashed list of trajectories."""

    class Reason(models.TextChoices):
        STARTER = "starter"
        THRESHOLD = "threshold"
        SCHEDULE = "schedule"
        MANUAL = "manual"

    number = models.PositiveIntegerField(unique=True)
    reason = models.CharField(max_length=16, choices=Reason.choices)
    period_start = models.DateTimeField(null=True, unique=True)  # of a scheduled freeze
    manifest_hash = models.CharField(max_length=64)  # SHA-256 over the ordered content hashes
    count = models.PositiveIntegerField()
    added = models.PositiveIntegerField()  # against the version before
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"dataset version {self.number}"


class DatasetEntry(models.Model):
    """One line of a dataset version."""

    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="entries")
    trajectory = models.ForeignKey(TrajectoryRecord, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["version", "trajectory"], name="trajectory_once_per_version"),
            models.UniqueConstraint(fields=["version", "position"], name="position_once_per_version"),
        )

    def __str__(self) -> str:
        return f"{self.version_id}[{self.position}]"
