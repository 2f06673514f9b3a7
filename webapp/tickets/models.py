"""Rows: tickets and the approval policy of each environment."""

from django.conf import settings
from django.db import models

from webapp.tickets.states import TicketState


class Ticket(models.Model):
    """One request for console work. A re-run is a new session of the same ticket."""

    title = models.CharField(max_length=200)
    environment = models.CharField(max_length=64)
    template = models.CharField(max_length=128, blank=True)  # "" for free text
    parameters = models.JSONField(default=dict)
    text = models.TextField(blank=True)  # the goal in words
    seed = models.BigIntegerField()
    state = models.CharField(max_length=16, choices=TicketState.choices, default=TicketState.OPEN)
    priority = models.PositiveSmallIntegerField(default=3)  # 1 urgent .. 4 low
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tickets")
    # NULL, unlike "", may repeat under the constraint below
    idempotency_key = models.CharField(max_length=128, null=True)  # noqa: DJ001
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = (models.Index(fields=["state", "priority", "created_at"]),)
        constraints = (models.UniqueConstraint(fields=["filed_by", "idempotency_key"], name="ticket_idempotency"),)

    def __str__(self) -> str:
        return f"ticket {self.pk}: {self.title}"


class ApprovalPolicy(models.Model):
    """Up to which risk an environment's steps go on without asking. Never destructive, credential or unknown."""

    class UpTo(models.TextChoices):
        NOTHING = "nothing"
        READ = "read"
        REVERSIBLE = "reversible"
        COST = "cost"

    environment = models.CharField(max_length=64, primary_key=True)
    auto_approve_up_to = models.CharField(max_length=16, choices=UpTo.choices, default=UpTo.READ)
    approval_timeout_s = models.PositiveIntegerField(default=3600)
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.environment}: up to {self.auto_approve_up_to}"
