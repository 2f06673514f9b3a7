"""How a page's words and a sentence's words come close to each other, beyond being equal; pure string work."""

import math
from collections.abc import Sequence
from functools import lru_cache

from learning import lexical
from learning.lexical import read
from learning.wording import Token, figure

CLOSE = 18  # columns of an element and a goal token
OPTION_CLOSE = 5  # columns of an option and a goal token
LARGE, SMALL = frozenset({"large", "big", "largest", "biggest"}), frozenset({"small", "little", "smallest"})
COLOURS = frozenset(
    {"red", "green", "blue", "aqua", "black", "magenta", "yellow", "white", "grey", "orange", "purple", "pink", "cyan"}
)
_SORTS = frozenset({"letter", "digit", "shape"})
_SHAPES = frozenset({"circle", "rectangle", "triangle", "square", "ellipse", "polygon"})


@lru_cache(maxsize=200_000)
def close(name: str, held: str, label: str, around: str, text: str, spoken: str) -> tuple[float, ...]:
    """One element (its name, value, label, and row or group) against one token of the goal whose text is `spoken`.

    (CLOSE,): begins, ends with it; stands within it; whole name, value, surroundings stand in the goal around it; the
    name's and the value's number below, above, how far from it; share of letters that name and label begin with.
    """
    of, value, goal = read(name), read(text), read(spoken)
    figures = (*_compared(name, text), *_compared(held, text))
    return (
        float(bool(value.plain) and of.plain.startswith(value.plain)),
        float(bool(value.plain) and of.plain.endswith(value.plain)),
        float(len(of.plain) > 1 and of.plain in value.plain),
        _whole(name, text, goal),
        _whole(held, text, goal),
        _whole(around, text, goal),
        *figures,
        float(bool(value.words) and value.words <= of.words),
        alike(text, name),
        alike(text, label),
        alike(text, around) if len(around) < 60 else 0.0,
        float(is_a(name, text)),
        float(bool(text) and name == text),
    )


def is_a(name: str, sort: str) -> bool:
    """Whether what is called so is of a sort that has a word: a letter, a digit, a shape, an item."""
    tokens = read(name).tokens
    last = tokens[-1] if tokens else ""
    match lexical.stem(read(sort).plain):
        case "letter":
            return len(last) == 1 and last.isalpha()
        case "digit":
            return len(last) == 1 and last.isdigit()
        case "shape":
            return last in _SHAPES
        case "item":
            return bool(last)
    return False


def sized(area: float, middle: float, text: str) -> float:
    """1 where a word of size fits, beside the middle one of its like; -1 where it does not; 0 for other words."""
    word = read(text).plain
    if word in LARGE:
        return 1.0 if area > middle else -1.0
    return (1.0 if area <= middle else -1.0) if word in SMALL else 0.0


def close_option(option: str, text: str, spoken: str, *, held: str = "") -> tuple[float, ...]:
    """One option of a list against one token; `held` is what the list holds, one option or several with commas.

    (OPTION_CLOSE,): whole option in the goal around it; below, above; alike; asked for as a whole and not held yet.
    """
    below, above, _ = _compared(option, text)
    whole = _whole(option, text, read(spoken))
    return whole, below, above, alike(text, option), whole * (not holds(held, option))


def holds(held: str, option: str) -> bool:
    """Whether a list's value, one option or several with commas between, holds an option."""
    return f", {option}, " in f", {held}, "


def _whole(part: str, text: str, goal: lexical.Text) -> float:
    """Whether all of a part stands in the goal, word for word, and the token in the part."""
    known = read(part)
    return float(bool(known.tokens) and known.padded in goal.padded and lexical.has(known, read(text)))


def _compared(one: str, other: str) -> tuple[float, float, float]:
    """Whether the first number is below, above the second, and by how much; zeros where they are not of a kind."""
    first, second = figure(one), figure(other)
    if first is None or second is None or first[0] != second[0]:
        return 0.0, 0.0, 0.0
    difference = first[1] - second[1]
    return float(difference < 0), float(difference > 0), math.tanh(difference / 5)


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> float:
    """The share of a word that another begins with too, at best among the second text's words; 0 for short ones."""
    word = read(one).plain
    if len(word) < 4 or not word.isalpha():
        return 0.0
    return max((_begins(word, token) for token in read(other).tokens[:12]), default=0.0)


def _begins(word: str, token: str) -> float:
    same = 0
    for a, b in zip(word, token, strict=False):
        if a != b:
            break
        same += 1
    return same / max(len(word), len(token)) if same >= 3 else 0.0


def qualities(spoken: Sequence[Token]) -> list[Token]:
    """The tokens that say how a drawn thing looks: its size, colour, sort, or the one sign that it is."""
    found = []
    for token in spoken:
        word = lexical.stem(read(token.text).plain)
        one_sign = (len(word) == 1 and word != "a") or token.before[0] == "one"
        if one_sign or word in LARGE | SMALL | COLOURS | _SORTS | _SHAPES:
            found.append(token)
    return found


def has_quality(name: str, area: float, middle: float, token: Token) -> bool:
    """Whether a drawn thing, called by its colour and sign, looks as a token says."""
    return read(token.text).words <= read(name).words or is_a(name, token.text) or sized(area, middle, token.text) > 0
