"""Every read about people."""

from django.db.models import QuerySet

from webapp.accounts.models import ApiToken, User


def people() -> QuerySet[User]:
    """Everybody, by name."""
    return User.objects.order_by("username")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """A person's tokens that were not revoked, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None).order_by("-id")
