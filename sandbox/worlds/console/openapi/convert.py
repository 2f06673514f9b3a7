"""The whole way from an API document to a declared console."""

import re
import time
from collections import Counter
from pathlib import Path

from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.openapi.document import Document, Unreadable
from sandbox.worlds.console.openapi.kinds import Drafter
from sandbox.worlds.console.openapi.paths import Sorter
from sandbox.worlds.console.openapi.report import Left, Report, size_of
from sandbox.worlds.console.openapi.schema import Flattener
from sandbox.worlds.console.openapi.tasks import tasks_of
from sandbox.worlds.console.soundness import checked


def console_from(path: Path, *, within: Path | None = None) -> tuple[Console, Report]:
    """The console that an API document describes, and the report.

    References may lead to files beneath `within` (the document's folder, where nothing else is said).
    Raises Unreadable where nothing can be used.
    """
    began = time.monotonic()
    document = Document(path, within=within)
    dialect = _dialect(document)
    left: list[tuple[str, str]] = []
    flat = Flattener(document, left)
    sorter = Sorter(document, flat)
    resources = sorter.sorted()
    kinds = Drafter(flat, left).kinds(resources)
    info = document.root.map("info")
    title = " ".join(info.text("title").split())[:60] or path.stem
    if not kinds:
        told = "".join(f"\n{problem}" for problem in document.problems)
        raise Unreadable(f"{path.name}:{document.root.at('paths')}: no path lists or makes anything with fields{told}")
    sizes = [r.listing.page_size for r in resources if r.listing is not None and r.listing.page_size]
    size = min(max(Counter(sizes).most_common(1)[0][0], 5), 12) if sizes else 8
    console = checked(Console(name=id_of(title), title=title, kinds=tuple(kinds), page_size=size))
    paging = Counter(r.listing.paging for r in resources if r.listing is not None and r.listing.paging)
    kinds_count, fields, verbs = size_of(console)
    lost = {**sorter.left, **{what: why for what, why in left if what in sorter.names}}
    report = Report(
        id=console.name,
        title=title,
        dialect=dialect,
        operations=len(sorter.names),
        used=len(sorter.names) - len(lost),
        kinds=kinds_count,
        fields=fields,
        verbs=verbs,
        tasks=len(tasks_of(console)),
        paging=dict(paging),
        left_operations=tuple(Left(what, why) for what, why in lost.items()),
        left=tuple(Left(what, why) for what, why in dict.fromkeys(left) if what not in lost),
        problems=tuple(document.problems),
        seconds=round(time.monotonic() - began, 2),
    )
    return console, report


def id_of(title: str) -> str:
    """An environment's id from a title: `Harbor API` -> harbor-api; none is called like a world of ours."""
    parts = re.findall(r"[a-z0-9]+", title.lower()) or ["console"]
    parts = parts if parts[0][0].isalpha() else ["api", *parts]
    return "-".join(parts if "api" in parts else [*parts, "api"])[:60].rstrip("-")


def _dialect(document: Document) -> str:
    root = document.root
    if "openapi" in root:
        return f"OpenAPI {root['openapi']}"
    if "swagger" in root:
        return f"Swagger {root['swagger']}"
    document.note(root, "neither 'openapi' nor 'swagger' says which dialect this is; read as OpenAPI 3")
    return "unknown dialect"
