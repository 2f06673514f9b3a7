"""One recorded moment of a MiniWoB++ page (its DOM tree) as the elements that our own look at the live page gives."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from sandbox.contracts.observations import Box, Element
from sandbox.worlds.miniwob.marks import (
    BARE_LINKS,
    BLOCKS,
    CLICKED,
    COLOURS,
    DRAWN,
    FIELDS,
    INPUTS,
    LABELLED,
    OVER,
    PLACEHOLDERS,
    POINTED,
    PRESSED,
    READ_ONLY,
    SHAPED,
    SHAPES,
    TAGS,
    WIDGETS,
)

QUERY, ENDED = 1_000_001, 1_000_002  # refs of what no recording holds: the page's request, and the word of its end
MASK = "•••"


class Node(Struct, frozen=True):
    """One node as the page's recorder wrote it; `t` is a bare text, refs below zero are texts."""

    tag: str
    left: float
    top: float
    width: float
    height: float
    ref: int
    children: tuple["Node", ...] = ()
    id: str = ""
    classes: Any = ""  # a text; an object for drawn shapes
    text: str = ""
    value: str | bool = ""
    background: str = field(default="", name="bgColor")
    focused: bool = False
    target: bool = field(default=False, name="recordingTarget")

    @property
    def tokens(self) -> frozenset[str]:
        """Its classes, and its id."""
        listed = self.classes.split() if isinstance(self.classes, str) else ()
        return frozenset((*listed, self.id)) - {""}

    def has(self, x: float, y: float) -> bool:
        """Whether a point of the page lies in it."""
        return self.left <= x <= self.left + self.width and self.top <= y <= self.top + self.height

    def walk(self) -> Iterator["Node"]:
        """It and all in it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()


def said(node: Node) -> str:
    """All text in a node."""
    return " ".join(" ".join(part.text for part in node.walk() if part.tag != "OPTION" and part.text).split())


class Moment:
    """A DOM tree with what is asked of its nodes: parents, roles, names, places."""

    def __init__(self, dom: Node, task: str, utterance: str, *, ended: bool = False) -> None:
        self.dom = dom
        self.task = task
        self.utterance = utterance
        self.ended = ended
        self.nodes = {node.ref: node for node in dom.walk()}
        # By identity: recordings give some refs twice.
        self._parents = {id(child): node for node in dom.walk() for child in node.children}
        self._shift: dict[int, float] = {}  # how far down a node is seen once nothing is scrolled
        self._clip: dict[int, Node] = {}  # the scrolling part that a node lies in
        self._over = [node for node in dom.walk() if node.tokens & OVER]
        for node in dom.walk():
            self._unscroll(node)
        self._owners: dict[int, int] = {}  # any node -> the element that stands for it

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """What can be seen and used, in document order, the page's request first."""
        return tuple(self._all())

    def _unscroll(self, part: Node) -> None:
        """People had scrolled lists; whoever plays has not."""
        inside = [node for node in part.children if node.tokens & {"media", "email-thread", "results"}]
        if not inside or part.id not in ("area", "main"):
            return
        down = part.top + (2 if part.id == "area" else 0) - min(child.top for child in part.children)
        for child in part.children:
            for node in child.walk():
                self._shift[node.ref], self._clip[node.ref] = down, part

    def up(self, node: Node) -> Iterator[Node]:
        """Its ancestors, the nearest first."""
        while (above := self._parents.get(id(node))) is not None:
            yield above
            node = above

    def pressed(self, x: float, y: float) -> Node | None:
        """What an event reached: what the recorder says, else the innermost at its point, the last drawn first."""
        told = [node for node in self.dom.walk() if node.target and node.has(x, y)]
        if told:
            return told[-1]
        found = [node for node in self.dom.walk() if node.tag != "t" and node.has(x, y)]
        over = [node for node in found if any(above.tokens & OVER for above in (node, *self.up(node)))]
        candidates = over or found
        return min(reversed(candidates), key=lambda node: node.width * node.height) if candidates else None

    def element(self, node: Node) -> Element | None:
        """The element that a press on this node reaches, or None. A label stands for its box."""
        label = next((each for each in (node, *self.up(node)) if each.tag == "LABEL"), None)
        if label is not None:
            node = next((each for each in label.walk() if each.tag.startswith("INPUT")), node)
        if "-slice-" in node.id:  # a slice of a pie is called by its title
            titled = node.id.replace("-slice-", "-title-")
            node = next((each for each in self.dom.walk() if each.id == titled), node)
        shown = {element.ref: element for element in self.elements}
        for each in (node, *self.up(node)):
            if each.ref in self._owners:
                return shown[self._owners[each.ref]]
        return None

    def _all(self) -> Iterator[Element]:
        yield Element(
            ref=QUERY, role="text", name=self.utterance[:300], box=Box(0, 0, 160, 50), actionable=False
        )  # its place in every page
        yield from self._look(self.dom, usable=False)
        if self.ended:
            told = "The task has ended."
            yield Element(ref=ENDED, role="status", name=told, box=Box(0, 0, 81, 9), region="toast", actionable=False)

    def _look(self, node: Node, *, usable: bool) -> Iterator[Element]:
        role = self._role(node) or self._loose(node)
        took = bool(role) or usable
        found = None
        if role:
            found = self._usable(node, role)
        elif not usable:
            found = self._text(node)
        if found is not None:
            self._owners[node.ref] = node.ref
            yield found
        if role == "combobox":
            for option in node.walk():
                self._owners[option.ref] = node.ref
            return
        for child in node.children:
            yield from self._look(child, usable=took)

    def _role(self, node: Node) -> str:
        tokens = node.tokens
        for token, role in WIDGETS.items():
            if token in tokens and node.tag != "P":
                return role
            if token in tokens:
                return "tab"
        kind, _, type_ = node.tag.partition("_")
        if kind == "INPUT":
            return "button" if type_ in PRESSED else INPUTS.get(type_, "textbox")
        return "" if tokens & BARE_LINKS else TAGS.get(node.tag, "")

    def _loose(self, node: Node) -> str:
        """Things that only the page's script makes usable; the innermost counts, unless a pointer shows."""
        if node.tokens & POINTED:
            return "" if any(above.tokens & POINTED for above in self.up(node)) else "button"
        return "button" if self._listens(node) and not any(self._interactive(each) for each in node.children) else ""

    def _interactive(self, node: Node) -> bool:
        return any(self._role(each) or self._listens(each) for each in node.walk())

    def _listens(self, node: Node) -> bool:
        if node.tag in DRAWN.get(self.task, ()):
            return True
        if node.tokens & CLICKED:
            return "ui-state-disabled" not in node.tokens
        above = self._parents.get(id(node))
        if node.tag != "SPAN" or above is None:
            return False
        return "ttt-row" in above.tokens or (self.task == "click-shades" and above.id == "area")

    def _usable(self, node: Node, role: str) -> Element | None:
        if node.width < 2 or node.height < 2 or self._hidden(node):
            return None
        secret = node.tag == "INPUT_password"
        value = node.value if isinstance(node.value, str) else ""
        return Element(
            ref=node.ref,
            role=role,
            name=self._name(node, role)[:120],
            value=(MASK if value else "") if secret else value[:400],
            states=self._states(node, role, secret=secret),
            box=self._box(node),
            group=self._group(node),
            row=self._row(node, self._name(node, role)),
            label=self._label(node, role),
            options=tuple(each.text for each in node.walk() if each.tag == "OPTION"),
            region=self._region(node),
        )

    def _text(self, node: Node) -> Element | None:
        heading = node.tag[:1] == "H" and node.tag[1:].isdigit()
        cell = node.tag in ("TD", "TH")
        own = node.text or any(child.tag == "t" for child in node.children)
        if node.tag in ("t", "OPTION", "LABEL") and (node.tag != "LABEL" or self._names_a_field(node)):
            return None
        if not (heading or cell) and (not own or self._within_text(node)):
            return None
        words = self._own(node, whole=heading or cell)
        if not words or node.width < 2 or node.height < 2 or self._hidden(node):
            return None
        return Element(
            ref=node.ref,
            role="heading" if heading else "cell" if cell else "text",
            name=words[:300],
            states=("offscreen",) if self._offscreen(node) else (),
            box=self._box(node),
            group=self._group(node),
            row=self._row(node, words),
            label=self._label(node, ""),
            region=self._region(node),
            actionable=False,
        )

    def _names_a_field(self, label: Node) -> bool:
        if any(node.tag.startswith("INPUT") for node in label.walk()):
            return True
        above = self._parents.get(id(label))
        return above is not None and any(node.id in LABELLED for node in above.walk())

    def _within_text(self, node: Node) -> bool:
        """Inline parts of a sentence are read with it."""
        if node.tag in BLOCKS:
            return False
        for above in self.up(node):
            if above.tag in ("TD", "TH") or (above.tag[:1] == "H" and above.tag[1:].isdigit()):
                return True
            if above.text or any(child.tag == "t" for child in above.children):
                return True
            if above.tag in BLOCKS:
                return False
        return False

    def _own(self, node: Node, *, whole: bool = False) -> str:
        parts = [node.text]
        for child in node.children:
            if (whole or child.tag not in BLOCKS) and not self._role(child) and not self._loose(child):
                parts.append(self._own(child, whole=whole))
        return " ".join(" ".join(parts).split())

    def _name(self, node: Node, role: str) -> str:
        if role in FIELDS:
            return self._label_text(node) or PLACEHOLDERS.get(node.id, "") or self._beside(node) or _words(node.id)
        return said(node) or self._drawn(node)

    def _drawn(self, node: Node) -> str:
        """The name of what has no word: its number, colour, shape, or class."""
        above = self._parents.get(id(node))
        if above is not None and "ttt-row" in above.tokens:
            mark = next((token.removeprefix("mark-") for token in node.tokens if token.startswith("mark-")), "")
            return f"{mark} index {node.id.rpartition('-')[2]}".lstrip()
        if "color" in node.tokens or self.task == "click-shades":
            return f"color {_colour(node.background)}"
        if node.tag in SHAPES:
            return node.id if self.task == "grid-coordinate" else SHAPED.get(node.tag, node.tag)
        if node.tokens & BARE_LINKS or not isinstance(node.classes, str):
            return ""
        return _words(node.id) or _words(node.classes)

    def _label_text(self, node: Node) -> str:
        around = next((above for above in self.up(node) if above.tag == "LABEL"), None)
        if around is not None:
            return said(around)
        if node.id in LABELLED:
            labels = [said(each) for each in self.dom.walk() if each.tag == "LABEL"]
            return labels[0].rstrip(" :*") if labels else ""
        return ""

    def _beside(self, node: Node) -> str:
        """A field without a label is called by the short text just before it."""
        for _ in range(2):
            above = self._parents.get(id(node))
            if above is None:
                return ""
            at = above.children.index(node)
            before = next((each for each in reversed(above.children[:at]) if each.tag != "t"), None)
            if before is None and node.id == "area":
                return self.utterance.rstrip(" :*") if len(self.utterance) <= 60 else ""
            if before is not None:
                text = said(before)
                plain = not any(self._role(each) in {*FIELDS, "button"} for each in before.walk())
                return text.rstrip(" :*") if plain and len(text) <= 60 else ""
            node = above
            if node.tag in ("FORM", "TABLE", "TR", "BODY"):
                return ""
        return ""

    def _states(self, node: Node, role: str, *, secret: bool) -> tuple[str, ...]:
        active = bool(node.tokens & {"ui-tabs-active", "ui-accordion-header-active"})
        readonly = node.id in READ_ONLY
        held = {
            "checked": node.value is True,
            "editable": role in ("textbox", "spinbutton") and not readonly,
            "expanded": active,
            "focused": node.focused,
            "offscreen": self._offscreen(node),
            "password": secret,
            "readonly": readonly,
            "selected": active,
        }
        return tuple(state for state, holds in held.items() if holds)

    def _label(self, node: Node, role: str) -> str:
        if role in FIELDS and (text := self._label_text(node)):
            return text
        cell = next((each for each in (node, *self.up(node)) if each.tag in ("TD", "TH")), None)
        table = next((each for each in self.up(node) if each.tag == "TABLE"), None)
        if cell is None or table is None:
            return ""
        row = self._parents[id(cell)]
        head = next(each for each in table.walk() if each.tag == "TR")
        at = row.children.index(cell)
        if head is not row and at < len(head.children) and head.children[at].tag == "TH":
            return said(head.children[at])
        first = row.children[0]
        return said(first)[:80] if first is not cell and len(row.children) == 2 else ""

    def _row(self, node: Node, name: str) -> str:
        near = next((each for each in (node, *self.up(node)) if each.tag in ("TR", "LI")), None)
        if near is None or near is node:
            return ""
        cells = near.children if near.tag == "TR" else (near,)
        row = " | ".join(filter(None, (said(cell) for cell in cells)))[:200]
        return "" if row == name else row

    def _group(self, node: Node) -> str:
        for above in self.up(node):
            if "ui-tabs-panel" in above.tokens:
                return next((said(each) for each in self.dom.walk() if "ui-tabs-active" in each.tokens), "")
            if "ui-accordion-content" in above.tokens:
                beside = self._parents[id(above)].children
                return said(beside[beside.index(above) - 1])
        return ""

    def _region(self, node: Node) -> str:
        return "dialog" if any("ui-dialog" in each.tokens for each in (node, *self.up(node))) else "main"

    def _box(self, node: Node) -> Box:
        down = self._shift.get(node.ref, 0.0)
        return Box(*(round(number, 1) for number in (node.left, node.top + down, node.width, node.height)))

    def _offscreen(self, node: Node) -> bool:
        part = self._clip.get(node.ref)
        if part is None:
            return False
        middle = node.top + self._shift[node.ref] + node.height / 2
        return not part.top <= middle <= part.top + part.height

    def _hidden(self, node: Node) -> bool:
        """Whether something drawn over the page lies on its middle."""
        x, y = node.left + node.width / 2, node.top + node.height / 2
        mine = {each.ref for each in (node, *self.up(node))}
        return any(over.has(x, y) and over.ref not in mine for over in self._over)


def _words(text: str) -> str:
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return " ".join(re.sub(r"[-_./:#]+", " ", apart).split()).lower()


def _colour(background: str) -> str:
    """The name of a colour; of a shade, the strongest part of it."""
    match [int(number) for number in re.findall(r"\d+", background)]:
        case [red, green, blue, *_]:
            strongest = max((red, "red"), (green, "green"), (blue, "blue"), key=lambda part: part[0])
            return COLOURS.get((red, green, blue), strongest[1])
    return ""
