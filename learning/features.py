"""An observation, a goal and a history as arrays; contracts in, numpy out, no torch."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

import numpy as np

from learning import lexical
from learning.arrays import (
    ELEMENT_NUMBERS,
    FIELDS,
    GOAL_NUMBERS,
    GOAL_TEXT,
    GOALS,
    HISTORY,
    HISTORY_NUMBERS,
    KEYS,
    KINDS,
    MAX_ELEMENTS,
    MAX_OPTIONS,
    OPTION_NUMBERS,
    OPTION_PAIRS,
    OUTCOMES,
    PAIRS,
    PLACE,
    REGIONS,
    ROLES,
    STATES,
    USELESS,
    WORDS,
    Arrays,
    Bools,
    Floats,
    Ints,
)
from learning.lexical import Text, read
from sandbox.contracts.actions import Click, Finish, Navigate, Press, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal


@dataclass(frozen=True, slots=True)
class Scene:
    """Arrays and what their rows stand for, so that an index becomes an action again."""

    arrays: Arrays
    elements: tuple[Element, ...]
    texts: tuple[tuple[str, str], ...]  # goal tokens: (field name or "", text)
    options: tuple[tuple[int, str], ...]  # (row of the select, visible text)


def scene(observation: Observation, goal: Goal, history: Sequence[Past]) -> Scene:
    """Everything a policy looks at, as arrays."""
    texts = goal_tokens(goal)
    hidden = lexical.hidden_words(tuple(text for _, text in texts))
    values = [read(text) for _, text in texts]
    names = [lexical.read_field_name(name) for name, _ in texts]
    elements = kept(observation.elements, values)
    recent = tuple(reversed(history[-HISTORY:]))
    element_pairs = np.zeros((len(elements), GOALS, PAIRS), np.float32)
    for g, (value, name) in enumerate(zip(values, names, strict=True)):
        for e, element in enumerate(elements):
            element_pairs[e, g] = _pairs(element, value, name)
    options = _options(elements, values)
    can = _element_can(elements)
    arrays = Arrays(
        element_words=_element_words(elements, hidden),
        element_kinds=_element_kinds(elements),
        element_numbers=_element_numbers(elements, element_pairs, observation, goal, history),
        element_pairs=element_pairs,
        element_can=can,
        goal_words=_goal_words(texts, hidden),
        goal_numbers=_goal_numbers(texts, element_pairs, elements, observation, history),
        goal_there=np.arange(GOALS) < len(texts),
        history_words=_padded([lexical.ids(p.name, hidden, WORDS) for p in recent], HISTORY, WORDS),
        history_kinds=_history_kinds(recent),
        history_numbers=_history_numbers(recent),
        history_pairs=_history_pairs(recent, values),
        option_words=_padded([lexical.ids(text, hidden, WORDS) for _, text in options], len(options), WORDS),
        option_parents=np.array([row for row, _ in options], np.int64),
        option_numbers=_option_numbers(elements, options),
        option_pairs=_option_pairs(options, values, names),
        text_words=_text_words(observation, goal, hidden),
        state_numbers=_state_numbers(observation, history, texts, element_pairs),
        kind_can=_kind_can(can, options, texts),
    )
    return Scene(arrays, elements, texts, options)


def goal_tokens(goal: Goal) -> tuple[tuple[str, str], ...]:
    """Fields, then amounts with their unit, then pieces of the text that look like values and are none of these."""
    found = list(goal.fields[:GOALS])
    for (_, amount), (_, unit) in pairwise(goal.fields):
        if read(amount).number is not None and lexical.is_unit(unit):
            found.append(("", f"{amount} {unit}"))
    taken = tuple(value for _, value in found)
    return (*found, *(("", piece) for piece in lexical.spans(goal.text, taken, GOALS)))[:GOALS]


def kept(elements: Sequence[Element], values: Sequence[Text]) -> tuple[Element, ...]:
    """At most MAX_ELEMENTS, in document order: first dialogs, then what speaks of the goal or can be used."""
    if len(elements) <= MAX_ELEMENTS:
        return tuple(elements)

    def rank(element: Element) -> tuple[int, int]:
        if element.region in ("dialog", "toast"):
            return 0, 0
        speaks = sum(lexical.has(read(element.row), value) or read(element.name) == value for value in values)
        if speaks:
            return 1, -speaks
        far = 2 * ("offscreen" in element.states)
        return (2 if element.actionable else 3) + far, 0

    order = sorted(range(len(elements)), key=lambda index: (rank(elements[index]), index))
    return tuple(elements[index] for index in sorted(order[:MAX_ELEMENTS]))


def _pairs(element: Element, value: Text, field: Text) -> list[float]:
    """How one element and one goal token speak of each other; the heart of carrying over to new names."""
    name, held, label = read(element.name), read(element.value), read(element.label)
    row, group = read(element.row), read(element.group)
    asks = max(lexical.share(field, label), lexical.share(field, name)) > 0.99
    holds = held.plain == value.plain or lexical.same_number(held.number, value.number)
    return [
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
        float(any(read(option).plain == value.plain for option in element.options)),
        max(lexical.share(value, name), lexical.share(value, label)) if len(value.tokens) > 1 else 0.0,
        float(asks and holds),
        float(asks and not holds),
    ]


def _element_words(elements: Sequence[Element], hidden: frozenset[str]) -> Ints:
    words = np.zeros((len(elements), FIELDS, WORDS), np.int64)
    seen: dict[str, list[int]] = {}
    for row, element in enumerate(elements):
        for column, text in enumerate((element.name, element.label, element.group, element.row, element.value)):
            if text:
                if text not in seen:
                    seen[text] = lexical.ids(text, hidden, WORDS)
                words[row, column] = seen[text]
    return words


def _element_kinds(elements: Sequence[Element]) -> Ints:
    rows: dict[str, int] = {"": 0}
    kinds = np.zeros((len(elements), 3), np.int64)
    for index, element in enumerate(elements):
        row = rows.setdefault(element.row, len(rows))
        kinds[index] = (_place(ROLES, element.role), _place(REGIONS, element.region), row)
    return kinds


def _place(known: Sequence[str], word: str) -> int:
    return known.index(word) + 1 if word in known else 0


def _element_can(elements: Sequence[Element]) -> Bools:
    can = np.zeros((len(elements), 3), np.bool_)
    for index, element in enumerate(elements):
        usable = element.actionable and "disabled" not in element.states
        editable = usable and "editable" in element.states and "readonly" not in element.states
        can[index] = (usable, editable, bool(element.name or element.value) and element.region != "nav")
    return can


def _element_numbers(
    elements: Sequence[Element],
    pairs: Floats,
    observation: Observation,
    goal: Goal,
    history: Sequence[Past],
) -> Floats:
    width, height = observation.viewport
    same_name = Counter((element.role, element.name) for element in elements)
    goal_text = read(goal.text)
    past = _acted_on(history)
    numbers = np.zeros((len(elements), ELEMENT_NUMBERS), np.float32)
    best = pairs.max(axis=1) if len(elements) else np.zeros((0, PAIRS), np.float32)
    in_row = pairs[:, :, 3].sum(axis=1)  # (E,) goal tokens that stand in the element's row
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
        matches = [best[index, 0], best[index, 1], best[index, 3], best[index, 7]]
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


def _goal_words(texts: Sequence[tuple[str, str]], hidden: frozenset[str]) -> Ints:
    words = np.zeros((GOALS, 2, WORDS), np.int64)
    for g, (name, text) in enumerate(texts):
        words[g, 0] = lexical.ids(lexical.read_field_name(name).plain, frozenset(), WORDS)
        words[g, 1] = lexical.ids(text, frozenset(), WORDS)  # a choice ("stopped") means something
    return words


def _goal_numbers(
    texts: Sequence[tuple[str, str]],
    pairs: Floats,
    elements: Sequence[Element],
    observation: Observation,
    history: Sequence[Past],
) -> Floats:
    """Of each goal token: what kind of value it is, and where on the page and in the past it already stands."""
    typed = {read(step.action.text).plain for step in history if isinstance(step.action, Type)}
    chosen = {read(step.action.option).plain for step in history if isinstance(step.action, Select)}
    clicked = [step for step in history if isinstance(step.action, Click)]
    address, dialogs = read(observation.url.replace("%20", " ")), read(" ".join(observation.dialogs))
    toasts = read(" ".join(observation.toasts))
    in_dialog = np.array([element.region == "dialog" for element in elements], np.bool_)
    numbers = np.zeros((GOALS, GOAL_NUMBERS), np.float32)
    for g, (name, text) in enumerate(texts):
        value, there = read(text), pairs[:, g] if len(elements) else np.zeros((1, PAIRS), np.float32)
        numbers[g] = [
            float(bool(name)),
            float(value.number is not None),
            float(not value.plain.isalpha() and value.number is None),
            float(there[:, 0].max() > 0),
            float(there[:, 1].max() > 0 or there[:, 6].max() > 0),
            float(there[:, 3].max() > 0),
            float(value.plain in typed or value.plain in chosen),
            float(any(lexical.has(read(f"{step.name} {step.row}"), value) for step in clicked)),
            float(len(value.plain) > 1 and value.plain in address.plain),
            float(lexical.has(dialogs, value) or bool(there[in_dialog, 2].any() if len(elements) else False)),
            float(lexical.has(toasts, value)),
            float(any(lexical.has(read(option), value) for element in elements for option in element.options)),
        ]
    return numbers


def _history_kinds(recent: Sequence[Past]) -> Ints:
    kinds = np.zeros((HISTORY, 3), np.int64)
    for row, step in enumerate(recent):
        kinds[row] = (_kind(step) + 1, _place(ROLES, step.role), OUTCOMES.index(step.result.outcome) + 1)
    return kinds


def _kind(step: Past) -> int:
    if isinstance(step.action, Finish):
        return KINDS.index("answer" if step.action.answer else "finish")
    if isinstance(step.action, Navigate):
        return KINDS.index("click")
    return KINDS.index(type(step.action).__struct_config__.tag)


def _history_numbers(recent: Sequence[Past]) -> Floats:
    numbers = np.zeros((HISTORY, HISTORY_NUMBERS), np.float32)
    for row, step in enumerate(recent):
        again = sum((step.action, step.name, step.row) == (other.action, other.name, other.row) for other in recent)
        key = KEYS.index(step.action.key) + 1 if isinstance(step.action, Press) else 0
        useless = float(step.result.outcome in USELESS)
        numbers[row] = [1.0, min(again - 1, 4) / 4, key / len(KEYS), useless]
    return numbers


def _history_pairs(recent: Sequence[Past], values: Sequence[Text]) -> Floats:
    pairs = np.zeros((HISTORY, GOALS, PAIRS), np.float32)
    for row, step in enumerate(recent):
        name, in_row = read(step.name), read(step.row)
        written = step.action.text if isinstance(step.action, Type) else ""
        written = step.action.option if isinstance(step.action, Select) else written
        text = read(written)
        for g, value in enumerate(values):
            pairs[row, g, 0] = name.plain == value.plain
            pairs[row, g, 1] = bool(written) and text.plain == value.plain
            pairs[row, g, 2] = lexical.has(name, value)
            pairs[row, g, 3] = lexical.has(in_row, value)
            pairs[row, g, 6] = bool(written) and lexical.same_number(text.number, value.number)
    return pairs


def _options(elements: Sequence[Element], values: Sequence[Text]) -> tuple[tuple[int, str], ...]:
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


def _option_numbers(elements: Sequence[Element], options: Sequence[tuple[int, str]]) -> Floats:
    numbers = np.zeros((len(options), OPTION_NUMBERS), np.float32)
    for index, (row, text) in enumerate(options):
        element = elements[row]
        first = element.options.index(text) == 0
        numbers[index] = [float(read(text).plain == read(element.value).plain), float(first), len(element.options) / 16]
    return numbers


def _option_pairs(options: Sequence[tuple[int, str]], values: Sequence[Text], names: Sequence[Text]) -> Floats:
    pairs = np.zeros((len(options), GOALS, OPTION_PAIRS), np.float32)
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


def _text_words(observation: Observation, goal: Goal, hidden: frozenset[str]) -> Ints:
    address = urlsplit(observation.url)
    place = f"{' '.join(observation.dialogs)} {address.path.replace('/', ' ')} {observation.title}"
    return np.array(lexical.ids(goal.text, hidden, GOAL_TEXT) + lexical.ids(place, hidden, PLACE), np.int64)


def _state_numbers(
    observation: Observation, history: Sequence[Past], texts: Sequence[tuple[str, str]], pairs: Floats
) -> Floats:
    fields = sum(bool(name) for name, _ in texts)
    typed = {read(step.action.text).plain for step in history if isinstance(step.action, Type)}
    done = sum(bool(name) and read(text).plain in typed for name, text in texts)
    waits = useless = 0
    for step in reversed(history):
        if not isinstance(step.action, Wait):
            break
        waits += 1
    for step in reversed(history):
        if step.result.outcome not in USELESS:
            break
        useless += 1
    held = float(pairs[:, :, 1].max(axis=0).sum()) if len(pairs) else 0.0
    numbers = [
        min(len(history), 30) / 30,
        float(not history),
        len(observation.dialogs),
        len(observation.toasts),
        float(observation.pending > 0),
        min(len(observation.elements), 160) / 160,
        fields / GOALS,
        done / max(fields, 1),
        min(waits, 6) / 6,
        min(useless, 4) / 4,
        held / GOALS,
        float(any("offscreen" in element.states for element in observation.elements)),
    ]
    return np.array(numbers, np.float32)


def _kind_can(can: Bools, options: Sequence[tuple[int, str]], texts: Sequence[tuple[str, str]]) -> Bools:
    possible = dict.fromkeys(KINDS, True)
    possible["click"] = bool(can[:, 0].any())
    possible["type"] = bool(can[:, 1].any()) and bool(texts)
    possible["select"] = bool(options)
    possible["answer"] = bool(can[:, 2].any())
    return np.array([possible[kind] for kind in KINDS], np.bool_)


def _padded(rows: list[list[int]], height: int, width: int) -> Ints:
    padded = np.zeros((height, width), np.int64)
    if rows:
        padded[: len(rows)] = rows
    return padded
