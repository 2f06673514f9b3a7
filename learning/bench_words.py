"""Words of a workbench that a network reads, and how what an element says stands to what a goal asks."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sandbox.contracts.actions import Action, Click, Finish, Scroll, Select, Type
from sandbox.contracts.tasks import Goal

RELATIONS = 6  # called so, labelled so, at this place, on the way there, mentions it, its value
KINDS = ("", "click", "type", "select", "up", "down", "finish")
ROLES = ("button", "link", "textbox", "combobox", "heading", "text", "status", "option")
WORDS, GOAL_WORDS, UNKNOWN = 3, 40, 1

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Vocabulary:
    """Words that were met in training, and those of them that tools were called by; all others read alike.

    What a tool is called may be a word that only goals had used: there is no meaning to it that was ever learnt.
    """

    def __init__(self, words: Sequence[str], tools: Iterable[str]) -> None:
        self.words, self.tools = tuple(words), frozenset(tools)
        self._numbers = {word: number for number, word in enumerate(words, start=UNKNOWN + 1)}  # 0 is no word

    def __len__(self) -> int:
        return len(self.words) + UNKNOWN + 1

    def named(self, name: str) -> list[int]:
        """(WORDS,) what a tool's name says; that it has unknown words is said once."""
        words = name.lower().split()
        known = (self._numbers[word] if word in self.tools else UNKNOWN for word in words)
        return _filled(list(dict.fromkeys(known)), WORDS)

    def told(self, goal: Goal) -> list[int]:
        """(GOAL_WORDS,) what a goal says but for its fields."""
        return _filled([self._numbers.get(word, UNKNOWN) for word in goal_words(goal)], GOAL_WORDS)


def _filled(numbers: list[int], width: int) -> list[int]:
    return numbers[:width] + [0] * (width - len(numbers))


def goal_words(goal: Goal) -> list[str]:
    """The words of a goal but for what its fields hold; Chinese by its characters."""
    text = goal.text
    for _, value in sorted(goal.fields, key=lambda each: -len(each[1])):
        text = text.replace(value, " ")
    spread = "".join(f" {each} " if each >= "\u2e80" else each if each.isalpha() else " " for each in text.lower())
    return list(dict.fromkeys(spread.split()))


@lru_cache(maxsize=100_000)
def related(name: str, label: str, place: str, value: str, text: str) -> tuple[int, ...]:
    """Which of the RELATIONS hold between what an element says and one text."""
    if text not in name and text not in label and text not in place and text not in value and not place:
        return ()
    there = bool(place)
    relations = (
        name == text,
        label == text,
        place == text or (there and place.rpartition("/")[2] == text),
        there and text.startswith(f"{place}/"),
        f" {text} " in f" {name.replace(',', ' ')} " or (len(text) > 4 and text in name),
        value == text,
    )
    return tuple(index for index, holds in enumerate(relations) if holds)


def kind_of(action: Action) -> int:
    """The number of an action's kind."""
    if isinstance(action, Scroll):
        return KINDS.index(action.direction)
    names = {Click: "click", Type: "type", Select: "select", Finish: "finish"}
    return KINDS.index(names.get(type(action), ""))
