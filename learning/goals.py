"""A goal's tokens as arrays: what is asked for, and where on the page and in the past it already stands."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from learning import lexical
from learning.arrays import (
    EQUAL_NAME,
    EQUAL_VALUE,
    GOAL_NUMBERS,
    GOALS,
    IN_NAME,
    IN_ROW,
    PAIRS,
    SAME_AMOUNT,
    WORDS,
    Floats,
    Ints,
)
from learning.lexical import read
from sandbox.contracts.actions import Click, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal


def goal_tokens(goal: Goal) -> tuple[tuple[str, str], ...]:
    """Fields, then amounts with their unit, then pieces of the text that look like values and are none of these."""
    found = list(goal.fields[:GOALS])
    for (_, amount), (_, unit) in pairwise(goal.fields):
        if read(amount).number is not None and lexical.is_unit(unit):
            found.append(("", f"{amount} {unit}"))
    taken = tuple(value for _, value in found)
    return (*found, *(("", piece) for piece in lexical.spans(goal.text, taken, GOALS)))[:GOALS]


def goal_words(texts: Sequence[tuple[str, str]], *, goals: int = GOALS) -> Ints:
    """Words of each token's field name and value. (G, 2, WORDS)"""
    words = np.zeros((goals, 2, WORDS), np.int64)
    for g, (name, text) in enumerate(texts):
        words[g, 0] = lexical.ids(lexical.read_field_name(name).plain, frozenset(), WORDS)
        words[g, 1] = lexical.ids(text, frozenset(), WORDS)  # a choice ("stopped") means something
    return words


def goal_numbers(
    texts: Sequence[tuple[str, str]],
    pairs: Floats,  # (E, G, PAIRS)
    *,
    elements: Sequence[Element],
    observation: Observation,
    history: Sequence[Past],
) -> Floats:
    """What kind of value each token is, and where on the page and in the past it already stands. (G, GOAL_NUMBERS)"""
    typed = {read(step.action.text).plain for step in history if isinstance(step.action, Type)}
    chosen = {read(step.action.option).plain for step in history if isinstance(step.action, Select)}
    clicked = [step for step in history if isinstance(step.action, Click)]
    address, dialogs = read(observation.url.replace("%20", " ")), read(" ".join(observation.dialogs))
    toasts = read(" ".join(observation.toasts))
    in_dialog = np.array([element.region == "dialog" for element in elements], np.bool_)
    numbers = np.zeros((pairs.shape[1], GOAL_NUMBERS), np.float32)
    for g, (name, text) in enumerate(texts):
        value, there = read(text), pairs[:, g] if len(elements) else np.zeros((1, PAIRS), np.float32)
        numbers[g] = [
            float(bool(name)),
            float(value.number is not None),
            float(not value.plain.isalpha() and value.number is None),
            float(there[:, EQUAL_NAME].max() > 0),
            float(there[:, EQUAL_VALUE].max() > 0 or there[:, SAME_AMOUNT].max() > 0),
            float(there[:, IN_ROW].max() > 0),
            float(value.plain in typed or value.plain in chosen),
            float(any(lexical.has(read(f"{step.name} {step.row}"), value) for step in clicked)),
            float(len(value.plain) > 1 and value.plain in address.plain),
            float(lexical.has(dialogs, value) or bool(there[in_dialog, IN_NAME].any() if len(elements) else False)),
            float(lexical.has(toasts, value)),
            float(any(lexical.has(read(option), value) for element in elements for option in element.options)),
        ]
    return numbers
