"""A part of a page that is drawn as one: its nodes, and the elements that they are in an observation."""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any
from zlib import crc32

import msgspec

from sandbox.contracts.observations import Box, Element
from sandbox.worlds.console.nodes import (
    Card,
    Cards,
    Choice,
    Entry,
    Facts,
    Field,
    Item,
    Line,
    Menu,
    Node,
    Points,
    Press,
    Row,
    Say,
    States,
    Table,
    Tick,
    Toast,
    text_of,
)

MASK = "•••"  # what an observation shows for a secret
# Heights in CSS pixels; the style sheet draws by the same.
LINE, HEAD, SUBHEAD, CRUMBS, TEXT, LONG_TEXT, SMALL, ERROR = 44, 52, 36, 28, 26, 46, 20, 22
LABEL, CONTROL, GAP, TICK = 22, 34, 10, 30
TABLE_HEAD, TABLE_ROW, FACT, CARD_LINE, CARD_PAD = 36, 38, 34, 24, 28
_LONG = 52  # texts that are broader get two lines; counted in Latin letters
CARDS_ABREAST = 3
MENU_LINE = 30

_ROLES = {"h1": "heading", "h2": "heading", "h3": "heading", "alert": "status"}
_encoder = msgspec.msgpack.Encoder()


def ref_of(key: str) -> int:
    """The number by which an observation calls the node with this key; the same everywhere and always."""
    return crc32(key.encode()) & 0x7FFFFFFF or 1


class Thing:
    """One element before it has a place."""

    __slots__ = (
        "group", "height", "key", "label", "name", "node", "options", "ref", "role", "row", "states", "usable", "value",
        "width", "x", "y",
    )  # fmt: skip

    def __init__(self, key: str, role: str, name: str, node: Item) -> None:
        self.key = key
        self.ref = crc32(key.encode()) & 0x7FFFFFFF or 1
        self.role = role
        self.name = name
        self.node = node
        self.value = self.label = self.row = self.group = ""
        self.states: States = ()
        self.options: tuple[str, ...] = ()
        self.usable = True
        self.x = self.y = self.width = self.height = 0


class Section:
    """Nodes of one part of a page. `name` is unique on the page; `group` is what a screen reader would call it."""

    __slots__ = ("_digest", "_placed", "_stops", "_things", "alerts", "group", "height", "name", "nodes", "region")

    def __init__(self, name: str, nodes: tuple[Node, ...], *, group: str = "", region: str = "main") -> None:
        self.name = name
        self.nodes = nodes
        self.group = group
        self.region = region
        self.height = sum(_height(node) for node in nodes)
        self.alerts = _alerts(nodes)  # notices that it shows: text, and the middle of its place
        self._things: dict[int, Thing] | None = None
        self._stops: tuple[str, ...] | None = None
        self._digest = b""
        self._placed: tuple[tuple[int, int, int, int, int], tuple[Element, ...]] | None = None

    @property
    def things(self) -> dict[int, Thing]:
        """Its elements by ref, in document order."""
        if self._things is None:
            self._things = {thing.ref: thing for thing in _things(self)}
        return self._things

    @property
    def stops(self) -> tuple[str, ...]:
        """Keys of what can be focused, in document order."""
        if self._stops is None:
            usable = (it for it in self.things.values() if it.usable and "disabled" not in it.states)
            self._stops = tuple(it.key for it in usable)
        return self._stops

    @property
    def digest(self) -> bytes:
        """Equal where everything that a fingerprint counts is equal."""
        if not self._digest:
            said = _encoder.encode((self.group, self.region, self.nodes))
            self._digest = blake2b(said, digest_size=12).digest()
        return self._digest

    def placed(self, x: int, y: int, width: int, *, top: int, bottom: int) -> tuple[Element, ...]:
        """Its elements where it lies at (x, y) in a part of the screen that shows from `top` to `bottom`."""
        spot = (x, y, width, top, bottom)
        if self._placed is None or self._placed[0] != spot:
            self._placed = (spot, tuple(self._elements(x, y, width, top, bottom)))
        return self._placed[1]

    def _elements(self, x: int, y: int, width: int, top: int, bottom: int) -> Iterator[Element]:
        region, group = self.region, self.group
        for it in self.things.values():
            middle = y + it.y + it.height / 2
            states = it.states
            if not top <= middle <= bottom:
                states = tuple(sorted((*states, "offscreen")))
            box = Box(x + it.x, y + it.y, min(it.width, width), it.height)
            yield Element(
                it.ref,
                it.role,
                it.name,
                it.value,
                states,
                box,
                it.group or group,
                it.row,
                it.label,
                it.options,
                region,
                0,
                it.usable,
            )


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def squash(text: str) -> str:
    """A text as it is drawn: white space is one blank."""
    return " ".join(text.split())


def is_long(text: str) -> bool:
    """Whether a text gets two lines. Characters of East Asia are twice as broad as Latin ones."""
    broad = 0 if text.isascii() else sum(character >= "\u2e80" for character in text)
    return len(text) + broad > _LONG


def _note_height(text: str, line: int) -> int:
    return 0 if not text else 2 * line if is_long(text) else line


def _height(node: Node) -> int:
    if type(node) is Field:
        control = TICK if type(node.control) is Tick else LABEL + CONTROL
        return control + _note_height(node.help, SMALL) + _note_height(node.error, ERROR) + GAP
    if type(node) is Say:
        return say_height(node)
    if type(node) is Line:
        return HEAD if node.look == "head" else LINE
    if type(node) is Table:
        return TABLE_HEAD + TABLE_ROW * len(node.rows)
    if type(node) is Facts:
        return FACT * len(node.rows)
    if type(node) is Points:
        return CRUMBS
    if type(node) is Menu:
        return -(-len(node.items) // node.columns) * MENU_LINE
    if type(node) is Cards:
        return -(-len(node.cards) // CARDS_ABREAST) * (card_height(node) + GAP)
    return LINE


def say_height(node: Say) -> int:
    """How high a text is drawn."""
    if node.look in ("h1", "h2"):
        return HEAD if node.look == "h1" else SUBHEAD
    return LONG_TEXT if is_long(node.text) else TEXT


def card_height(node: Cards) -> int:
    """How high each of the cards is drawn."""
    return CARD_LINE * max((len(card.items) - _ticks(card) for card in node.cards), default=1) + CARD_PAD


def _ticks(card: Card) -> int:
    """Check boxes of a card: they stand in its corner, beside the first line."""
    return sum(type(item) is Tick for item in card.items)


def _alerts(nodes: tuple[Node, ...]) -> tuple[tuple[str, float], ...]:
    found, y = [], 0
    for node in nodes:
        if isinstance(node, Toast) or (isinstance(node, Say) and node.look == "alert"):
            found.append((node.text, y + _height(node) / 2))
        y += _height(node)
    return tuple(found)


def _things(section: Section) -> Iterator[Thing]:
    y = 0
    for number, node in enumerate(section.nodes):
        yield from _PARTS[type(node)](node, f"{section.name}~{number}", y)
        y += _height(node)


def _thing(item: Item, key: str) -> Thing:
    """The element of one item, wherever it stands. `key` names texts, which have no key of their own."""
    if isinstance(item, Say):
        it = Thing(key, _ROLES.get(item.look, "text"), _cut(squash(item.text), 300), item)
        it.usable = False
    elif isinstance(item, Press):
        role = "link" if item.href else "tab" if item.look == "tab" else "button"
        it = Thing(item.key, role, _cut(squash(item.text), 120), item)
        it.states = item.states
    elif isinstance(item, Entry):
        it = Thing(item.key, "textbox", item.title, item)
        secret = item.kind == "secret"
        it.value = (MASK if item.value else "") if secret else _cut(item.value, 400)
        it.states = ("editable", *item.states) if not secret else tuple(sorted(("editable", "password", *item.states)))
        it.label = "" if item.bare else item.title
    elif isinstance(item, Choice):
        it = Thing(item.key, "combobox", item.title, item)
        it.value, it.options, it.states = item.value, item.options, item.states
        it.label = "" if item.bare else item.title
    else:
        it = Thing(item.key, "checkbox", item.title, item)
        it.states = ("checked", *item.states) if item.checked else item.states
        it.label = "" if item.bare else item.title
    return it


def _spread(items: tuple[Item, ...], key: str, y: int, height: int) -> Iterator[Thing]:
    x = 0
    for number, item in enumerate(items):
        it = _thing(item, f"{key}.{number}")
        it.x, it.y, it.height, it.width = x, y + 6, height - 12, 24 + 8 * len(it.name)
        x += it.width + 8
        yield it


def _say(node: Say, key: str, y: int) -> Iterator[Thing]:
    it = _thing(node, key)
    it.y, it.width, it.height = y, 1000, say_height(node)
    yield it


def _line(node: Line, key: str, y: int) -> Iterator[Thing]:
    yield from _spread(node.items, key, y, _height(node))


def _field(node: Field, key: str, y: int) -> Iterator[Thing]:
    it = _thing(node.control, key)
    top, height = (0, TICK) if type(node.control) is Tick else (LABEL, CONTROL)
    it.y, it.width, it.height = y + top, 420, height
    yield it
    if isinstance(node.control, Entry) and node.control.unit:
        unit = _thing(Say(node.control.unit, "unit"), f"{key}.unit")
        unit.x, unit.y, unit.width, unit.height = 430, y + top, 60, height
        yield unit
    y += top + height
    for text, line in ((node.help, SMALL), (node.error, ERROR)):
        if text:
            said = _thing(Say(text), f"{key}.{line}")
            said.y, said.width, said.height = y, 420, _note_height(text, line)
            yield said
            y += said.height


def _points(node: Points, key: str, y: int) -> Iterator[Thing]:
    x = 0
    for number, (said, press) in enumerate(node.points):
        for item in (said, press):
            if item is None:
                continue
            it = _thing(item, f"{key}.{number}")
            it.x, it.y, it.height, it.width = x, y, CRUMBS, 16 + 8 * len(it.name)
            if said is not None and item is press:
                it.row = squash(said.text)
            x += it.width
            yield it


def _menu(node: Menu, key: str, y: int) -> Iterator[Thing]:
    wide = 1260 // node.columns if node.columns > 1 else 200
    for number, item in enumerate(node.items):
        it = _thing(item, f"{key}.{number}")
        it.x, it.y = number % node.columns * wide, y + number // node.columns * MENU_LINE
        it.width, it.height = wide, MENU_LINE
        yield it


def _table(node: Table, key: str, y: int) -> Iterator[Thing]:
    titles = tuple(head.text if isinstance(head, Say | Press) else "" for head in node.heads)
    said = " | ".join(head.text for head in node.heads if type(head) is Say and head.text)
    wide = 1020 // max(1, len(node.heads))
    for column, head in enumerate(node.heads):
        if type(head) is Say and not head.text:
            continue
        it = _thing(head, f"{key}.h{column}")
        it.role = "cell" if type(head) is Say else it.role
        it.row = "" if said == it.name else said
        it.label = titles[0] if column == 1 and len(titles) == 2 else ""
        it.x, it.y, it.width, it.height, it.group = column * wide, y, wide, TABLE_HEAD, node.label
        yield it
    y += TABLE_HEAD
    for number, row in enumerate(node.rows):
        for it in _row(row, f"{key}.{number}", y, titles, wide):
            it.group = node.label
            yield it
        y += TABLE_ROW


def _row(row: Row, key: str, y: int, titles: tuple[str, ...], wide: int) -> Iterator[Thing]:
    texts = [squash(" ".join(text_of(item) for item in cell)) for cell in row.cells]
    said = _cut(" | ".join(text for text in texts if text), 200)
    first = texts[0] if len(texts) == 2 else ""
    for column, cell in enumerate(row.cells):
        label = titles[column] or (first if column else "")
        for number, item in enumerate(cell):
            it = _thing(item, f"{key}.{column}")
            if type(item) is Say:
                it.role = "cell"
            it.row = "" if said == it.name else said
            it.label = label
            it.x, it.y, it.width, it.height = column * wide + number * 90, y + 4, 80, TABLE_ROW - 8
            yield it


def _facts(node: Facts, key: str, y: int) -> Iterator[Thing]:
    for number, (title, value) in enumerate(node.rows):
        said = _cut(f"{title} | {squash(value.text)}", 200)
        head = _thing(Say(title), f"{key}.{number}.t")
        head.role, head.row = "cell", said
        head.label = node.rows[0][0] if number else ""
        head.y, head.width, head.height = y, 220, FACT
        yield head
        it = _thing(value, f"{key}.{number}.v")
        it.role = it.role if it.usable else "cell"
        it.row, it.label = said, title
        it.x, it.y, it.width, it.height = 220, y, 600, FACT
        yield it
        y += FACT


def _cards(node: Cards, key: str, y: int) -> Iterator[Thing]:
    high = card_height(node)
    for number, card in enumerate(node.cards):
        said = _cut(squash(" ".join(text_of(item) for item in card.items)), 200)
        left, top = number % CARDS_ABREAST * 345, y + number // CARDS_ABREAST * (high + GAP) + CARD_PAD // 2
        line = 0
        for at, item in enumerate(card.items):
            it = _thing(item, f"{key}.{number}.{at}")
            it.row = "" if said == it.name else said
            it.x, it.y, it.width, it.height = left, top + line * CARD_LINE, 320, CARD_LINE
            line += type(item) is not Tick
            yield it


def _toast(node: Toast, key: str, y: int) -> Iterator[Thing]:
    press = Press(node.key, node.dismiss, "icon")
    said = Say(node.text, "alert")
    yield from _spread((said, press), key, y, LINE)


_PARTS: dict[type, Callable[[Any, str, int], Iterator[Thing]]] = {
    Say: _say,
    Line: _line,
    Field: _field,
    Points: _points,
    Menu: _menu,
    Table: _table,
    Facts: _facts,
    Cards: _cards,
    Toast: _toast,
}
