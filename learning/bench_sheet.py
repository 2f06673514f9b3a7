"""A workbench's page, the goal and what was noted so far as one sheet of rows, each of which may be an action."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learning import bench_deeds
from learning.arrays import USELESS
from learning.bench_words import KINDS, RELATIONS, ROLES, WORDS, Floats, Ints, Vocabulary, kind_of, related
from sandbox.contracts.actions import Action, Click, Finish, Scroll, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal

FIELDS = (
    "file",
    "source",
    "first",
    "second",
    "key",
    "source_key",
    "link",
    "value",
    "mark",
    "operation",
    "operand",
    "name",
    "folder",
)
HELD = ("argument", "operand")  # what is in hand speaks as a goal's field does
SLOTS = len(FIELDS) + len(HELD)
TOOLS = 11
RING = TOOLS - 1  # tools after this one, round the list, of which a row knows whether they can be and were used
_SHAPE = len(ROLES) + len(KINDS) + 6
_PAST = 3
ROW = _SHAPE + _PAST + 2 * RING + SLOTS * (RELATIONS + 1)
_TAIL = _SHAPE + _PAST + 2 * RING  # where a row's relations begin
_FACT = 3 * len(FIELDS) + 1
DEED = bench_deeds.width(len(FIELDS))
CONTEXT = len(FIELDS) + 2 * (_FACT + 3) + _FACT + 3 + 2 * (len(KINDS) + 1) + 1

Bools = NDArray[np.bool_]

_NONE_DONE: tuple[Floats, Ints] = np.zeros((0, DEED), np.float32), np.zeros((0, WORDS), np.int64)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the network reads of one state. R rows: elements, then what can be typed, chosen or said besides."""

    rows: Floats  # (R, ROW)
    words: Ints  # (R, WORDS) of tools alone: what files, keys and marks are called says nothing
    can: Bools  # (R,) whether the row is an action
    tools: Ints  # (TOOLS,) which rows they are, in the order of the list
    context: Floats  # (CONTEXT,)
    goal: Ints  # (GOAL_WORDS,)
    deeds: Floats  # (DEEDS, DEED) what was done, for a memory; (0, DEED) where there are notes instead
    deed_words: Ints  # (DEEDS, WORDS) of the tools used, or (0, WORDS)


@dataclass(frozen=True, slots=True)
class Fact:
    """A line that was marked: its key and value, the file it stands in, and what had been typed to find that."""

    key: str
    value: str
    file: str
    sought: str


@dataclass
class Notes:
    """What somebody at the bench would note down: facts that were read, how the open file was found, what was used."""

    steps: int = 0
    typed: str = ""  # last of all; "" again once something was taken from a line
    file: str = ""
    sought: str = ""
    facts: list[Fact] = field(default_factory=list)  # newest last
    used: dict[tuple[str, str, str], tuple[int, int, bool]] = field(default_factory=dict)  # how often, when, in vain
    last: list[tuple[int, bool]] = field(default_factory=list)  # kinds, newest last, and whether in vain
    done: list[Past] = field(default_factory=list)  # every step, newest last

    def take(self, step: Past) -> None:
        """Note one step."""
        vain = step.result.outcome in USELESS
        self.steps += 1
        self.done.append(step)
        self.last.append((kind_of(step.action), vain))
        if step.role:
            what = (step.role, step.name, step.row)
            self.used[what] = (self.used.get(what, (0, 0, False))[0] + 1, self.steps, vain)
        if vain:
            return
        if isinstance(step.action, Type):
            self.typed = step.action.text
        elif step.role == "link" and not step.name.endswith("/"):
            self.file = step.name
            self.sought = self.typed if "/" in step.name else ""
        elif step.role == "text":
            key, sign, value = step.name.partition(" = ")
            self.facts.append(Fact(key if sign else "", value if sign else key, self.file, self.sought))

    def known(self, value: str) -> Fact | None:
        """The newest fact with this value."""
        return next((each for each in reversed(self.facts) if each.value == value), None) if value else None


class Reader:
    """Reads one episode; rows of elements that stay are remembered. One that `recalls` gives deeds instead of notes."""

    def __init__(self, vocabulary: Vocabulary, goal: Goal, *, recalls: bool = False) -> None:
        told = dict(goal.fields)
        self._goal = [told.get(name, "") for name in FIELDS]
        self._vocabulary = vocabulary
        self._words = np.array(vocabulary.told(goal), np.int64)
        self._present = [float(bool(text)) for text in self._goal]
        self._told = [(slot, text) for slot, text in enumerate(self._goal) if text]
        # With the element, so that its id stays its own.
        self._kept: dict[tuple[int, str], tuple[Element, Floats, list[int], Action | None]] = {}
        self._hits: dict[str, dict[int, tuple[int, ...]]] = {}
        self._deeds = bench_deeds.Deeds(vocabulary, self._goal) if recalls else None

    def read(self, observation: Observation, notes: Notes) -> tuple[Sheet, list[Action | None]]:
        """The sheet, and the action of each row."""
        deeds, deed_words = self._deeds.read(notes.done) if self._deeds is not None else _NONE_DONE
        if self._deeds is not None:
            notes = Notes()
        elements = observation.elements
        folder = next((each.name[1:] for each in elements if each.role == "heading" and each.region == "nav"), "")
        boxes = [each for each in elements if each.role == "textbox"]
        held = [each.value for each in boxes[:2]]
        choice = next((each for each in elements if each.role == "combobox"), None)
        still = [self._still(each, folder) for each in elements]
        base = np.concatenate([row for _, row, _, _ in still]).reshape(len(still), ROW)
        words = [named for _, _, named, _ in still]
        actions: list[Action | None] = [action for _, _, _, action in still]
        self._hold(base, elements, folder, held)
        self._use(base, elements, notes)
        tools = self._ring(base, elements)
        more, said, extra = self._more(base, elements, boxes, choice)
        sheet = Sheet(
            rows=np.concatenate([base, more]),
            words=np.array(words + said, np.int64),
            can=np.array([each is not None for each in actions + extra], np.bool_),
            tools=np.array(tools, np.int64),
            context=self._context(observation, notes, held),
            goal=self._words,
            deeds=deeds,
            deed_words=deed_words,
        )
        return sheet, actions + extra

    def _more(
        self, base: Floats, elements: Sequence[Element], boxes: Sequence[Element], choice: Element | None
    ) -> tuple[Floats, list[list[int]], list[Action | None]]:
        """Rows of what can be typed, chosen, and done without an element."""
        rows: list[Floats] = []
        words: list[list[int]] = []
        actions: list[Action | None] = []
        places = {each.ref: place for place, each in enumerate(elements)}
        types = _TAIL + SLOTS * RELATIONS
        for box in boxes[:2]:
            named = self._named(box)
            for slot, text in self._told:
                if text != box.value:
                    row = base[places[box.ref]].copy()
                    row[len(ROLES)] = 0.0
                    row[len(ROLES) + KINDS.index("type")] = row[types + slot] = 1.0
                    rows.append(row)
                    words.append(named)
                    actions.append(Type(box.ref, text))
        for option in choice.options if choice else ():
            row = np.zeros(ROW, np.float32)
            row[ROLES.index("option")] = row[len(ROLES) + KINDS.index("select")] = 1.0
            row[_SHAPE - 5] = choice is not None and option == choice.value
            row[_TAIL + FIELDS.index("operation") * RELATIONS] = option == self._goal[FIELDS.index("operation")]
            rows.append(row)
            words.append(self._vocabulary.named(option))
            actions.append(Select(choice.ref, option) if choice and option != choice.value else None)
        for kind, action in (("up", Scroll("up")), ("down", Scroll("down")), ("finish", Finish())):
            row = np.zeros(ROW, np.float32)
            row[len(ROLES) + KINDS.index(kind)] = 1.0
            rows.append(row)
            words.append([0] * WORDS)
            actions.append(action)
        return np.concatenate(rows).reshape(len(rows), ROW), words, actions

    def _named(self, element: Element) -> list[int]:
        if element.role not in ("button", "textbox", "combobox"):
            return [0] * WORDS
        return self._vocabulary.named(element.name)

    def _still(self, element: Element, folder: str) -> tuple[Element, Floats, list[int], Action | None]:
        """What a row says but for what is in hand and what was done, its words, and its action; remembered."""
        key = (id(element), folder if element.region == "nav" else "")
        found = self._kept.get(key)
        if found is None:
            row = np.zeros(ROW, np.float32)
            action = Click(element.ref) if _clickable(element) else None
            row[ROLES.index(element.role)] = row[len(ROLES) + (action is not None)] = 1.0
            after = len(ROLES) + len(KINDS)
            row[after : after + 6] = (
                element.region == "nav",
                "selected" in element.states,
                "disabled" in element.states,
                element.group == "Changes",
                element.role == "link" and element.name.endswith("/"),
                " = " in element.name,
            )
            said = _said(element, folder)
            for slot, text in self._told:
                for relation in related(*said, text):
                    row[_TAIL + slot * RELATIONS + relation] = 1.0
            found = self._kept[key] = (element, row, self._named(element), action)
        return found

    def _hold(self, base: Floats, elements: Sequence[Element], folder: str, held: Sequence[str]) -> None:
        """How each stands to what is in hand."""
        for slot, text in enumerate(held, start=len(FIELDS)):
            if not text:
                continue
            known = self._hits.setdefault(text, {})
            for index, element in enumerate(elements):
                hits = known.get(id(element))
                if hits is None:  # the element is kept alive by _still
                    hits = known[id(element)] = related(*_said(element, folder), text)
                for relation in hits:
                    base[index, _TAIL + slot * RELATIONS + relation] = 1.0

    def _use(self, base: Floats, elements: Sequence[Element], notes: Notes) -> None:
        """How often, how lately and whether in vain each was used."""
        for index, element in enumerate(elements):
            used = notes.used.get((element.role, element.name, element.row))
            if used is not None:
                count, when, vain = used
                base[index, _SHAPE : _SHAPE + _PAST] = (min(count, 3) / 3, 1 / (notes.steps - when + 1), vain)

    def _ring(self, base: Floats, elements: Sequence[Element]) -> list[int]:
        """Which tools after each can be used and were, round the list; and which rows tools are, as many as TOOLS.

        By its place in the list a tool is known whatever it is called, and wherever the list begins.
        """
        tools = [index for index, each in enumerate(elements) if each.role == "button" and each.region != "nav"]
        usable = [float("disabled" not in elements[index].states) for index in tools]
        used = [float(base[index, _SHAPE] > 0) for index in tools]
        for place, index in enumerate(tools):
            for begin, facts in ((0, usable), (RING, used)):
                ring = (facts[place + 1 :] + facts[:place])[:RING]
                at = _SHAPE + _PAST + begin
                base[index, at : at + len(ring)] = ring
        return (tools + [0] * TOOLS)[:TOOLS]  # 0 is a heading, whose name has no words

    def _context(self, observation: Observation, notes: Notes, held: Sequence[str]) -> Floats:
        found = list(self._present)
        for text in held:
            fact = notes.known(text)
            found += [float(bool(text)), float(text.lstrip("-").isdigit()), float(fact is not None)]
            found += self._about(fact)
        window = next((e.group for e in observation.elements if e.role == "heading" and e.region == "main"), "")
        searched = window.startswith("Files with ")
        opened = not searched and window != "Nothing open"
        found += [
            float(searched),
            float(opened),
            float(any(e.role == "status" and e.group != "Changes" for e in observation.elements)),
        ]
        found += self._about(Fact("", "", window, notes.sought) if opened else None)
        for back in (1, 2):
            kinds = [0.0] * (len(KINDS) + 1)
            if len(notes.last) >= back:
                kind, vain = notes.last[-back]
                kinds[kind], kinds[-1] = 1.0, float(vain)
            found += kinds
        found.append(min(notes.steps, 40) / 40)
        return np.array(found, np.float32)

    def _about(self, fact: Fact | None) -> list[float]:
        """Whether a fact's key, file, and what was typed to find that are the goal's."""
        if fact is None:
            return [0.0] * _FACT
        name = fact.file.rpartition("/")[2]
        return [
            *(float(bool(text) and text == fact.key) for text in self._goal),
            *(float(bool(name) and text.rpartition("/")[2] == name) for text in self._goal),
            *(float(bool(text) and text == fact.sought) for text in self._goal),
            float("/" in fact.file and not fact.sought),
        ]


def _clickable(element: Element) -> bool:
    return element.actionable and "disabled" not in element.states and element.role in ("button", "link", "text")


def _said(element: Element, folder: str) -> tuple[str, str, str, str]:
    """Name, label, place and value of an element."""
    place = ""
    if element.role == "link":
        name = element.name.rstrip("/")
        place = f"{folder}/{name}".lstrip("/") if element.region == "nav" else name
    elif element.role == "heading":
        place = element.name.lstrip("/")
    value = element.name.partition(" = ")[2] if element.role == "text" else element.value
    return element.name, element.label, place, value
