"""What a page of the console is made of: a few kinds of node, from which both faces are drawn."""

from typing import TypeAlias

from msgspec import Struct

States: TypeAlias = tuple[str, ...]  # sorted, named as in sandbox.contracts.observations


class Say(Struct, frozen=True, gc=False):
    """A text. `look`: p, h1, h2, h3, small, error, alert, state, slow, strong, empty, spinner, span."""

    text: str
    look: str = "p"


class Press(Struct, frozen=True, gc=False):
    """Something to press: a link where it has an address, a tab, or a button."""

    key: str
    text: str
    look: str = ""  # "", primary, danger, tab, sort, quiet, icon (drawn as a sign; `text` is its name)
    href: str = ""
    states: States = ()  # disabled, expanded, pressed, selected
    tip: str = ""  # shown while the pointer rests on it


class Entry(Struct, frozen=True, gc=False):
    """An input for text. `kind`: text, integer, date, secret."""

    key: str
    title: str
    value: str = ""
    kind: str = "text"
    states: States = ()  # invalid, required
    max_length: int = 200
    bare: bool = False  # named by the attribute alone, with no label drawn
    unit: str = ""  # stands behind it


class Choice(Struct, frozen=True, gc=False):
    """A closed list."""

    key: str
    title: str
    value: str
    options: tuple[str, ...]
    states: States = ()
    bare: bool = False


class Tick(Struct, frozen=True, gc=False):
    """A check box."""

    key: str
    title: str
    checked: bool
    states: States = ()
    bare: bool = False


Item: TypeAlias = Say | Press | Entry | Choice | Tick


class Line(Struct, frozen=True, gc=False):
    """Things beside each other. `look`: head, tools, tabs, actions, verbs, bar."""

    items: tuple[Item, ...]
    look: str = ""


class Field(Struct, frozen=True, gc=False):
    """One field of a form: its input with what helps and what is wrong."""

    control: Entry | Choice | Tick
    help: str = ""
    error: str = ""


class Points(Struct, frozen=True, gc=False):
    """A list of short points: breadcrumbs, steps, tags. A point is a text, something to press, or both."""

    points: tuple[tuple[Say | None, Press | None], ...]
    look: str  # crumbs, steps, tags
    current: int = -1


class Menu(Struct, frozen=True, gc=False):
    """Navigation: links under group titles, in so many columns."""

    items: tuple[Item, ...]
    columns: int


class Row(Struct, frozen=True, gc=False):
    """One row of a table, cell by cell."""

    cells: tuple[tuple[Item, ...], ...]


class Table(Struct, frozen=True, gc=False):
    """Rows under headings."""

    label: str
    heads: tuple[Item, ...]
    rows: tuple[Row, ...]


class Facts(Struct, frozen=True, gc=False):
    """Titles with their values."""

    rows: tuple[tuple[str, Say | Press], ...]


class Card(Struct, frozen=True, gc=False):
    """One object as a card."""

    items: tuple[Item, ...]


class Cards(Struct, frozen=True, gc=False):
    """Objects as cards."""

    cards: tuple[Card, ...]


class Toast(Struct, frozen=True, gc=False):
    """A notice that can be dismissed."""

    key: str
    text: str
    dismiss: str  # the name of its button


Node: TypeAlias = Say | Line | Field | Points | Menu | Table | Facts | Cards | Toast


def text_of(item: Item) -> str:
    """What a table row says of this item: buttons and inputs say nothing there."""
    if isinstance(item, Say):
        return item.text
    if isinstance(item, Press) and item.href:
        return item.text
    return ""
