"""An observation, a goal and a history as arrays; contracts in, numpy out, no torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from learning import lexical
from learning.arrays import EQUAL_VALUE, GOAL_TEXT, GOALS, HISTORY, KINDS, PLACE, USELESS, Arrays, Bools, Floats, Ints
from learning.elements import element_can, element_kinds, element_numbers, element_pairs, element_words, kept
from learning.goals import goal_numbers, goal_tokens, goal_words
from learning.history import history_kinds, history_numbers, history_pairs, history_words
from learning.lexical import read
from learning.options import Option, option_numbers, option_pairs, option_words, options_of
from sandbox.contracts.actions import Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal


@dataclass(frozen=True, slots=True)
class Scene:
    """Arrays and what their rows stand for, so that an index becomes an action again."""

    arrays: Arrays
    elements: tuple[Element, ...]
    texts: tuple[tuple[str, str], ...]  # goal tokens: (field name or "", text)
    options: tuple[Option, ...]


def scene(observation: Observation, goal: Goal, history: Sequence[Past]) -> Scene:
    """Everything a policy looks at, as arrays; the goal is read by its fields (`learning.sentences`: by its words)."""
    return arranged(observation, goal, history, texts=goal_tokens(goal))


def arranged(
    observation: Observation, goal: Goal, history: Sequence[Past], *, texts: tuple[tuple[str, str], ...]
) -> Scene:
    """The same around goal tokens that are already found: (field name or "", text)."""
    hidden = lexical.hidden_words(tuple(text for _, text in texts))
    values = [read(text) for _, text in texts]
    names = [lexical.read_field_name(name) for name, _ in texts]
    elements = kept(observation.elements, values, read(goal.text))
    recent = tuple(reversed(history[-HISTORY:]))
    pairs = element_pairs(elements, values, names)
    options = options_of(elements, values)
    can = element_can(elements)
    arrays = Arrays(
        element_words=element_words(elements, hidden),
        element_kinds=element_kinds(elements),
        element_numbers=element_numbers(elements, pairs, observation=observation, goal=goal, history=history),
        element_pairs=pairs,
        element_can=can,
        goal_words=goal_words(texts),
        goal_numbers=goal_numbers(texts, pairs, elements=elements, observation=observation, history=history),
        goal_there=np.arange(GOALS) < len(texts),
        history_words=history_words(recent, hidden),
        history_kinds=history_kinds(recent),
        history_numbers=history_numbers(recent),
        history_pairs=history_pairs(recent, values),
        option_words=option_words(options, hidden),
        option_parents=np.array([row for row, _ in options], np.int64),
        option_numbers=option_numbers(elements, options),
        option_pairs=option_pairs(options, values, names),
        text_words=text_words(observation, goal, hidden),
        state_numbers=state_numbers(observation, history, texts, pairs),
        kind_can=kind_can(can, options, texts),
    )
    return Scene(arrays, elements, texts, options)


def text_words(observation: Observation, goal: Goal, hidden: frozenset[str]) -> Ints:
    """Words of the goal's text, and of dialogs, address and title. (GOAL_TEXT + PLACE,)"""
    address = urlsplit(observation.url)
    place = f"{' '.join(observation.dialogs)} {address.path.replace('/', ' ')} {observation.title}"
    return np.array(lexical.ids(goal.text, hidden, GOAL_TEXT) + lexical.ids(place, hidden, PLACE), np.int64)


def state_numbers(
    observation: Observation, history: Sequence[Past], texts: Sequence[tuple[str, str]], pairs: Floats
) -> Floats:
    """How far the work is, what the page is busy with, and how much of the goal it holds. (STATE_NUMBERS,)"""
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
    held = float(pairs[:, :, EQUAL_VALUE].max(axis=0).sum()) if len(pairs) else 0.0
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


def kind_can(can: Bools, options: Sequence[Option], texts: Sequence[tuple[str, str]]) -> Bools:
    """Which kinds of action the page has something for. (KINDS,)"""
    possible = dict.fromkeys(KINDS, True)
    possible["click"] = bool(can[:, 0].any())
    possible["type"] = bool(can[:, 1].any()) and bool(texts)
    possible["select"] = bool(options)
    possible["answer"] = bool(can[:, 2].any())
    return np.array([possible[kind] for kind in KINDS], np.bool_)
