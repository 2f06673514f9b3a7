"""The last steps as arrays, newest first: what was done to what, what came of it, and how it speaks of the goal."""

from collections.abc import Sequence

import numpy as np

from learning import lexical
from learning.arrays import (
    EQUAL_NAME,
    EQUAL_VALUE,
    GOALS,
    HISTORY,
    HISTORY_NUMBERS,
    IN_NAME,
    IN_ROW,
    KEYS,
    KINDS,
    OUTCOMES,
    PAIRS,
    ROLES,
    SAME_AMOUNT,
    USELESS,
    WORDS,
    Floats,
    Ints,
    number_of,
)
from learning.lexical import Text, read
from sandbox.contracts.actions import Action, Finish, Navigate, Press, Select, Type
from sandbox.contracts.policies import Past


def history_words(recent: Sequence[Past], hidden: frozenset[str]) -> Ints:
    """Words of the element that each step acted on. (H, WORDS)"""
    words = np.zeros((HISTORY, WORDS), np.int64)
    for row, step in enumerate(recent):
        words[row] = lexical.ids(step.name, hidden, WORDS)
    return words


def history_kinds(recent: Sequence[Past]) -> Ints:
    """Action, role and outcome of each step; 0 = no step. (H, 3)"""
    kinds = np.zeros((HISTORY, 3), np.int64)
    for row, step in enumerate(recent):
        kinds[row] = (kind_of(step.action) + 1, number_of(step.role, ROLES), OUTCOMES.index(step.result.outcome) + 1)
    return kinds


def kind_of(action: Action) -> int:
    """Which of KINDS an action is; going to an address counts as a click on a link to it."""
    match action:
        case Finish(answer):
            return KINDS.index("answer" if answer else "finish")
        case Navigate():
            return KINDS.index("click")
    return KINDS.index(type(action).__struct_config__.tag)


def history_numbers(recent: Sequence[Past]) -> Floats:
    """That there is a step, how often it was repeated, its key, and whether it was of no use. (H, HISTORY_NUMBERS)"""
    numbers = np.zeros((HISTORY, HISTORY_NUMBERS), np.float32)
    for row, step in enumerate(recent):
        again = sum((step.action, step.name, step.row) == (other.action, other.name, other.row) for other in recent)
        key = KEYS.index(step.action.key) + 1 if isinstance(step.action, Press) else 0
        useless = float(step.result.outcome in USELESS)
        numbers[row] = [1.0, min(again - 1, 4) / 4, key / len(KEYS), useless]
    return numbers


def history_pairs(recent: Sequence[Past], values: Sequence[Text], *, goals: int = GOALS) -> Floats:
    """How each step and each goal token speak of each other, in the columns of the elements' pairs. (H, G, PAIRS)"""
    pairs = np.zeros((HISTORY, goals, PAIRS), np.float32)
    for row, step in enumerate(recent):
        name, in_row = read(step.name), read(step.row)
        written = step.action.text if isinstance(step.action, Type) else ""
        written = step.action.option if isinstance(step.action, Select) else written
        text = read(written)
        for g, value in enumerate(values):
            pairs[row, g, EQUAL_NAME] = name.plain == value.plain
            pairs[row, g, EQUAL_VALUE] = bool(written) and text.plain == value.plain
            pairs[row, g, IN_NAME] = lexical.has(name, value)
            pairs[row, g, IN_ROW] = lexical.has(in_row, value)
            pairs[row, g, SAME_AMOUNT] = bool(written) and lexical.same_number(text.number, value.number)
    return pairs
