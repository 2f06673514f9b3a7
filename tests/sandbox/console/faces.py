"""Both faces of the console side by side: the same actions, and every way in which what they show may not differ."""

import random
from collections.abc import Iterator
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    ActResult,
    Click,
    Finish,
    GiveUp,
    Key,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Task
from sandbox.env import Gym
from sandbox.worlds.console.simulator import ConsoleSimulator

KEYS: tuple[Key, ...] = ("Tab", "Tab", "Enter", "Escape", "Space", "Backspace", "Delete", "ArrowUp", "ArrowDown")
TEXTS = ("web", "amber-web-3", "10.0.0.0/8", "12", "", "zone", "2027-05-06", "Two  words ", "x@example.org", "7" * 70)
ADDRESSES = ("/disks?q=1&sort=-name&page=2", "/instances/i-none", "/nowhere", "/", "/disks/new", "https://example.org/")

Shown: TypeAlias = tuple[object, ...]


def shown(observation: Observation) -> Shown:
    """All of an observation but places, refs, origin and the fingerprint's own digits."""
    parts = urlsplit(observation.url)
    address = parts.path + (f"?{parts.query}" if parts.query else "")
    return (
        address,
        observation.title,
        observation.dialogs,
        observation.toasts,
        tuple(_shown(each) for each in observation.elements),
    )


def _shown(it: Element) -> Shown:
    return (it.role, it.name, it.value, it.states, it.group, it.row, it.label, it.options, it.region, it.actionable)


class Faces:
    """One task in both faces. `step` does one action in each and says how they differ ("" where they do not)."""

    def __init__(self, gym: Gym, task: Task) -> None:
        self.gym = gym
        self.tree = ConsoleSimulator()
        self.leaf = self.tree.reset(task)
        gym.run(gym.world.clock(runs=False))  # type: ignore[attr-defined]  # the console's own: ticks are counted here
        self.page = gym.reset(task)
        self.refs: dict[int, int] = {}  # the tree's -> the browser's, of one document
        self.gone: list[Element] = []  # what was on the page before
        self.history: list[Past] = []
        self._learn()

    def difference(self) -> str:
        """How the two observations differ."""
        left, right = shown(self.page), shown(self.leaf)
        for name, one, other in zip(("address", "title", "dialogs", "toasts"), left, right, strict=False):
            if one != other:
                return f"{name}: browser {one!r}, tree {other!r}"
        mine, theirs = left[4], right[4]
        assert isinstance(mine, tuple)
        assert isinstance(theirs, tuple)
        for number, (one, other) in enumerate(zip(mine, theirs, strict=False)):
            if one != other:
                return f"element {number}: browser {one!r}, tree {other!r}"
        return "" if len(mine) == len(theirs) else f"browser {len(mine)} elements, tree {len(theirs)}"

    def step(self, action: Action) -> str:
        """Do one action of the tree's in both."""
        if isinstance(action, Wait):
            self.tree.face.view.tick()
            self.tree.face.look()
            self.history.append(past(self.leaf, action, ActResult(ActOutcome.DONE)))
            self.gym.run(self.gym.page.evaluate("send('tick')"))
            return self._looked()
        twin = action
        if isinstance(action, Click | Type | Select):
            twin = msgspec.structs.replace(action, element=self.refs[action.element])
        mine, self.page = self.gym.act(twin)
        before = self.leaf
        theirs, self.leaf = self.tree.act(action)
        self.history.append(past(before, action, theirs))
        if mine.outcome is not theirs.outcome:
            return f"outcome: browser {mine}, tree {theirs}"
        asked = tuple(each for each in mine.requests if "/static/" not in each)
        if asked != theirs.requests:
            return f"requests: browser {asked}, tree {theirs.requests}"
        if isinstance(action, Navigate) and mine.outcome is ActOutcome.DONE:
            self.refs.clear()
            self.gone = []
        self._learn()
        return self.difference()

    def _looked(self) -> str:
        self.page, self.leaf = self.gym.run(self.gym.page.observe()), self.tree.face.observe()
        self._learn()
        return self.difference()

    def _learn(self) -> None:
        for one, other in zip(self.page.elements, self.leaf.elements, strict=False):
            self.refs[other.ref] = one.ref

    def random_action(self, rng: random.Random) -> Action:
        """Anything that a clumsy person might do, mostly to what is on the page."""
        elements = self.leaf.elements
        names = {(e.role, e.name, e.label, e.group, e.row, e.region) for e in elements}
        gone = [e for e in self.gone if (e.role, e.name, e.label, e.group, e.row, e.region) not in names]
        self.gone = [e for e in elements if e.actionable] or self.gone
        anything = rng.choice(elements).ref
        odd = rng.random()
        if odd < 0.2:
            choices: tuple[Action, ...] = (
                Press(rng.choice(KEYS)),
                Press(rng.choice(KEYS)),
                Scroll(rng.choice(("up", "down"))),
                Navigate(rng.choice(ADDRESSES)),
                Type(anything, "hey"),
                Select(anything, "small"),
                Click(anything),
                Wait(),
            )
            return rng.choice(choices)
        if odd < 0.24 and gone:
            return Click(rng.choice(gone).ref)
        usable = [e for e in elements if e.actionable]
        inner = [e for e in usable if e.region != "nav"] or usable
        element = rng.choice(inner if rng.random() < 0.8 else usable)
        if element.role == "textbox":
            return Type(element.ref, rng.choice(TEXTS))
        if element.role == "combobox":
            return Select(element.ref, rng.choice((*element.options, "no such thing")))
        return Click(element.ref)


def walk(faces: Faces, actions: Iterator[Action]) -> Iterator[tuple[Action, str]]:
    """Each action with how the faces differ after it."""
    for action in actions:
        if isinstance(action, Finish | GiveUp):
            return
        yield action, faces.step(action)
