"""What a person does on a page of the console: follows links, searches, sorts, ticks, closes what is in the way."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from sandbox.worlds.console.forms import held
from sandbox.worlds.console.places import place_at

if TYPE_CHECKING:
    from sandbox.worlds.console.view import View


def follow(view: "View", address: str, _: str) -> None:
    """Go where a link leads."""
    view.go(*place_at(view.world.console, address))


def search(view: "View", _: str, value: str) -> None:
    """Search the list."""
    _look(view, search=value, page=1)


def narrow(view: "View", field: str, value: str) -> None:
    """Filter the list by a field, or no longer."""
    others = tuple(pair for pair in view.listing.filters if pair[0] != field)
    kept = value != view.words.text("All")
    value = held(view.words, view.world.console.kind(view.place.kind), field, value)
    _look(view, filters=(*others, (field, value)) if kept else others, page=1)


def sort(view: "View", column: str, _: str) -> None:
    """Sort by a column; pressed again, the other way round."""
    _look(view, sort=f"-{column}" if view.listing.sort == column else column, page=1)


def turn(view: "View", number: str, _: str) -> None:
    """Go to another page of the list."""
    _look(view, page=int(number), ticked=())
    view.pages += 1


def tick(view: "View", object_id: str, value: str) -> None:
    """Tick or untick one row."""
    rest = tuple(each for each in view.listing.ticked if each != object_id)
    _look(view, ticked=(*rest, object_id) if value == "yes" else rest)


def tick_all(view: "View", ids: str, value: str) -> None:
    """Tick or untick every row that is shown."""
    _look(view, ticked=tuple(ids.split(",")) if value == "yes" else ())


def peek(view: "View", object_id: str, _: str) -> None:
    """Open the quick look at an object, or close it."""
    view.drawer = object_id


def tab(view: "View", name: str, _: str) -> None:
    """Open a tab."""
    view.place = replace(view.place, tab=name)
    view.pages += 1


def dismiss(view: "View", number: str, _: str) -> None:
    """Put a notice away."""
    view.toasts = tuple(each for each in view.toasts if str(each.number) != number)


def answer_cookies(view: "View", *_: str) -> None:
    """Say something to the cookie bar."""
    view.cookies = False


def answer_survey(view: "View", *_: str) -> None:
    """Say something to the survey."""
    view.survey = False


def sign_in_again(view: "View", *_: str) -> None:
    """Take the expired session up again."""
    view.expired = False


def _look(view: "View", **changes: object) -> None:
    view.listing = replace(view.listing, **changes)
