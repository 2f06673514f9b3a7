"""The one write of the audit chain."""

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.utils import timezone

from webapp.audit.models import AuditEntry

if TYPE_CHECKING:
    from webapp.accounts.models import User

_CHAIN_LOCK = 0x0BE1A700
_SECRET_KEYS = re.compile(r"pass(word|phrase)?|secret|token|api_?key|credential|digest", re.IGNORECASE)
GENESIS = "0" * 64


@transaction.atomic
def record(
    *,
    verb: str,
    object_kind: str,
    object_id: str,
    user: "User | None",
    how: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    actor: str = "",
) -> AuditEntry:
    """Append one entry in the caller's transaction; values under secret-like keys are masked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
    last = AuditEntry.objects.order_by("-id").first()
    entry = AuditEntry(
        at=timezone.now(),
        user=user,
        actor=actor or (user.get_username() if user else how),
        how=how,
        verb=verb,
        object_kind=object_kind,
        object_id=object_id,
        before=masked(before),
        after=masked(after),
        previous=last.digest if last else GENESIS,
    )
    entry.digest = digest(entry)
    entry.save(force_insert=True)
    return entry


def masked(value: Any) -> Any:
    """The same JSON value with secrets replaced."""
    if isinstance(value, dict):
        return {k: "•••" if _SECRET_KEYS.search(str(k)) else masked(v) for k, v in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    return value


def digest(entry: AuditEntry) -> str:
    """SHA-256 (hex) over the entry before and this one's canonical JSON."""
    columns = [
        entry.previous, entry.at.isoformat(), entry.user_id, entry.actor, entry.how, entry.verb,
        entry.object_kind, entry.object_id, entry.before, entry.after,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(columns, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
