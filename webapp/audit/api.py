"""HTTP of the audit chain."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema

from webapp.access import needs
from webapp.accounts.models import Role, Scope
from webapp.audit import queries
from webapp.audit.models import AuditEntry
from webapp.pages import Page, Window, page

router = Router(tags=["audit"])


class EntryRow(Schema):
    id: int
    at: datetime
    actor: str
    how: str
    verb: str
    object_kind: str
    object_id: str
    before: Any = None
    after: Any = None
    digest: str


class Filters(Schema):
    object_kind: str = ""
    object_id: str = ""
    verb: str = ""
    user: str = ""


class ChainView(Schema):
    ok: bool
    entries: int
    first_broken: int | None


def entry_row(entry: AuditEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in EntryRow.model_fields}


@router.get("/audit", response=Page[EntryRow], **needs(Role.REVIEWER, Scope.READ))
def list_entries(request: HttpRequest, filters: Query[Filters], window: Query[Window]) -> dict[str, Any]:
    return page(queries.entries(**filters.dict()), window, entry_row)


@router.get("/audit/verify", response=ChainView, **needs(Role.ADMIN, Scope.ADMIN))
def verify_chain(request: HttpRequest) -> queries.ChainReport:
    return queries.verify()
