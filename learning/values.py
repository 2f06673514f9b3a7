"""How values are spelt, and others spelt alike: same length and kind of signs, other letters; pure string work."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

RUN = re.compile(r"[^\W\d_]+|\d+")  # letters, or digits
MIXED = re.compile(r"(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]+")  # letters and digits in one: an identifier
_ADDRESS = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(/\d{1,2})?")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_JOINS = re.compile(r"[^\W\d_]{2}|\d{2}")  # the end of a value within a longer word or number
_TRIES = 40
_ANY = (tuple("abcdefghijklmnopqrstuvwxyz"), (1,) * 26)


@dataclass(frozen=True, slots=True)
class Letters:
    """Which letter follows which, counted; "" is the beginning of a word."""

    after: dict[str, tuple[tuple[str, ...], tuple[int, ...]]]
    taken: frozenset[str]  # words that were counted, and may not come out again

    @classmethod
    def of(cls, words: Iterable[str]) -> "Letters":
        """Count the letters of these words."""
        counts: dict[str, Counter[str]] = {}
        taken = frozenset(word.lower() for word in words)
        for word in sorted(each for each in taken if not each.isdigit()):
            for one, other in zip(("", *word), word, strict=False):
                counts.setdefault(one, Counter())[other] += 1
        after = {one: (tuple(each), tuple(each.values())) for one, each in sorted(counts.items())}
        return cls(after, taken)


def drawn(word: str, letters: Letters, rng: random.Random) -> str:
    """Another run of as many letters or digits, in lower case; never one that was counted, where there is room."""
    found = word.lower()
    for _ in range(_TRIES):
        found = _digits(word, rng) if word.isdigit() else _letters(len(word), letters, rng)
        if found not in letters.taken and found != word.lower():
            break
    return found


def redrawn(value: str, letters: Letters, rng: random.Random) -> str | None:
    """Another value where the whole has a form of its own (an address, a date); None where it has none."""
    address, date = _ADDRESS.fullmatch(value), _DATE.fullmatch(value)
    if address:
        parts = [str(rng.randint(1, 254)) for _ in range(3)]
        return f"{address[1]}.{'.'.join(parts)}{address[5] or ''}" if address[1] == "10" else _any_address(address, rng)
    if date:
        return f"{int(date[1]) + rng.randint(-1, 1)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return None


def _any_address(address: re.Match[str], rng: random.Random) -> str:
    return ".".join(str(rng.randint(1, 223)) for _ in range(4)) + (address[5] or "")


def recased(word: str, like: str) -> str:
    """The word with the capitals of another: all, the first, or none."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word


class Finder:
    """Finds values in texts as whole words, the longest first, whatever their capitals."""

    def __init__(self, values: Iterable[str]) -> None:
        self._by_first: dict[str, list[str]] = {}
        for value in sorted({core(each).lower() for each in values} - {""}, key=lambda each: (-len(each), each)):
            self._by_first.setdefault(RUN.findall(value)[0], []).append(value)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, the value's core in lower case) of each, from left to right, none within another."""
        low, free = text.lower(), 0
        if len(low) != len(text):  # a few letters of the world grow when they are made small
            low = text
        for run in RUN.finditer(low):
            if run.start() < free:
                continue
            for value in self._by_first.get(run[0], ()):
                end = run.start() + len(value)
                if low.startswith(value, run.start()) and not (end < len(low) and _JOINS.match(low[end - 1 : end + 1])):
                    yield run.start(), end, value
                    free = end
                    break


def core(value: str) -> str:
    """A value from its first letter or digit to its last."""
    found = list(RUN.finditer(value))
    return value[found[0].start() : found[-1].end()] if found else ""


def _digits(word: str, rng: random.Random) -> str:
    first = rng.choice("123456789") if word[0] != "0" else "0"
    return first + "".join(rng.choice("0123456789") for _ in word[1:])


def _letters(length: int, letters: Letters, rng: random.Random) -> str:
    found, last = [], ""
    for _ in range(length):
        signs, counts = letters.after.get(last) or letters.after.get("") or _ANY
        last = rng.choices(signs, counts)[0]
        found.append(last)
    return "".join(found)
