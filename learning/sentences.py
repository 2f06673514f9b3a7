"""An observation and a goal told as a sentence, as arrays: the goal word by word, and the page in its own pixels."""

from collections import Counter
from collections.abc import Sequence
from math import cos, sin, tanh

import numpy as np
from msgspec import structs

from learning import lexical, salience
from learning.arrays import (
    GOAL_TEXT,
    IN_NAME,
    PLACE,
    STATES,
    WORDS,
    Arrays,
    Floats,
    Ints,
)
from learning.closeness import CLOSE, COLOURS, OPTION_CLOSE, close, close_option, has_quality, qualities, sized
from learning.elements import element_can, element_kinds, element_numbers, element_pairs, element_words, kept
from learning.features import Scene, kind_can, state_numbers
from learning.goals import goal_numbers
from learning.history import history_kinds, history_numbers, history_pairs, history_words
from learning.lexical import Text, read
from learning.options import Option, option_numbers, option_pairs, option_words, options_of
from learning.wording import KINDS as TOKEN_KINDS
from learning.wording import Token, figure, tokens
from sandbox.contracts.actions import ActOutcome, ActResult, Click, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal

PAGE = (160, 210)  # CSS pixels that places are told in: of one MiniWoB++ page
PAST = 8  # steps remembered
GOAL_TEXTS = 4  # texts of a goal token: the word before it, its own, the one before that, the one after it
PLACED = 6  # columns of _apart
MORE_PAIRS = CLOSE + PLACED + salience.PAIRS
PLAIN_NUMBERS = 21  # of MORE_ELEMENT_NUMBERS, those that are told here
MORE_ELEMENT_NUMBERS = PLAIN_NUMBERS + salience.NUMBERS
PAGEFUL = 3  # things that a paged list of MiniWoB++ shows at once
LETTER = 4  # word id of a single letter
PLAIN_GOAL_NUMBERS = len(TOKEN_KINDS) + 9
MORE_GOAL_NUMBERS = PLAIN_GOAL_NUMBERS + salience.GOAL_NUMBERS

_DONE = ActResult(ActOutcome.DONE)  # people's recordings do not tell what came of a step, so nobody is told
_UNTOLD = (2, 3, 4)  # of STATE_NUMBERS: dialogs, notices and requests are not in recordings either


def scene(observation: Observation, goal: Goal, history: Sequence[Past]) -> Scene:
    """Everything a policy looks at, as arrays; columns are those of `learning.features` and more behind them."""
    spoken = tokens(goal)
    texts = tuple((token.before[0], token.text) for token in spoken)
    values, names = [read(text) for _, text in texts], [read(name) for name, _ in texts]
    hidden = lexical.hidden_words(tuple(token.text for token in spoken if token.kind in ("field", "quoted")))
    elements = kept(observation.elements, values)
    history = [structs.replace(step, result=_DONE) for step in history]
    recent = tuple(reversed(history[-PAST:]))
    count = len(spoken)
    plain = element_pairs(elements, values, names, goals=count)
    options = options_of(elements, values)
    can = element_can(elements)
    placed = structs.replace(observation, viewport=PAGE)
    numbers = element_numbers(elements, plain, observation=placed, goal=goal, history=history)
    numbers[:, STATES.index("focused")] = 0.0  # frames of one page share it
    told = goal_numbers(texts, plain, elements=elements, observation=placed, history=history)
    state = state_numbers(observation, history, texts, plain)
    state[list(_UNTOLD)] = 0.0
    apart = _apart(elements, spoken, plain, goal)
    salient = salience.numbers(elements, spoken, history, apart[:, :, 0], goal.text)
    arrays = Arrays(
        element_words=_with_letters(element_words(elements, hidden), elements),
        element_kinds=element_kinds(elements),
        element_numbers=np.concatenate(
            [numbers, _more_of_elements(elements, goal, history), _drawn(elements, spoken), salient], 1
        ),
        element_pairs=np.concatenate(
            [plain, _close(elements, spoken, goal), apart, salience.pairs(elements, spoken)], 2
        ),
        element_can=can,
        goal_words=_goal_words(spoken),
        goal_numbers=np.concatenate(
            [told, _more_of_goal(spoken, history), salience.figures(elements, spoken, goal.text)], 1
        ),
        goal_there=np.ones(count, np.bool_),
        history_words=history_words(recent, hidden),
        history_kinds=history_kinds(recent),
        history_numbers=history_numbers(recent),
        history_pairs=_widened(history_pairs(recent, values, goals=count), MORE_PAIRS),
        option_words=option_words(options, hidden),
        option_parents=np.array([row for row, _ in options], np.int64),
        option_numbers=option_numbers(elements, options),
        option_pairs=_option_pairs(elements, options, values, names, goal),
        text_words=_text_words(observation, goal, hidden),
        state_numbers=state,
        kind_can=kind_can(can, options, texts),
    )
    return Scene(arrays, elements, texts, options)


def _widened(pairs: Floats, columns: int) -> Floats:
    return np.concatenate([pairs, np.zeros((*pairs.shape[:2], columns), np.float32)], 2)


def _close(elements: Sequence[Element], spoken: Sequence[Token], goal: Goal) -> Floats:
    """(E, G, CLOSE)"""
    found = np.zeros((len(elements), len(spoken), CLOSE), np.float32)
    for e, element in enumerate(elements):
        around = element.row or element.group
        for g, token in enumerate(spoken):
            found[e, g] = close(element.name, element.value, element.label, around, token.text, goal.text)
    return found


def _drawn(elements: Sequence[Element], spoken: Sequence[Token]) -> Floats:
    """Of coloured drawings: whether it looks as the goal says; of others: whether they number what does. (E, 3)"""
    found = np.zeros((len(elements), 3), np.float32)
    wanted = qualities(spoken)
    drawn = [e for e, each in enumerate(elements) if each.actionable and COLOURS & set(read(each.name).tokens[:1])]
    if not wanted or not drawn:
        return found
    heights = [elements[e].box.height for e in drawn]
    middle = (min(heights) + max(heights)) / 2
    right = [
        e
        for e, height in zip(drawn, heights, strict=True)
        if all(has_quality(elements[e].name, height, middle, token) for token in wanted)
    ]
    found[drawn, 0] = 1.0
    found[right, 1] = 1.0
    for e, each in enumerate(elements):
        found[e, 2] = float(e not in drawn and read(each.name).number == (float(len(right)), ""))
    return found


def _apart(elements: Sequence[Element], spoken: Sequence[Token], plain: Floats, goal: Goal) -> Floats:
    """Whether a token stands before, after an element of a repeated kind; whether its size fits; which place it names.

    A page that repeats a thing (a post with its "like", a mail with its "star") repeats what belongs to it, so what
    stands between one of them and the next is one's own. An ordinal names the place among its like, the place on a
    page of PAGEFUL, and the number of that page. (E, G, PLACED)
    """
    found = np.zeros((len(elements), len(spoken), PLACED), np.float32)
    names = plain[:, :, IN_NAME].copy()
    names[[each.name == goal.text[:300] for each in elements]] = 0.0
    kinds = [(each.role, read(each.name).tokens[:1]) for each in elements]
    for e, element in enumerate(elements):
        if not element.actionable or kinds.count(kinds[e]) < 2:
            continue
        before = next((other for other in range(e - 1, -1, -1) if kinds[other] == kinds[e]), -1)
        after = next((other for other in range(e + 1, len(elements)) if kinds[other] == kinds[e]), len(elements))
        first, last = max(before + 1, e - salience.REACH), min(after, e + 1 + salience.REACH)
        found[e, :, 0] = names[first:e].max(0, initial=0.0)
        found[e, :, 1] = names[e + 1 : last].max(0, initial=0.0)
    areas = [each.box.height for each in elements]
    for g, token in enumerate(spoken):
        if sized(1, 0, token.text):
            for e, element in enumerate(elements):
                like = [area for area, other in zip(areas, elements, strict=True) if other.role == element.role]
                found[e, g, 2] = sized(areas[e], (min(like) + max(like)) / 2, token.text)
        if token.before[0] == "ordinal":
            place = int(token.text)
            seen: Counter[str] = Counter()
            for e, element in enumerate(elements):
                seen[element.role] += element.actionable
                at = seen[element.role] if element.actionable else 0
                page = figure(element.name) == ("number", float((place - 1) // PAGEFUL + 1))
                found[e, g, 3:] = at == place, at == (place - 1) % PAGEFUL + 1, page and element.actionable
    return found


def _with_letters(words: Ints, elements: Sequence[Element]) -> Ints:
    """Single letters have one word, whichever they are: only that they match says which. (E, FIELDS, WORDS)"""
    for e, element in enumerate(elements):
        for at, token in enumerate(read(element.name).tokens[:WORDS]):
            if len(token) == 1 and token.isalpha() and words[e, 0, at] >= lexical.FIRST_WORD:
                words[e, 0, at] = LETTER
    return words


def _option_pairs(
    elements: Sequence[Element], options: Sequence[Option], values: Sequence[Text], names: Sequence[Text], goal: Goal
) -> Floats:
    """(O, G, OPTION_PAIRS + OPTION_CLOSE)"""
    plain = option_pairs(options, values, names, goals=len(values))
    more = np.zeros((len(options), len(values), OPTION_CLOSE), np.float32)
    for index, (row, option) in enumerate(options):
        for g, value in enumerate(values):
            more[index, g] = close_option(option, value.plain, goal.text, held=elements[row].value)
    return np.concatenate([plain, more], 2)


def _goal_words(spoken: Sequence[Token]) -> Ints:
    """(G, GOAL_TEXTS, WORDS)"""
    words = np.zeros((len(spoken), GOAL_TEXTS, WORDS), np.int64)
    for g, token in enumerate(spoken):
        for column, text in enumerate((token.before[0], token.text, token.before[1], token.after)):
            words[g, column] = lexical.ids(text, frozenset(), WORDS)
    return words


def _more_of_goal(spoken: Sequence[Token], history: Sequence[Past]) -> Floats:
    """What kind of token each is, where in the sentence, its number, and whether it was clicked or typed just now.

    Last, how often what was clicked last was clicked, beside the number: as often, less often. (G, PLAIN_GOAL_NUMBERS)
    """
    times = 0
    for step in reversed(history):
        if not isinstance(step.action, Click) or (step.role, step.name) != (history[-1].role, history[-1].name):
            break
        times += 1
    numbers = np.zeros((len(spoken), PLAIN_GOAL_NUMBERS), np.float32)
    last = read(f"{history[-1].name} {getattr(history[-1].action, 'text', '')}") if history else read("")
    for g, token in enumerate(spoken):
        value, amount = read(token.text), figure(token.text)
        numbers[g] = [
            *(float(token.kind == kind) for kind in TOKEN_KINDS),
            token.place / 20,
            sin(token.place),
            cos(token.place),
            min(len(token.text), 20) / 20,
            float(token.text[:1].isupper()),
            tanh(amount[1] / 10) if amount else 0.0,
            float(lexical.has(last, value)),
            float(amount is not None and times == amount[1]),
            float(amount is not None and times < amount[1]),
        ]
    return numbers


def _more_of_elements(elements: Sequence[Element], goal: Goal, history: Sequence[Past]) -> Floats:
    """Places among its like, its number, how much of it the goal names, and what was done to it and beside it.

    (E, PLAIN_NUMBERS - 3)
    """
    like = Counter(element.role for element in elements)
    seen: Counter[str] = Counter()
    spoken = read(goal.text)
    acted = [step.action.element for step in history if isinstance(step.action, Click | Type | Select)]
    last = next((each for each in elements if acted and each.ref == acted[-1]), None)
    numbers = np.zeros((len(elements), PLAIN_NUMBERS - 3), np.float32)
    for index, element in enumerate(elements):
        name, box = read(element.name), element.box
        seen[element.role] += 1
        number = figure(element.name)
        held = figure(element.value)
        numbers[index] = [
            index / max(len(elements), 1),
            min(seen[element.role], 10) / 10,
            min(like[element.role] - seen[element.role], 10) / 10,
            min(like[element.role], 20) / 20,
            float(number is not None),
            tanh(number[1] / 4) if number else 0.0,
            tanh(number[1] / 20) if number else 0.0,
            tanh(held[1] / 10) if held else 0.0,
            min(len(name.tokens), 10) / 10,
            min(len(element.name), 30) / 30,
            float(bool(name.tokens) and name.padded in spoken.padded),
            float(bool(element.row) and last is not None and last.row == element.row),
            float(bool(element.group) and last is not None and last.group == element.group),
            min(acted.count(element.ref), 4) / 4,
            float(acted[-1:] == [element.ref]),
            float(last is not None and last.name == element.name and last.role == element.role),
            (box.y - last.box.y) / PAGE[1] if last is not None else 0.0,
            (box.x - last.box.x) / PAGE[0] if last is not None else 0.0,
        ]
    return numbers


def _text_words(observation: Observation, goal: Goal, hidden: frozenset[str]) -> Ints:
    """The goal's words, and the page's name; titles are not in recordings. (GOAL_TEXT + PLACE,)"""
    page = observation.url.partition("?")[0].rpartition("/")[2].removesuffix(".html").removesuffix("-nodelay")
    place = page.replace("-", " ")
    return np.array(lexical.ids(goal.text, hidden, GOAL_TEXT) + lexical.ids(place, hidden, PLACE), np.int64)
