"""Rows: audit entries."""

from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """Who did what to what, when and how; `digest` chains over the entry before."""

    at = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    actor = models.CharField(max_length=150)  # user name, or "session host", "celery", ...
    how = models.CharField(max_length=16)  # web | token | cli | host | celery | system
    verb = models.CharField(max_length=64)  # e.g. "ticket.open"
    object_kind = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        indexes = (models.Index(fields=["object_kind", "object_id"]), models.Index(fields=["at"]))

    def __str__(self) -> str:
        return f"{self.verb} {self.object_kind} {self.object_id} by {self.actor}"
