"""The audit chain as a file: CSV for spreadsheets, JSON for programs."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from webapp.audit.models import AuditEntry

COLUMNS = ("id", "at", "actor", "how", "verb", "object_kind", "object_id", "before", "after", "previous", "digest")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_json(entries: Iterable[AuditEntry]) -> str:
    """A list of objects, one a line, each with all columns; times in ISO 8601."""
    return "[\n" + ",\n".join(json.dumps(_row(entry), ensure_ascii=False) for entry in entries) + "\n]\n"


def as_csv(entries: Iterable[AuditEntry]) -> str:
    """A header and a line for each; `before` and `after` in JSON; no cell is taken for a formula."""
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(COLUMNS)
    for entry in entries:
        out.writerow([_cell(value) for value in _row(entry).values()])
    return text.getvalue()


def _row(entry: AuditEntry) -> dict[str, Any]:
    row = {name: getattr(entry, name) for name in COLUMNS}
    return {**row, "at": entry.at.isoformat()}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text
