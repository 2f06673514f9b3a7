"""Texts of strangers: made visible before people decide by them, and refused where they hold what cannot be kept."""

import re
import unicodedata
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator

# Letters by their class, and yet nothing is drawn for them.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_UNDRAWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LAYOUT = frozenset("\t\n\r")
_CREDENTIALS = re.compile(r"(?P<before>[a-z][a-z0-9+.-]*://[^\s/?#:@]*:)[^\s/?#@]+(?=@)", re.IGNORECASE)
NO_CREDENTIALS = "Leave the password out of the address: what stands here is kept, and everybody here sees it."
NOT_BLANK = "Write something that can be seen."


def visible(text: str) -> str:
    r"""The text with everything that draws nothing, or turns the order of letters, written out: "\u202e"."""
    return "".join(f"\\u{ord(each):04x}" if _is_undrawn(each) else each for each in text)


def is_blank(text: str) -> bool:
    """Whether a person who looks at it sees nothing."""
    return all(each.isspace() or each in _LAYOUT or _is_undrawn(each) for each in text)


def has_credentials(text: str) -> bool:
    """Whether an address in it carries a password: "https://user:password@host"."""
    return _CREDENTIALS.search(text) is not None


def without_credentials(text: str) -> str:
    """The text with the passwords of its addresses masked."""
    return _CREDENTIALS.sub(r"\g<before>•••", text)


def holding_nul(value: Any, where: str = "") -> list[str]:
    """Names of the fields of a JSON value that hold U+0000, outer names first: ["parameters.bucket"]."""
    match value:
        case str():
            return [where] if "\x00" in value else []
        case dict():
            named = [(str(name), each) for name, each in value.items()]
            keys = [where or "body" for name, _ in named if "\x00" in name]
            inner = [held for name, each in named for held in holding_nul(each, f"{where}.{name}".lstrip("."))]
            return keys + inner
        case list():
            return [held for at, each in enumerate(value) for held in holding_nul(each, f"{where}.{at}".lstrip("."))]
        case _:
            return []


def _said(text: str) -> str:
    if is_blank(text):
        raise ValueError(NOT_BLANK)
    return text.strip()


# A name that people find things by: something can be seen of it, and no space stands around it.
Name: TypeAlias = Annotated[str, AfterValidator(_said)]
# What a person adds in words: an address in it keeps its password to itself.
Note: TypeAlias = Annotated[str, AfterValidator(without_credentials)]


def _is_undrawn(each: str) -> bool:
    return each not in _LAYOUT and (unicodedata.category(each) in _UNDRAWN or each in _BLANK_LETTERS)
