"""Plays at random in a simulator, so that what its actions do can be learnt from: no goal, no oracle, no label."""

import random
from collections.abc import Sequence

from learning.lexical import read
from learning.samples import FREE
from sandbox.contracts.actions import Action, Click, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal

NAME = FREE  # by which what it played is known
_LEAVES = ("sign out", "log out", "logout", "sign-out", "abmelden", "退出")
_SYLLABLES = ("ka", "lo", "mi", "ra", "ten", "vo", "shu", "bel", "dor", "pi")
_FILL, _FILTER = 0.8, 0.15  # how often a form is filled further, and a field of a plain page used
_IN_ORDER = 0.9  # how often the first of the fields that are blank
_HEEDED = 0.5  # how often something that speaks of the ticket is used, by those who heed it
_SUBMIT, _INSIDE = 0.6, 0.75  # how often a form is sent, and something of the page used rather than its menus


class Wanderer:
    """Uses whatever a page offers; forms are mostly filled before they are sent, with the goal's values or made-up.

    One that heeds its ticket, without understanding it, uses things that share a word with it more often than others.
    """

    name = NAME

    def __init__(self, *, seed: int, heeding: bool = False) -> None:
        self._rng = random.Random(f"wander:{seed}")  # noqa: S311  # not a secret
        self._heeding = heeding

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        return Proposal(self._action(observation, goal, history), 0.0, policy=NAME)

    def _action(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Action:
        rng = self._rng
        usable = [each for each in observation.elements if _usable(each)]
        on_top = [each for each in usable if each.region == "dialog"] or usable
        fields = [each for each in on_top if _writable(each)]
        blank = [each for each in fields if not _written(each, history)]
        form = any(each.region == "dialog" or each.group for each in fields)  # a list's filters are no form
        if blank and rng.random() < (_FILL if form else _FILTER):
            return self._fill(blank[0] if rng.random() < _IN_ORDER else rng.choice(blank), goal)
        buttons = [each for each in on_top if each.role == "button" and each.region != "nav"]
        if form and buttons and rng.random() < _SUBMIT:
            return Click(buttons[-1].ref)
        pressed = [each for each in on_top if "editable" not in each.states and not each.options]
        if not pressed or rng.random() < 0.03:
            return rng.choice((Wait(), Scroll("down"), Scroll("up"), Press("Escape"), Press("Tab")))
        if self._heeding and rng.random() < _HEEDED:
            heeded = [each for each in pressed if _speaks(each, goal)]
            pressed = heeded or pressed
            return Click(rng.choice(pressed).ref)
        inside = [each for each in pressed if each.region != "nav"]
        return Click(rng.choice(inside if inside and rng.random() < _INSIDE else pressed).ref)

    def _fill(self, element: Element, goal: Goal) -> Action:
        rng = self._rng
        if element.options:
            return Select(element.ref, rng.choice(element.options))
        values = [value for _, value in goal.fields]
        if values and rng.random() < 0.4:
            return Type(element.ref, rng.choice(values))
        if element.role == "spinbutton" or rng.random() < 0.2:
            return Type(element.ref, str(rng.randint(1, 900)))
        word = "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 3)))
        return Type(element.ref, f"{word}-{rng.randint(1, 99)}" if rng.random() < 0.7 else word)


def _speaks(element: Element, goal: Goal) -> bool:
    """Whether an element, or the row that it stands in, shares a word with the ticket."""
    return bool((read(element.name).words | read(element.row).words) & read(goal.text).words)


def _usable(element: Element) -> bool:
    away = "disabled" in element.states or "offscreen" in element.states
    return element.actionable and not away and not any(word in element.name.lower() for word in _LEAVES)


def _writable(element: Element) -> bool:
    return ("editable" in element.states and "readonly" not in element.states) or len(element.options) > 1


def _written(element: Element, history: Sequence[Past]) -> bool:
    """Whether something was written into a field lately."""
    return any((step.role, step.name) == (element.role, element.name) for step in history[-6:])
