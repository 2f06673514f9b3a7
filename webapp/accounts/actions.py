"""Every write about people: signing in and out, making and changing them, tokens."""

import re
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from redis import Redis

from webapp.access import digest
from webapp.accounts.models import ApiToken, Role, Scope, User
from webapp.audit.actions import record
from webapp.problems import BadInput, Conflict, Forbidden, NotSignedIn, TooManyRequests

# Names are what people tell each other apart by: no look-alikes from another alphabet or in capitals.
_NAME = re.compile(r"[A-Za-z0-9._-]{1,150}")
SIGN_IN_TRIES = 10  # per name and address
SIGN_IN_TRIES_OF_ADDRESS = 100  # failed ones, whatever the names
SIGN_IN_WINDOW_S = 300


def sign_in(*, request: HttpRequest, username: str, password: str) -> User:
    """Open a signed-in browser session. Raises NotSignedIn, TooManyRequests; failures are audited within the limits."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    by_name = f"belay:sign-in:{digest(f'{address} {username.lower()}')}"
    by_address = f"belay:sign-in:{digest(address)}"
    with Redis.from_url(settings.VALKEY_URL) as valkey:
        if _count(valkey, by_name) > SIGN_IN_TRIES or int(valkey.get(by_address) or 0) >= SIGN_IN_TRIES_OF_ADDRESS:
            raise TooManyRequests(f"Too many tries. Wait {SIGN_IN_WINDOW_S // 60} minutes.")
        user = authenticate(request, username=username, password=password)
        if not isinstance(user, User):
            _count(valkey, by_address)
            _record_failed_sign_in(username, address)
            raise NotSignedIn("Name or password is wrong.")
        valkey.delete(by_name)
    with transaction.atomic():
        login(request, user)
        record("user.sign_in", ("user", user.pk), user=user, how="web", after={"address": address})
    return user


def _count(valkey: Redis, key: str) -> int:
    valkey.set(key, 0, nx=True, ex=SIGN_IN_WINDOW_S)  # never a counter without an end
    return int(valkey.incr(key))


def _record_failed_sign_in(username: str, address: str) -> None:
    """Who was tried and from where; a name that nobody has may be a password in the wrong field, and is not kept."""
    known = User.objects.filter(username=username).first()
    record(
        "user.sign_in_failed",
        ("user", known.pk if known else ""),
        user=None,
        how="web",
        actor=known.username if known else "somebody unknown",
        after={"address": address},
    )


def sign_out(*, request: HttpRequest, user: User) -> None:
    """Close this browser's session."""
    record("user.sign_out", ("user", user.pk), user=user, how="web")
    logout(request)


@transaction.atomic
def create_person(*, username: str, role: Role, password: str, by: User | None, how: str) -> User:
    """Make a person who can sign in. Raises BadInput naming the field."""
    if not _NAME.fullmatch(username):
        sentence = "Letters from a to z, digits, dots, dashes; at most 150."
        raise BadInput("This name cannot be used.", errors={"username": sentence})
    if User.objects.filter(username__iexact=username).exists():
        raise BadInput("This name is taken.", errors={"username": "Somebody has this name already."})
    _check_password(password)
    try:
        with transaction.atomic():
            user = User.objects.create_user(username=username, password=password, role=role)
    except IntegrityError:
        raise BadInput("This name is taken.", errors={"username": "Somebody has this name already."}) from None
    record("user.create", ("user", user.pk), user=by, how=how, after={"username": username, "role": role})
    return user


@transaction.atomic
def change_person(
    *, user_id: int, role: Role | None, is_active: bool | None, password: str | None, by: User, how: str
) -> User:
    """Change a person's role, whether they may sign in, or their password. Raises BadInput, Conflict, Forbidden."""
    # Changes come one after the other, so that two admins who demote each other do not leave none.
    admins = User.objects.select_for_update(no_key=True).filter(role=Role.ADMIN, is_active=True).order_by("pk")
    if by.pk not in [admin.pk for admin in admins]:
        raise Forbidden("You are not an admin any more.")
    user = User.objects.select_for_update(no_key=True).get(id=user_id)
    before = {"role": user.role, "is_active": user.is_active}
    if user.pk == by.pk and (is_active is False or (role is not None and role != Role.ADMIN)):
        raise Conflict("You cannot take your own admin rights away; ask another admin.")
    if role is not None:
        user.role = role
    if is_active is not None:
        user.is_active = is_active
    if password is not None:
        _check_password(password)
        user.set_password(password)
    user.save(update_fields=["role", "is_active", "password"])
    after = {"role": user.role, "is_active": user.is_active, "password_changed": password is not None}
    record("user.change", ("user", user.pk), user=by, how=how, before=before, after=after)
    return user


@transaction.atomic
def create_token(*, user: User, name: str, scopes: list[Scope], days: int, how: str) -> tuple[ApiToken, str]:
    """Make a token; its text is returned this once and kept nowhere."""
    text = f"belay_{secrets.token_urlsafe(32)}"
    row = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=text[:12],
        digest=digest(text),
        scopes=sorted(scopes),
        expires_at=timezone.now() + timedelta(days=days),
    )
    after = {"name": name, "scopes": row.scopes, "days": days}
    record("token.create", ("user", user.pk), user=user, how=how, after=after)
    return row, text


@transaction.atomic
def revoke_token(*, token: ApiToken, user: User, how: str) -> None:
    """Make a token useless from now on; harmless where it is already."""
    if ApiToken.objects.filter(id=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record("token.revoke", ("user", token.user.pk), user=user, how=how, after={"name": token.name})


def _check_password(password: str) -> None:
    try:
        validate_password(password)
    except ValidationError as problem:
        raise BadInput("This password cannot be used.", errors={"password": " ".join(problem.messages)}) from None
