"""Rows: policy versions, aliases, rollouts, and the human-only switch."""

from django.conf import settings
from django.db import models


class PolicyVersion(models.Model):
    """Weights that can act, with where they came from and how they were judged. Never changes but for its note."""

    class Source(models.TextChoices):
        STARTER = "starter"
        TRAINING = "training"

    number = models.PositiveIntegerField(unique=True)  # shown as v<number>
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    source = models.CharField(max_length=16, choices=Source.choices)
    content_hash = models.CharField(max_length=64, unique=True)  # SHA-256 over the artefact's files
    storage_key = models.CharField(max_length=200)  # prefix in the policies bucket
    spec = models.JSONField(default=dict)
    card = models.TextField(blank=True)  # Markdown
    lineage = models.JSONField(default=dict)  # parent, dataset version, environments, commit, seeds
    evaluation = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return f"v{self.number}"


class Alias(models.Model):
    """A name that points to one policy version; swapped by guarded update."""

    class Name(models.TextChoices):
        CHAMPION = "champion"
        CHALLENGER = "challenger"

    name = models.CharField(max_length=16, primary_key=True, choices=Name.choices)
    policy = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, null=True, related_name="aliases")
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} -> {self.policy_id}"


class Rollout(models.Model):
    """A gray release of one challenger beside the champion."""

    class State(models.TextChoices):
        RUNNING = "running"
        PAUSED = "paused"
        PROMOTED = "promoted"
        ROLLED_BACK = "rolled_back"

    champion = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="+")
    challenger = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="rollouts")
    weight = models.PositiveSmallIntegerField()  # per cent of tickets that the challenger gets
    salt = models.CharField(max_length=32)  # SHA-256(salt, ticket id) as a fraction, below the weight: challenger
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                models.Value(1), condition=models.Q(state__in=["running", "paused"]), name="one_rollout_at_a_time"
            ),
        )

    def __str__(self) -> str:
        return f"rollout {self.pk} at {self.weight} %, {self.state}"


class ArmResult(models.Model):
    """How one session of one arm ended; written by the session's end, once."""

    rollout = models.ForeignKey(Rollout, on_delete=models.CASCADE, related_name="results")
    session_id = models.BigIntegerField(unique=True)
    arm = models.CharField(max_length=16)  # champion | challenger
    outcome = models.CharField(max_length=16)  # verified | failed | unverified
    end_state = models.CharField(max_length=16)
    steps = models.PositiveIntegerField()
    corrections = models.PositiveIntegerField()
    takeovers = models.PositiveIntegerField()
    ended_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.arm} session {self.session_id}: {self.outcome}"


class Switch(models.Model):
    """One row: whether policies may propose at all."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    human_only = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"human only: {self.human_only}"
