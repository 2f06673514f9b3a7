"""The one write of the audit chain."""

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from webapp import locks
from webapp.audit.models import AuditEntry
from webapp.texts import without_credentials

if TYPE_CHECKING:
    from webapp.accounts.models import User

_SECRET_KEYS = re.compile(r"pass(word|phrase)?|secret|token|api_?key|credential|digest", re.IGNORECASE)
GENESIS = "0" * 64
ACTORS = {"host": "session host", "celery": "background worker"}  # who acts where no person does, by how


@transaction.atomic
def record(
    verb: str,
    subject: tuple[str, object],
    *,
    user: "User | None",
    how: str,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    actor: str = "",
) -> AuditEntry:
    """Append one entry in the caller's transaction; secret-like keys' values and passwords in addresses are masked.

    `subject`: kind and id of what was changed, such as ("ticket", 7). `actor`: whom to name where it is no user.
    """
    locks.take(locks.AUDIT_CHAIN)
    last = AuditEntry.objects.order_by("-id").first()
    entry = AuditEntry(
        at=timezone.now(),
        user=user,
        actor=actor or (user.get_username() if user else ACTORS.get(how, how)),
        how=how,
        verb=verb,
        object_kind=subject[0],
        object_id=str(subject[1]),
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
    return without_credentials(value) if isinstance(value, str) else value


def digest(entry: AuditEntry) -> str:
    """SHA-256 (hex) over the entry before and this one's canonical JSON."""
    columns = [
        entry.previous, entry.at.isoformat(), entry.user_id, entry.actor, entry.how, entry.verb,
        entry.object_kind, entry.object_id, entry.before, entry.after,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(columns, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
