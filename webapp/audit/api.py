"""HTTP of the audit chain."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema

from webapp.access import needs
from webapp.accounts.models import Role, Scope
from webapp.audit import export, queries
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


class Export(Filters):
    """Which entries as a file; what is beyond `limit` follows with `before` set to the last id."""

    format: Literal["csv", "json"] = "csv"
    limit: int = Field(100_000, ge=1, le=100_000)
    before: int | None = Field(None, ge=1)


class ChainView(Schema):
    ok: bool
    entries: int
    first_broken: int | None


def entry_row(entry: AuditEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in EntryRow.model_fields}


@router.get("/audit", response=Page[EntryRow], **needs(Role.REVIEWER, Scope.READ))
def list_entries(request: HttpRequest, filters: Query[Filters], window: Query[Window]) -> dict[str, Any]:
    return page(queries.entries(**filters.dict()), window, entry_row)


@router.get("/audit/export", response={200: None}, **needs(Role.REVIEWER, Scope.READ))
def export_entries(request: HttpRequest, wanted: Query[Export]) -> HttpResponse:
    rows = queries.entries(**wanted.dict(include=set(Filters.model_fields)))
    if wanted.before is not None:
        rows = rows.filter(id__lt=wanted.before)
    entries = rows[: wanted.limit].iterator()
    if wanted.format == "csv":
        response = HttpResponse(export.as_csv(entries), content_type="text/csv; charset=utf-8")
    else:
        response = HttpResponse(export.as_json(entries), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="audit.{wanted.format}"'
    return response


@router.get("/audit/verify", response=ChainView, **needs(Role.ADMIN, Scope.ADMIN))
def verify_chain(request: HttpRequest) -> queries.ChainReport:
    return queries.verify()
