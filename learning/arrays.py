"""The arrays that a network reads, their sizes, and the words that their numbers stand for; no torch."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sandbox.contracts.actions import ActOutcome

VERSION = 1  # of the arrays' meaning; a policy made for another version is refused

MAX_ELEMENTS, MAX_OPTIONS, GOALS, HISTORY = 96, 48, 10, 8
FIELDS, WORDS = 5, 8  # texts of an element (name, label, group, row, value) and words of each
GOAL_TEXT, PLACE = 24, 16  # words of the goal's text, and of address, title and dialogs

ROLES = (
    "button",
    "link",
    "textbox",
    "searchbox",
    "checkbox",
    "radio",
    "combobox",
    "listbox",
    "option",
    "tab",
    "menuitem",
    "spinbutton",
    "switch",
    "slider",
    "heading",
    "cell",
    "text",
    "status",
    "img",
    "row",
    "dialog",
    "alert",
    "progressbar",
)
REGIONS = ("main", "nav", "header", "dialog", "toast")
STATES = (
    "checked",
    "disabled",
    "editable",
    "expanded",
    "focused",
    "invalid",
    "offscreen",
    "password",
    "pressed",
    "readonly",
    "required",
    "selected",
)
KINDS = ("click", "type", "select", "press", "scroll", "wait", "finish", "answer", "give_up")
KEYS = ("Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "Space")
DIRECTIONS = ("up", "down")
OUTCOMES = tuple(ActOutcome)
USELESS = frozenset(ActOutcome) - {ActOutcome.DONE, ActOutcome.NEW_TAB, ActOutcome.TIMED_OUT, ActOutcome.CRASHED}

ELEMENT_NUMBERS = len(STATES) + 26
PAIRS = 14
EQUAL_NAME, EQUAL_VALUE, IN_NAME, IN_ROW, SAME_AMOUNT, FIELD_IN_LABEL = 0, 1, 2, 3, 6, 7  # columns of the pairs
GOAL_NUMBERS = 12
HISTORY_NUMBERS = 4
OPTION_NUMBERS = 3
OPTION_PAIRS = 4
STATE_NUMBERS = 12

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Arrays:
    """What the network reads. E elements, G goal tokens, H past steps, O options of selects; no batch axis."""

    element_words: Ints  # (E, FIELDS, WORDS)
    element_kinds: Ints  # (E, 3) role, region, row number (0 = in no row)
    element_numbers: Floats  # (E, ELEMENT_NUMBERS)
    element_pairs: Floats  # (E, G, PAIRS)
    element_can: Bools  # (E, 3) may be clicked, typed into, be the answer
    goal_words: Ints  # (G, 2, WORDS) of the field's name and value
    goal_numbers: Floats  # (G, GOAL_NUMBERS)
    goal_there: Bools  # (G,)
    history_words: Ints  # (H, WORDS) newest first
    history_kinds: Ints  # (H, 3) action, role, outcome; each plus one, 0 = no step
    history_numbers: Floats  # (H, HISTORY_NUMBERS)
    history_pairs: Floats  # (H, G, PAIRS)
    option_words: Ints  # (O, WORDS)
    option_parents: Ints  # (O,) index of the select among the elements
    option_numbers: Floats  # (O, OPTION_NUMBERS)
    option_pairs: Floats  # (O, G, OPTION_PAIRS)
    text_words: Ints  # (GOAL_TEXT + PLACE,)
    state_numbers: Floats  # (STATE_NUMBERS,)
    kind_can: Bools  # (len(KINDS),)


NAMES = tuple(each.name for each in fields(Arrays))
INPUTS = (*NAMES, "element_there", "option_there")  # of the network and of its export, in order
OUTPUTS = ("kind", "click", "type", "answer", "source", "option", "key", "direction", "value", "change")


def number_of(word: str, known: Sequence[str]) -> int:
    """A word's place among those that are known, from 1; 0 for others."""
    return known.index(word) + 1 if word in known else 0
