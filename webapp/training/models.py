"""Rows: the plan of training, training runs and their metrics, evaluations."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from webapp.rollouts.models import PolicyVersion
from webapp.trajectories.models import DatasetVersion


class TrainingPlan(models.Model):
    """One row: when a training starts by itself, and how long it may take."""

    class Queue(models.TextChoices):
        CPU = "training"
        GPU = "training-gpu"

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    after_accepted = models.PositiveIntegerField()  # new accepted trajectories
    learn_s = models.PositiveIntegerField()  # behaviour cloning from the dataset
    practice_s = models.PositiveIntegerField()  # reinforcement learning in the sandbox after it; 0: none
    queue = models.CharField(max_length=16, choices=Queue.choices, default=Queue.CPU)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"after {self.after_accepted}: {self.learn_s} s and {self.practice_s} s"


class Job(models.Model):
    """Long work of a training worker: a row with a lease, so that one worker at a time writes to it."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    NOUN: ClassVar[tuple[str, str]]  # in the audit: of its verbs, and of the thing itself

    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED)
    spec = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    phase = models.CharField(max_length=32, blank=True)  # what it is at: load, featurise, train, evaluate...
    progress = models.FloatField(default=0.0)  # 0..1
    error = models.TextField(blank=True)
    attempts = models.PositiveIntegerField(default=0)
    stuck = models.PositiveIntegerField(db_default=0)  # attempts since a worker last got further
    furthest = models.FloatField(db_default=0.0)  # progress of the worker that got furthest before it died
    lease_holder = models.CharField(max_length=128, blank=True)
    lease_expires_at = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.NOUN[1].replace('_', ' ')} {self.pk}"


class TrainingRun(Job):
    """One training of one policy from one dataset version."""

    class Trigger(models.TextChoices):
        THRESHOLD = "threshold"
        SCHEDULE = "schedule"
        MANUAL = "manual"

    NOUN = ("training", "training_run")

    algorithm = models.CharField(max_length=16, default="bc")  # its parts in order, such as midtrain+bc+ppo
    trigger = models.CharField(max_length=16, choices=Trigger.choices)
    dataset = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="training_runs")
    parent = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, null=True, related_name="+")
    policy = models.OneToOneField(PolicyVersion, on_delete=models.PROTECT, null=True, related_name="training_run")
    commit = models.CharField(max_length=40, blank=True)
    asked = models.CharField(max_length=64, blank=True)  # SHA-256 of what was chosen or planned

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["dataset", "algorithm", "seed", "asked"], name="one_run_per_wish"),
        )


class Evaluation(Job):
    """One judgement of a policy version in simulators, alone or beside another on the same tasks."""

    NOUN = ("evaluation", "evaluation")

    policy = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="evaluations")
    against = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, null=True, related_name="+")
    report = models.CharField(max_length=64, blank=True, db_default="")  # prefix of its keys; "" = none yet


class MetricPoint(models.Model):
    """Named numbers at one optimiser step, e.g. {"loss": .., "held_out_accuracy": ..}."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    values = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["run", "step"], name="one_point_per_step"),)

    def __str__(self) -> str:
        return f"step {self.step} of run {self.run_id}"
