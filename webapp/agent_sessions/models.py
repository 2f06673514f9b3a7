"""Rows: sessions, steps, approval requests, events, takeover input, labels."""

import uuid

from django.conf import settings
from django.db import models

from webapp.agent_sessions.states import ApprovalState, Control, ReviewState, SessionState, StepState
from webapp.rollouts.models import PolicyVersion, Rollout
from webapp.tickets.models import Ticket


class Session(models.Model):
    """One attempt at a ticket by one policy version."""

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="sessions")
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=20, choices=SessionState.choices, default=SessionState.QUEUED)
    control = models.CharField(max_length=16, choices=Control.choices, default=Control.AGENT)
    controlled_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    task = models.JSONField()  # contracts Task
    policy_version = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, null=True, related_name="sessions")
    rollout = models.ForeignKey(Rollout, on_delete=models.PROTECT, null=True, related_name="sessions")
    arm = models.CharField(max_length=16, blank=True)  # champion | challenger | "" (no policy: human only)

    handle = models.JSONField(null=True)  # sandbox.sessions.Handle: how to find the browser again
    lease_holder = models.CharField(max_length=128, blank=True)  # "<machine>:<pid>:<start time>"
    lease_expires_at = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)  # raised at every claim; writes of lower ones are refused

    observation = models.JSONField(null=True)  # the page now, masked
    fingerprint = models.CharField(max_length=64, blank=True)
    event_seq = models.PositiveIntegerField(default=0)  # number of the last event
    step_count = models.PositiveIntegerField(default=0)  # carried out
    first_step = models.PositiveIntegerField(default=1)  # of the console it works in now; a lost one is begun anew
    refusals_from = models.PositiveIntegerField(default=1)  # first step whose refusal still keeps a proposal back

    outcome = models.CharField(max_length=16, blank=True)  # verified | failed | unverified
    verification = models.JSONField(null=True)
    answer = models.TextField(blank=True)
    verdict = models.CharField(max_length=8, blank=True)  # good | bad
    review_state = models.CharField(max_length=16, choices=ReviewState.choices, default=ReviewState.NONE, blank=True)
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reviewed_at = models.DateTimeField(null=True)
    review_note = models.TextField(blank=True)
    trajectory_hash = models.CharField(max_length=64, blank=True)  # of the packed file in object storage
    end_reason = models.TextField(blank=True)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=["state", "created_at"]), models.Index(fields=["review_state", "ended_at"]))
        constraints = (models.UniqueConstraint(fields=["ticket", "attempt"], name="attempt_once_per_ticket"),)

    def __str__(self) -> str:
        return f"session {self.pk}, attempt {self.attempt} at ticket {self.ticket_id}"


class Step(models.Model):
    """One proposal and what became of it, or one act of a person at the wheel."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    proposal_id = models.UUIDField(default=uuid.uuid4, unique=True)
    actor = models.CharField(max_length=16)  # contracts Actor: who chose the action
    state = models.CharField(max_length=16, choices=StepState.choices, default=StepState.PROPOSED)
    observation = models.JSONField()  # contracts Observation, masked
    fingerprint = models.CharField(max_length=64)
    proposal = models.JSONField(null=True)  # contracts Proposal
    risk = models.CharField(max_length=16)  # contracts Risk
    decision = models.CharField(max_length=16, blank=True)  # approved | corrected | rejected | expired | cancelled
    source = models.CharField(max_length=16, blank=True)  # user | auto_policy | auto_session
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    action = models.JSONField(null=True)  # contracts Action: what is or was really done
    result = models.JSONField(null=True)  # contracts ActResult
    before = models.CharField(max_length=64, blank=True)  # SHA-256 of the masked JPEG in object storage
    after = models.CharField(max_length=64, blank=True)
    proposed_at = models.DateTimeField(auto_now_add=True)
    intent_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=["before"]), models.Index(fields=["after"]))
        constraints = (models.UniqueConstraint(fields=["session", "index"], name="step_index_once"),)

    def __str__(self) -> str:
        return f"step {self.index} of session {self.session_id}"


class ApprovalRequest(models.Model):
    """A question to people about one proposal on one page."""

    step = models.OneToOneField(Step, on_delete=models.CASCADE, related_name="approval")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="approvals")
    state = models.CharField(max_length=16, choices=ApprovalState.choices, default=ApprovalState.PENDING)
    risk_rank = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField()
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    claimed_until = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=["state", "-risk_rank", "asked_at"]),)

    def __str__(self) -> str:
        return f"approval of step {self.step_id}, {self.state}"


class SessionEvent(models.Model):
    """Numbered, append-only; live pages fold them over a snapshot."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=32)
    data = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["session", "seq"], name="event_seq_once"),)

    def __str__(self) -> str:
        return f"event {self.seq} of session {self.session_id}: {self.kind}"


class OperatorInput(models.Model):
    """One act of the person at the wheel, on its way to the browser."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="inputs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    data = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    consumed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"input {self.pk} for session {self.session_id}"


class FailureLabel(models.Model):
    """One entry of the failure taxonomy; archived, never deleted."""

    key = models.SlugField(max_length=48, unique=True)
    title = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    severity = models.PositiveSmallIntegerField(default=3)  # 1: rolls a rollout back at once
    position = models.PositiveSmallIntegerField(default=0)
    archived = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.key


class LabelMark(models.Model):
    """A failure label put on a session, or on one step of it."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="marks")
    step = models.ForeignKey(Step, on_delete=models.CASCADE, null=True, related_name="marks")
    label = models.ForeignKey(FailureLabel, on_delete=models.PROTECT, related_name="marks")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    note = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["session", "step", "label"], name="label_once", nulls_distinct=False),
        )

    def __str__(self) -> str:
        return f"label {self.label_id} on session {self.session_id}"
