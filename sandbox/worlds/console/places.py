"""Where in a console somebody is, what lies over the page, and how that is written as an address."""

from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from msgspec import Struct

from sandbox.worlds.console.declare import Console

EventKind: TypeAlias = Literal["click", "input", "key"]


class Event(Struct, frozen=True):
    """Something that a person did to the node with this key. Ticks have no key."""

    kind: EventKind
    key: str
    value: str = ""  # the text, the option, yes/no of a check box, or the name of the key


class Place(Struct, frozen=True):
    """Where in the console somebody is. `page`: overview, list, new, object, missing."""

    page: str = "overview"
    kind: str = ""
    object_id: str = ""
    tab: str = ""


class Listing(Struct, frozen=True):
    """How a list is looked at."""

    search: str = ""
    sort: str = ""  # a column, with "-" before it from high to low
    page: int = 1
    filters: tuple[tuple[str, str], ...] = ()
    ticked: tuple[str, ...] = ()


class Dialog(Struct, frozen=True):
    """What lies over the page. `about`: verb, child, bulk."""

    about: str
    kind: str
    verb: str = ""
    object_id: str = ""  # of the object, or of the parent of a child to be
    ids: tuple[str, ...] = ()


class Notice(Struct, frozen=True):
    """A toast; it stays for one more page."""

    number: int
    text: str
    age: int = 0


def address_of(console: Console, place: Place, listing: Listing) -> str:
    """Path and query of a page."""
    if not place.kind:
        return "/" if place.page == "overview" else place.tab
    base = f"/{console.kind(place.kind).path}"
    if place.page == "new":
        return f"{base}/new"
    if place.page == "object":
        return f"{base}/{place.object_id}" + (f"?tab={place.tab}" if place.tab else "")
    query = {"q": listing.search, "sort": listing.sort, "page": str(listing.page) if listing.page > 1 else ""}
    kept = {name: value for name, value in (*query.items(), *listing.filters) if value}
    return base + (f"?{urlencode(kept)}" if kept else "")


def place_at(console: Console, address: str) -> tuple[Place, Listing]:
    """What an address leads to; what is nowhere is the page `missing`."""
    at = urlsplit(address)
    parts, query = [part for part in at.path.split("/") if part], dict(parse_qsl(at.query))
    if not parts:
        return Place(), Listing()
    kind = console.at(parts[0])
    if kind is None or kind.parent:
        return Place("missing", "", "", at.path), Listing()
    match parts[1:]:
        case []:
            filters = tuple((name, query[name]) for name in kind.filters if query.get(name))
            listing = Listing(query.get("q", ""), query.get("sort", ""), _number(query.get("page", "")), filters)
            return Place("list", kind.name), listing
        case ["new"] if kind.wizard:
            return Place("new", kind.name), Listing()
        case [object_id]:
            others = {tab.name for tab in kind.tabs[1:]}
            tab = query.get("tab", "")
            return Place("object", kind.name, object_id, tab if tab in others else ""), Listing()
    return Place("missing", "", "", at.path), Listing()


def _number(text: str) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else 1
