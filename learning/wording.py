"""A goal's own words as tokens, each with the words around it: for goals that come as sentences, without fields."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from learning.lexical import read
from sandbox.contracts.tasks import Goal

LIMIT = 40  # tokens of a goal

Kind: TypeAlias = Literal["field", "quoted", "date", "time", "number", "word", "part"]
KINDS: tuple[Kind, ...] = ("field", "quoted", "date", "time", "number", "word", "part")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    "december",
)
_PIECE = re.compile(
    r"""["“](?P<quoted>[^"”]{1,80})["”]|(?P<group>\([^()]{1,40}\))|(?P<date>\d{1,2}/\d{1,2}/\d{4})"""
    r"""|(?P<time>\d{1,2}:\d{2}\s?[APap][Mm])|(?P<span>\b\d-\d\b)"""
    r"""|(?P<number>(?<![^\W_])[-+]?\d+(?:[.,]\d+)*(?:st|nd|rd|th)?(?![^\W_]))|(?P<word>[@\#]?[^\W_]+(?:[-_.@'’][^\W_]+)*)"""
)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a goal that may be spoken of by the page, or typed into it."""

    text: str
    kind: Kind
    before: tuple[str, str] = ("", "")  # the words before it, the nearest first; a field's name
    after: str = ""
    place: int = 0  # among the pieces of the text; parts share that of their whole


def tokens(goal: Goal) -> tuple[Token, ...]:
    """Fields, then every piece of the text in its order, each followed by what it can be taken apart into."""
    found = [Token(value, "field", (name.replace("_", " "), "")) for name, value in goal.fields if not _quotes(name)]
    pieces = [(match.lastgroup or "word", _bare(match)) for match in _PIECE.finditer(goal.text)]
    plain = [text.lower() if kind in ("word", "number") else "" for kind, text in pieces]
    around = ["", "", *plain, ""]
    for place, (kind, text) in enumerate(pieces):
        before, after = (around[place + 1], around[place]), around[place + 3]
        for piece, as_kind in _readings(kind, text):
            found.append(Token(piece, as_kind, before, after, place + 1))
        found += [Token(part, "part", (name, before[0]), after, place + 1) for name, part in parts(kind, text)]
    return tuple(found[:LIMIT])


def _quotes(name: str) -> bool:
    """Whether a field is but a quoted piece of the text, which is read there."""
    return name.startswith("quoted ")


def _bare(match: re.Match[str]) -> str:
    text = match[match.lastgroup or 0]
    return re.sub(r"['’]s$", "", text) if match.lastgroup == "word" else text


def _readings(kind: str, text: str) -> Iterator[tuple[str, Kind]]:
    match kind:
        case "quoted":
            yield text, "quoted"
            if text[-1:] in ".,":
                yield text.rstrip(".,"), "quoted"
        case "group":
            yield text, "quoted"
        case "date" | "time" | "number" | "word":
            yield text, kind


def parts(kind: str, text: str) -> list[tuple[str, str]]:
    """What a date, a time, an ordinal or a span can be taken apart into, each with its name."""
    match kind:
        case "date":
            month, day, year = (int(part) for part in text.split("/"))
            named = [("month", MONTHS[month - 1])] if 1 <= month <= len(MONTHS) else []
            return [("date", f"{year:04}-{month:02}-{day:02}"), *named, ("day", str(day)), ("year", str(year))]
        case "time":
            hour, minute = int(text.partition(":")[0]), text.partition(":")[2][:2]
            hour = hour % 12 + 12 * ("p" in text.lower())
            return [("time", f"{hour:02}:{minute}")]
        case "number" if (found := _ORDINAL.fullmatch(text)) is not None:
            return [("ordinal", found[1])]
        case "word" if len(text) == 2 and text[1] == "s":
            return [("one", text[0])]  # "How many 2s"
        case "span":
            first, last = int(text[0]), int(text[2])
            return [("one of", str(each)) for each in range(first, last + 1)]
    return []


def figure(text: str) -> tuple[str, float] | None:
    """What can be compared in a text: the month that it names, else its only number; None where there is neither."""
    known = read(text)
    months = [MONTHS.index(token) for token in known.tokens if token in MONTHS]
    if months:
        return "month", float(months[0] + 1)
    if known.number is not None and not known.number[1]:
        return "number", known.number[0]
    digits = re.findall(r"[-+]?\d+(?:\.\d+)?", known.plain)
    return ("number", float(digits[0])) if len(digits) == 1 else None
