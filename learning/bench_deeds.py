"""What was done at a workbench as a sequence that a memory reads, in place of notes: deeds, newest last."""

from collections.abc import Sequence

import numpy as np

from learning.arrays import USELESS
from learning.bench_words import KINDS, RELATIONS, ROLES, WORDS, Floats, Ints, Vocabulary, kind_of, related
from sandbox.contracts.actions import Type
from sandbox.contracts.policies import Past

DEEDS = 16  # of the latest
_WHAT = len(ROLES) + len(KINDS) + 1  # what it was done to, how, and whether in vain


def width(fields: int) -> int:
    """Numbers of one deed, where goals have so many fields: how what was used stands to each, and what was typed."""
    return _WHAT + fields * (RELATIONS + 1)


class Deeds:
    """Reads the deeds of one episode; those that were read are remembered."""

    def __init__(self, vocabulary: Vocabulary, goal: Sequence[str]) -> None:
        self._vocabulary, self._goal = vocabulary, goal
        self._kept: dict[int, tuple[Past, Floats, list[int]]] = {}  # with the step, so that its id stays its own

    def read(self, done: Sequence[Past]) -> tuple[Floats, Ints]:
        """(DEEDS, width) of the latest, blank ones first, and (DEEDS, WORDS) of the tools that were used."""
        deeds = np.zeros((DEEDS, width(len(self._goal))), np.float32)
        words = np.zeros((DEEDS, WORDS), np.int64)
        latest = done[-DEEDS:]
        for place, step in enumerate(latest, start=DEEDS - len(latest)):
            found = self._kept.get(id(step))
            if found is None:
                found = self._kept[id(step)] = (step, self._deed(step), self._words(step))
            deeds[place], words[place] = found[1:]
        return deeds, words

    def _deed(self, step: Past) -> Floats:
        deed = np.zeros(width(len(self._goal)), np.float32)
        if step.role in ROLES:
            deed[ROLES.index(step.role)] = 1.0
        deed[len(ROLES) + kind_of(step.action)] = 1.0
        deed[_WHAT - 1] = step.result.outcome in USELESS
        typed = step.action.text if isinstance(step.action, Type) else ""
        place = step.name.rstrip("/") if step.role == "link" else ""
        value = step.name.partition(" = ")[2] if step.role == "text" else step.value
        for slot, text in enumerate(self._goal):
            if text:
                at = _WHAT + slot * (RELATIONS + 1)
                for relation in related(step.name, "", place, value, text):
                    deed[at + relation] = 1.0
                deed[at + RELATIONS] = typed == text
        return deed

    def _words(self, step: Past) -> list[int]:
        return self._vocabulary.named(step.name) if step.role in ("button", "textbox", "combobox") else [0] * WORDS
