"""What stands out on a page beside a goal in words: kinds it names, extremes, what is left to do, figures to reach.

Pure functions of elements, goal tokens and past steps; `learning.sentences` puts their columns behind its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import tanh

import numpy as np

from learning.arrays import Floats
from learning.closeness import COLOURS, holds, is_a
from learning.lexical import has, read, stem
from learning.wording import Token, figure
from sandbox.contracts.actions import Click
from sandbox.contracts.observations import Element
from sandbox.contracts.policies import Past

PAIRS = 2  # columns of an element and a goal token: a kind of thing, an extreme
NUMBERS = 18  # columns of an element
GOAL_NUMBERS = 8  # columns of a goal token

_KINDS: Mapping[str, frozenset[str]] = {
    "button": frozenset({"button"}),
    "checkbox": frozenset({"checkbox"}),
    "radio": frozenset({"radio"}),
    "link": frozenset({"link"}),
    "tab": frozenset({"tab"}),
    "text": frozenset({"textbox"}),
    "textbox": frozenset({"textbox"}),
    "textarea": frozenset({"textbox"}),
    "field": frozenset({"textbox", "spinbutton"}),
    "list": frozenset({"combobox", "listbox"}),
    "dropdown": frozenset({"combobox"}),
    "slider": frozenset({"slider"}),
    "spinner": frozenset({"spinbutton"}),
}
_TALL = 24  # CSS pixels: a field for more than one line
_LEAST = frozenset({"cheapest", "lowest", "least", "smallest", "fewest", "minimum"})
_GREATEST = frozenset({"highest", "greatest", "largest", "biggest", "maximum", "most"})
_SHORTEST = frozenset({"shortest", "quickest", "fastest"})
_LONGEST = frozenset({"longest", "slowest"})
_DURATION = re.compile(r"(\d+)h (\d+)m")
_SORTS = {"number": "digit"}  # other words for sorts of drawings
REACH = 15  # elements that belong to a repeated one, at most


def pairs(elements: Sequence[Element], spoken: Sequence[Token]) -> Floats:
    """Whether a token names the element's kind; 1 where the element is the extreme that it names, -1 where another is.

    (E, G, PAIRS)
    """
    found = np.zeros((len(elements), len(spoken), PAIRS), np.float32)
    words = [stem(read(token.text).plain) for token in spoken]
    for g, word in enumerate(words):
        for e, element in enumerate(elements):
            found[e, g, 0] = element.actionable and _is_kind(element, word)
    for g, token in enumerate(spoken):
        told, least = _extreme_of(read(token.text).plain, elements)
        if len(told) > 1:
            best = min(told.values()) if least else max(told.values())
            for e, size in told.items():
                found[e, g, 1] = 1.0 if size == best else -1.0
    return found


def _is_kind(element: Element, word: str) -> bool:
    if element.role not in _KINDS.get(word, ()):
        return False
    return (
        element.role != "textbox"
        or word in ("textbox", "field")
        or (word == "textarea") == (element.box.height > _TALL)
    )


def _extreme_of(word: str, elements: Sequence[Element]) -> tuple[dict[int, float], bool]:
    """What a word like "cheapest" compares, by element, and whether it asks for the least."""
    if word in _LEAST | _GREATEST:
        return _amounts(elements), word in _LEAST
    if word in _SHORTEST | _LONGEST:
        return _durations(elements), word in _SHORTEST
    return {}, True


def _amounts(elements: Sequence[Element]) -> dict[int, float]:
    """The figures of things that can be used and are called alike but for these."""
    found = {}
    for e, element in _repeated(elements):
        number = figure(element.name)
        if number is not None and number[0] == "number":
            found[e] = number[1]
    return found


def _durations(elements: Sequence[Element]) -> dict[int, float]:
    """Minutes that are told between one thing that repeats and the next."""
    found = {}
    last: dict[str, int] = {}
    for e, element in _repeated(elements):
        kind = _kind(element)
        first = max(last.get(kind, -1) + 1, e - REACH)
        for other in elements[first:e]:
            told = _DURATION.fullmatch(other.name)
            if told is not None:
                found[e] = 60.0 * int(told[1]) + int(told[2])
        last[kind] = e
    return found


def _kind(element: Element) -> str:
    return f"{element.role} {' '.join(read(element.name).tokens[:1])}"


def _repeated(elements: Sequence[Element]) -> Iterator[tuple[int, Element]]:
    kinds = [_kind(each) for each in elements]
    for e, element in enumerate(elements):
        if element.actionable and kinds.count(kinds[e]) > 1:
            yield e, element


def numbers(
    elements: Sequence[Element],
    spoken: Sequence[Token],
    history: Sequence[Past],
    before: Floats,  # (E, G) how each goal token speaks of what stands before each element that repeats
    asked: str,  # the goal's text
) -> Floats:
    """Of each element, (E, NUMBERS): three of its own, then what holds of the whole page, told to all.

    It names what alone is drawn; it is like what was done last and was not done yet; its figure among those called
    alike, from the least (0) to the greatest (1); a quoted word names its kind. Of the page: how many are left that are
    like the last, none, how many were done, fewer than the goal's number, as many; how many asked-for options lists
    hold, how many they lack, none; the month that is shown is before, after, the one asked for; so the number held.
    """
    found = np.zeros((len(elements), NUMBERS), np.float32)
    drawn = [each for each in elements if each.actionable and COLOURS & set(read(each.name).tokens[:1])]
    named = [stem(read(token.text).plain) for token in spoken if token.kind == "quoted"]
    done = {step.action.element for step in history if isinstance(step.action, Click)}
    last = history[-1].action.element if history and isinstance(history[-1].action, Click) else None
    like = _like(elements, before, last)
    left = [e for e in like if elements[e].ref not in done]
    ranks = _ranks(_amounts(elements))
    for e, element in enumerate(elements):
        sole = len(drawn) == 1 and element is not drawn[0] and element.actionable
        found[e, :4] = [
            float(sole and names_drawing(element.name, drawn[0].name)),
            float(e in left),
            ranks.get(e, 0.0),
            float(element.actionable and any(_is_kind(element, word) for word in named)),
        ]
    if like:
        found[:, 4:9] = _progress(len(like) - len(left), len(left), spoken)
    found[:, 9:12] = _lists(elements, spoken)
    reached = figures(elements, spoken, asked)
    for first, columns in ((12, slice(0, 3)), (15, slice(4, 7))):
        told = [row for row in reached[:, columns] if row.any()]
        found[:, first : first + 3] = told[0] if told else 0.0
    return found


def _ranks(amounts: Mapping[int, float]) -> dict[int, float]:
    """Where each figure lies between the least (0) and the greatest (1); {} where all are the same."""
    if len({*amounts.values()}) < 2:
        return {}
    least, most = min(amounts.values()), max(amounts.values())
    return {e: (amount - least) / (most - least) for e, amount in amounts.items()}


def _progress(done: int, left: int, spoken: Sequence[Token]) -> list[float]:
    """How many alike are left, none, how many were done, fewer than the goal's number, as many."""
    asked = next((found[1] for token in spoken if token.kind == "number" and (found := figure(token.text))), None)
    short = asked is not None and done < asked
    return [min(left, 5) / 5, float(not left), tanh(done / 4), float(short), float(asked is not None and not short)]


def _lists(elements: Sequence[Element], spoken: Sequence[Token]) -> list[float]:
    """How many asked-for options lists hold, how many they lack, and that they hold some and lack none."""
    holding = lacking = 0
    for element in elements:
        if element.options:
            asked = asked_options(element, spoken)
            held = sum(holds(element.value, option) for option in asked)
            holding, lacking = holding + held, lacking + len(asked) - held
    return [min(holding, 4) / 4, min(lacking, 4) / 4, float(holding > 0 and not lacking)]


def names_drawing(name: str, drawing: str) -> bool:
    """Whether a name says what sort of thing a drawing, called by its colour and sign, is."""
    sort = read(name).plain
    return sort in read(drawing).tokens or is_a(drawing, _SORTS.get(sort, sort))


def _like(elements: Sequence[Element], before: Floats, last: int | None) -> list[int]:
    """The elements of the same name, and of which the goal speaks in the same way, as the one clicked last."""
    at = next((e for e, each in enumerate(elements) if each.ref == last), None)
    if at is None:
        return []
    one = elements[at]
    return [
        e
        for e, each in enumerate(elements)
        if (each.role, each.name) == (one.role, one.name) and np.array_equal(before[e] > 0, before[at] > 0)
    ]


def asked_options(element: Element, spoken: Sequence[Token]) -> frozenset[str]:
    """The options of a list that stand word for word in a goal told by its tokens."""
    text = read(" ".join(token.text for token in spoken if token.kind not in ("field", "part")))
    return frozenset(option for option in element.options if has(text, read(option)))


def figures(elements: Sequence[Element], spoken: Sequence[Token], asked: str) -> Floats:
    """Of each goal token: the month that the page shows is before, after, is it; so the number that a field holds.

    Last of each three how far it is. What only repeats the goal, `asked`, shows nothing. (G, GOAL_NUMBERS)
    """
    found = np.zeros((len(spoken), GOAL_NUMBERS), np.float32)
    names = [figure(each.name) for each in elements if not each.options and each.name != asked[:300]]
    shown = next((f for f in names if f is not None and f[0] == "month"), None)
    fields = [figure(each.value) for each in elements if "editable" in each.states or each.role == "spinbutton"]
    held = next((f for f in fields if f is not None and f[0] == "number"), None)
    for g, token in enumerate(spoken):
        wanted = figure(token.text)
        for first, seen in ((0, shown), (4, held)):
            if wanted is not None and seen is not None and wanted[0] == seen[0]:
                far = seen[1] - wanted[1]
                found[g, first : first + 4] = far < 0, far > 0, far == 0, tanh(far / 5)
    return found
