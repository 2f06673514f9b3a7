"""A page's elements as arrays: their words, what they are and can, and how they speak of the goal."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from learning import lexical
from learning.arrays import (
    ELEMENT_NUMBERS,
    EQUAL_NAME,
    EQUAL_VALUE,
    FIELD_IN_LABEL,
    FIELDS,
    GOALS,
    IN_ROW,
    MAX_ELEMENTS,
    PAIRS,
    REGIONS,
    ROLES,
    STATES,
    USELESS,
    WORDS,
    Bools,
    Floats,
    Ints,
    number_of,
)
from learning.lexical import Text, read
from sandbox.contracts.actions import Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal

_NOTHING = read("")


def kept(elements: Sequence[Element], values: Sequence[Text], told: Text = _NOTHING) -> tuple[Element, ...]:
    """At most MAX_ELEMENTS, in document order: first dialogs, then what speaks of the goal's values, then what can be
    used and is called as the goal's text (`told`) says, then what can be used.
    """
    if len(elements) <= MAX_ELEMENTS:
        return tuple(elements)

    def rank(element: Element) -> tuple[int, int]:
        if element.region in ("dialog", "toast"):
            return 0, 0
        speaks = sum(lexical.has(read(element.row), value) or read(element.name) == value for value in values)
        if speaks:
            return 1, -speaks
        if element.actionable and lexical.share(read(element.name), told) == 1.0:
            return 2, 0
        far = 2 * ("offscreen" in element.states)
        return (3 if element.actionable else 4) + far, 0

    order = sorted(range(len(elements)), key=lambda index: (rank(elements[index]), index))
    return tuple(elements[index] for index in sorted(order[:MAX_ELEMENTS]))


def element_pairs(
    elements: Sequence[Element], values: Sequence[Text], names: Sequence[Text], *, goals: int = GOALS
) -> Floats:
    """How every element and every one of at most `goals` goal tokens speak of each other. (E, G, PAIRS)"""
    pairs = np.zeros((len(elements), goals, PAIRS), np.float32)
    for g, (value, name) in enumerate(zip(values, names, strict=True)):
        for e, element in enumerate(elements):
            said = (element.name, element.value, element.label, element.row, element.group, element.options)
            pairs[e, g] = _pairs(*said, value, name)
    return pairs


@lru_cache(maxsize=65_536)
def _pairs(
    named: str, valued: str, labelled: str, rowed: str, grouped: str, options: tuple[str, ...], value: Text, field: Text
) -> tuple[float, ...]:
    """How one element's words and one goal token speak of each other; the heart of carrying over to new names.

    `arrays` names the columns that others read.
    """
    name, held, label, row, group = read(named), read(valued), read(labelled), read(rowed), read(grouped)
    asks = max(lexical.share(field, label), lexical.share(field, name)) > 0.99
    holds = held.plain == value.plain or lexical.same_number(held.number, value.number)
    return (
        float(name.plain == value.plain),
        float(held.plain == value.plain),
        float(lexical.has(name, value)),
        float(lexical.has(row, value)),
        float(lexical.has(label, value) or lexical.has(group, value)),
        float(len(value.plain) > 2 and value.plain in name.plain and not lexical.has(name, value)),
        float(lexical.same_number(name.number, value.number) or lexical.same_number(held.number, value.number)),
        lexical.share(field, label),
        lexical.share(field, name),
        lexical.share(field, group),
        float(any(read(option).plain == value.plain for option in options)),
        max(lexical.share(value, name), lexical.share(value, label)) if len(value.tokens) > 1 else 0.0,
        float(asks and holds),
        float(asks and not holds),
    )


def element_words(elements: Sequence[Element], hidden: frozenset[str]) -> Ints:
    """Words of name, label, group, row and value. (E, FIELDS, WORDS)"""
    words = np.zeros((len(elements), FIELDS, WORDS), np.int64)
    seen: dict[str, list[int]] = {}
    for row, element in enumerate(elements):
        for column, text in enumerate((element.name, element.label, element.group, element.row, element.value)):
            if text:
                if text not in seen:
                    seen[text] = lexical.ids(text, hidden, WORDS)
                words[row, column] = seen[text]
    return words


def element_kinds(elements: Sequence[Element]) -> Ints:
    """Role, region and row; rows are numbered as they come, 0 is none. (E, 3)"""
    rows: dict[str, int] = {"": 0}
    kinds = np.zeros((len(elements), 3), np.int64)
    for index, element in enumerate(elements):
        row = rows.setdefault(element.row, len(rows))
        kinds[index] = (number_of(element.role, ROLES), number_of(element.region, REGIONS), row)
    return kinds


def element_can(elements: Sequence[Element]) -> Bools:
    """Whether each may be clicked, typed into, be the answer. (E, 3)"""
    can = np.zeros((len(elements), 3), np.bool_)
    for index, element in enumerate(elements):
        usable = element.actionable and "disabled" not in element.states
        editable = usable and "editable" in element.states and "readonly" not in element.states
        can[index] = (usable, editable, bool(element.name or element.value) and element.region != "nav")
    return can


def element_numbers(
    elements: Sequence[Element],
    pairs: Floats,  # (E, G, PAIRS)
    *,
    observation: Observation,
    goal: Goal,
    history: Sequence[Past],
) -> Floats:
    """States, place on the page, shape, strongest matches, and what was done to each before. (E, ELEMENT_NUMBERS)"""
    width, height = observation.viewport
    same_name = Counter((element.role, element.name) for element in elements)
    goal_text = read(goal.text)
    past = _acted_on(history)
    numbers = np.zeros((len(elements), ELEMENT_NUMBERS), np.float32)
    best = pairs.max(axis=1, initial=0.0)  # of a goal without words: nothing
    in_row = pairs[:, :, IN_ROW].sum(axis=1)  # (E,) goal tokens that stand in the element's row
    most = float(in_row.max()) if len(elements) else 0.0
    for index, element in enumerate(elements):
        name, box = read(element.name), element.box
        states = [float(state in element.states) for state in STATES]
        place = [box.x / width, box.y / height, box.width / width, box.height / height, float(element.frame > 0)]
        shape = [
            float(element.actionable),
            float(not element.name),
            float(not element.value),
            float(name.number is not None),
            float(bool(element.row)),
            min(len(element.options), 10) / 10,
            min(same_name[(element.role, element.name)] - 1, 5) / 5,
            lexical.share(name, goal_text),
            lexical.share(read(element.group), goal_text),
        ]
        matches = list(best[index, [EQUAL_NAME, EQUAL_VALUE, IN_ROW, FIELD_IN_LABEL]])
        matches += [in_row[index] / 4, float(most > 0 and in_row[index] == most)]
        numbers[index] = [*states, *place, *shape, *matches, *_past_numbers(element, past)]
    return numbers


def _acted_on(history: Sequence[Past]) -> dict[tuple[str, str], list[tuple[int, Past]]]:
    """Steps that acted on an element, by its role and name, with their age (1 = the last step)."""
    found: dict[tuple[str, str], list[tuple[int, Past]]] = {}
    for age, step in enumerate(reversed(history[-24:]), start=1):
        if step.role:
            found.setdefault((step.role, step.name), []).append((age, step))
    return found


def _past_numbers(element: Element, past: dict[tuple[str, str], list[tuple[int, Past]]]) -> list[float]:
    """Was this element acted on: how often, how lately, with what effect."""
    steps = past.get((element.role, element.name), [])
    same = [(age, step) for age, step in steps if step.row == element.row or step.action.element == element.ref]  # type: ignore[union-attr]  # steps with a role name an element
    if not same:
        return [0.0, 0.0, min(len(steps), 3) / 3, 0.0, 0.0, 0.0]
    age, newest = same[0]
    return [
        min(len(same), 3) / 3,
        1 / age,
        min(len(steps), 3) / 3,
        float(newest.result.outcome in USELESS),
        float(isinstance(newest.action, Type) and read(newest.action.text).plain == read(element.value).plain),
        float(isinstance(newest.action, Type | Select)),
    ]
