"""Options of selects as arrays: every one that can be chosen, and how it speaks of the goal."""

from collections.abc import Sequence

import numpy as np

from learning import lexical
from learning.arrays import GOALS, MAX_OPTIONS, OPTION_NUMBERS, OPTION_PAIRS, WORDS, Floats, Ints
from learning.lexical import Text, read
from sandbox.contracts.observations import Element

Option = tuple[int, str]  # row of the select among the elements, visible text


def options_of(elements: Sequence[Element], values: Sequence[Text]) -> tuple[Option, ...]:
    """Options of every select that can be used; those that the goal names come first where there are too many."""
    found = [
        (index, option)
        for index, element in enumerate(elements)
        if element.options and element.actionable and "disabled" not in element.states
        for option in element.options
    ]
    if len(found) <= MAX_OPTIONS:
        return tuple(found)
    named = [any(lexical.has(read(option), value) for value in values) for _, option in found]
    order = sorted(range(len(found)), key=lambda index: (not named[index], index))
    return tuple(found[index] for index in sorted(order[:MAX_OPTIONS]))


def option_words(options: Sequence[Option], hidden: frozenset[str]) -> Ints:
    """Words of each option. (O, WORDS)"""
    words = np.zeros((len(options), WORDS), np.int64)
    for index, (_, text) in enumerate(options):
        words[index] = lexical.ids(text, hidden, WORDS)
    return words


def option_numbers(elements: Sequence[Element], options: Sequence[Option]) -> Floats:
    """Whether each is chosen, whether it is the first, and of how many. (O, OPTION_NUMBERS)"""
    numbers = np.zeros((len(options), OPTION_NUMBERS), np.float32)
    for index, (row, text) in enumerate(options):
        element = elements[row]
        first = element.options.index(text) == 0
        numbers[index] = [float(read(text).plain == read(element.value).plain), float(first), len(element.options) / 16]
    return numbers


def option_pairs(
    options: Sequence[Option], values: Sequence[Text], names: Sequence[Text], *, goals: int = GOALS
) -> Floats:
    """How each option and each goal token speak of each other. (O, G, OPTION_PAIRS)"""
    pairs = np.zeros((len(options), goals, OPTION_PAIRS), np.float32)
    for index, (_, text) in enumerate(options):
        option = read(text)
        for g, (value, name) in enumerate(zip(values, names, strict=True)):
            pairs[index, g] = [
                float(option.plain == value.plain),
                float(lexical.has(option, value) or lexical.has(value, option)),
                lexical.share(value, option),
                lexical.share(name, option),
            ]
    return pairs
