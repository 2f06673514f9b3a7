"""Words of pages and goals: how they are cut, numbered and compared; pure string work."""

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

VOCABULARY = 4096  # rows of the table of word vectors
PAD, GOAL, NUMBER, IDENTIFIER = 0, 1, 2, 3
FIRST_WORD = 8  # ids below are the special ones above, and room

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:[-_.:@/][^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?)\s*([a-z%]{0,5})")
_QUOTED = re.compile(r"[\"'“‘「]([^\"'”’」]{1,80})[\"'”’」]")
_UNITS: dict[str, int] = {"b": 0, "byte": 0, "bytes": 0, "k": 1, "kb": 1, "kib": 1, "m": 2, "mb": 2, "mib": 2}
_UNITS |= {"g": 3, "gb": 3, "gib": 3, "t": 4, "tb": 4, "tib": 4}


@dataclass(frozen=True, slots=True)
class Text:
    """One string, cut once and compared often."""

    plain: str  # lower case, outer blanks removed, inner ones single
    tokens: tuple[str, ...]
    words: frozenset[str]  # stems
    padded: str  # " token token " for questions of being contained
    number: tuple[float, str] | None  # value and unit, where the whole string is a number


@lru_cache(maxsize=32768)
def read(text: str) -> Text:
    """Cut a string; cached, since pages repeat themselves."""
    plain = " ".join(text.lower().split())
    tokens = tuple(_TOKEN.findall(plain))
    return Text(plain, tokens, frozenset(map(stem, tokens)), f" {' '.join(tokens)} ", number(plain))


@lru_cache(maxsize=4096)
def read_field_name(name: str) -> Text:
    """A goal field's name as words: `size_gb` and `sizeGb` are "size gb"."""
    return read(_CAMEL.sub(" ", name).replace("_", " ").replace("-", " "))


def stem(token: str) -> str:
    """A word without its plural."""
    if len(token) > 3 and token.endswith("s") and not token.endswith("ss") and token.isalpha():
        return token[:-1]
    return token


def number(plain: str) -> tuple[float, str] | None:
    """ "10 GB" -> (10.0, "gb"); None where the string is not one number."""
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return None
    return float(found[1].replace(",", "")), found[2]


def is_unit(text: str) -> bool:
    """Whether this is a unit of amounts of data."""
    return text.lower() in _UNITS


def same_number(one: tuple[float, str] | None, other: tuple[float, str] | None) -> bool:
    """Whether two numbers are the same amount; a missing unit fits any, and other units are rounded as pages do it."""
    if one is None or other is None:
        return False
    if not one[1] or not other[1] or one[1] == other[1]:
        return one[0] == other[0]
    if one[1] in _UNITS and other[1] in _UNITS:
        amounts = [number * 1024.0 ** _UNITS[unit] for number, unit in (one, other)]
        return abs(amounts[0] - amounts[1]) <= 0.03 * max(amounts)
    return False


def has(text: Text, value: Text) -> bool:
    """Whether the value stands in the text as whole words."""
    if len(value.tokens) == 1:
        return value.tokens[0] in text.tokens
    return bool(value.tokens) and value.padded in text.padded


def share(part: Text, whole: Text) -> float:
    """Share of the words of `part` that stand in `whole`."""
    return len(part.words & whole.words) / len(part.words) if part.words else 0.0


@lru_cache(maxsize=32768)
def plain_id(token: str) -> int:
    """Row of a word's vector. Words are hashed; numbers and made-up names have one row each."""
    if token[0].isdigit() and number(token) is not None:
        return NUMBER
    if not token.isalpha():
        return IDENTIFIER
    return FIRST_WORD + zlib.crc32(stem(token).encode()) % (VOCABULARY - FIRST_WORD)


def ids(text: str, hidden: frozenset[str], width: int) -> list[int]:
    """Word ids of a string, cut or padded to `width`; words that the goal names read GOAL whatever they are."""
    found = [GOAL if token in hidden else plain_id(token) for token in read(text).tokens[:width]]
    return found + [PAD] * (width - len(found))


def hidden_words(values: tuple[str, ...]) -> frozenset[str]:
    """Goal values of a single word: their identity is told by matches alone, so that any other name does as well."""
    return frozenset(read(value).tokens[0] for value in values if len(read(value).tokens) == 1)


def spans(text: str, taken: tuple[str, ...], limit: int) -> list[str]:
    """Pieces of a goal's text that look like values: quoted ones, numbers, made-up names; not those in `taken`."""
    known = {read(each).plain for each in taken}
    found: list[str] = []
    rest = text
    for piece in _QUOTED.findall(text):
        found.append(piece)
        rest = rest.replace(piece, " ")
    found += [piece for piece in _TOKEN.findall(rest) if plain_id(piece.lower()) in (NUMBER, IDENTIFIER)]
    fresh = [piece for piece in dict.fromkeys(found) if read(piece).plain not in known]
    return fresh[:limit]
