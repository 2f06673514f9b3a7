"""Every read of the audit chain."""

from dataclasses import dataclass

from django.db.models import QuerySet

from webapp.audit.actions import GENESIS, digest
from webapp.audit.models import AuditEntry


@dataclass(frozen=True, kw_only=True)
class ChainReport:
    """Whether every entry is as it was written and follows the one before."""

    ok: bool
    entries: int
    first_broken: int | None


def entries(*, object_kind: str = "", object_id: str = "", verb: str = "", user: str = "") -> QuerySet[AuditEntry]:
    """Entries, newest first; empty filters do not filter."""
    exact = {"object_kind": object_kind, "object_id": object_id, "actor": user}
    rows = AuditEntry.objects.filter(**{name: value for name, value in exact.items() if value})
    if verb:
        rows = rows.filter(verb__startswith=verb)
    return rows.order_by("-id")


def verify() -> ChainReport:
    """Walk the whole chain."""
    previous, count = GENESIS, 0
    for entry in AuditEntry.objects.order_by("id").iterator():
        count += 1
        if entry.previous != previous or entry.digest != digest(entry):
            return ChainReport(ok=False, entries=count, first_broken=entry.pk)
        previous = entry.digest
    return ChainReport(ok=True, entries=count, first_broken=None)
