"""Who calls, and whether they may: one declaration per operation, enforced and shown in the schema alike."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, cast

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer

from webapp.accounts.models import ApiToken, Role, Scope, User
from webapp.problems import Forbidden


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A person, and the way they came in."""

    user: User
    how: Literal["web", "token"]


class _Cookie(APIKeyCookie):
    """A signed-in browser; writes need the CSRF token too."""

    param_name = settings.SESSION_COOKIE_NAME

    def __init__(self, role: Role) -> None:
        super().__init__(csrf=True)
        self.role = role

    def authenticate(self, request: HttpRequest, key: str | None) -> Caller | None:
        if not request.user.is_authenticated:
            return None
        _demand(request.user, self.role)
        return Caller(user=request.user, how="web")


class _Token(HttpBearer):
    """An API token, good for what its scopes name and no more than its owner's role."""

    def __init__(self, role: Role, scope: Scope) -> None:
        super().__init__()
        self.role = role
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        now = timezone.now()
        row = (
            ApiToken.objects.select_related("user")
            .filter(digest=digest(token), revoked_at=None, expires_at__gt=now, user__is_active=True)
            .first()
        )
        if row is None:
            return None
        if self.scope not in row.scopes:
            raise Forbidden(f"This token lacks the scope {self.scope}.")
        _demand(row.user, self.role)
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - timedelta(minutes=1))
        ApiToken.objects.filter(stale, id=row.pk).update(last_used_at=now)
        return Caller(user=row.user, how="token")


def needs(role: Role, scope: Scope) -> dict[str, Any]:
    """Arguments for a router's decorator: the least role, and the scope that a token must carry."""
    return {
        "auth": [_Token(role, scope), _Cookie(role)],
        "openapi_extra": {"x-role": str(role), "x-scope": str(scope)},
    }


def caller(request: HttpRequest) -> Caller:
    """Who calls; only inside operations that `needs` guards."""
    return cast(Caller, request.auth)  # type: ignore[attr-defined]  # ninja sets it


def digest(token: str) -> str:
    """SHA-256 (hex) under which a token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def _demand(user: User, role: Role) -> None:
    if not user.is_at_least(role):
        raise Forbidden(f"This needs the role {role}; you are {user.role}.")
