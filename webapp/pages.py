"""How lists leave the API: a page of items and how many there are in all."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Field, Schema

T = TypeVar("T")
M = TypeVar("M", bound=Model)


class Window(Schema):
    """Which part of a list is wanted."""

    limit: int = Field(50, ge=1, le=500)
    offset: int = Field(0, ge=0)


class Page(Schema, Generic[T]):
    """One part of a list."""

    items: list[T]
    count: int


def page(rows: QuerySet[M], window: Window, convert: Callable[[M], Any]) -> dict[str, Any]:
    """This window of the rows, each converted."""
    part = rows[window.offset : window.offset + window.limit]
    return {"items": [convert(row) for row in part], "count": rows.count()}
