"""Rows: people and API tokens."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    """Each may do what those before it may."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        return list(Role).index(self)


class User(AbstractUser):
    """A person who can sign in."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.OPERATOR)

    def is_at_least(self, role: Role) -> bool:
        """Whether this person's role includes the given one."""
        return Role(self.role).rank >= role.rank


class Scope(models.TextChoices):
    """What a token may be used for, within its owner's role."""

    READ = "read"
    TICKETS = "tickets"  # file, cancel, re-run
    DECIDE = "decide"  # approve, correct, reject, take over, review
    ADMIN = "admin"  # promote, roll back, settings


class ApiToken(models.Model):
    """A bearer token; only its SHA-256 is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)  # shown to tell tokens apart
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
