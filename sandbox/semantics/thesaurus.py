"""A thesaurus: what consoles of several vendors and languages call the same thing, read as one shared word."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sandbox.documents import Document, read

HERE = Path(__file__).parent
SHIPPED = HERE / "words" / "console.yaml"
CHOSEN = "BELAY_WORDS"  # names a thesaurus to be used instead, for an installation's own consoles
LANGUAGES = ("en", "de", "zh")
PART = 4  # letters that a part of a compound has at least

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:[-.:@/][^\W_\u3400-\u9fff]+)*")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")  # "VMs"
_BESIDE = re.compile(r"[\s-]*")  # what may stand between the words of one phrase


@dataclass
class _Node:
    """Phrases that begin alike."""

    after: dict[str, "_Node"] = field(default_factory=dict)
    means: str | None = None  # of the phrase that ends here; "" = passed over


class Thesaurus:
    """Reads texts in shared words; what it does not know stays as it is. Equal texts are read alike, always."""

    def __init__(
        self,
        phrases: Mapping[tuple[str, ...], str],
        *,
        endings: Sequence[str] = (),
        joints: Sequence[str] = (),
        plurals: Mapping[str, str] = MappingProxyType({}),
        things: Sequence[str] = (),
        alone: Mapping[tuple[str, ...], str] = MappingProxyType({}),
    ) -> None:
        self.things = tuple(things)  # shared words for what one console has and another has not
        self.meanings = frozenset(phrases.values()) - {""}
        self.phrases, self.concepts = len(phrases), len(self.meanings)
        self._root = _Node()
        for tokens, means in phrases.items():
            node = self._root
            for token in tokens:
                node = node.after.setdefault(token, _Node())
            node.means = means
        self._single = {tokens[0]: means for tokens, means in phrases.items() if len(tokens) == 1 and means}
        self._alone = alone
        self._endings, self._joints, self._plurals = endings, joints, plurals
        self.shared = lru_cache(maxsize=65_536)(self._shared)

    def _shared(self, text: str) -> str:
        """The text in shared words: the longest phrase first, German compounds part by part."""
        found = [(match.group().lower(), *match.span()) for match in _TOKEN.finditer(text)]
        if means := self._alone.get(tuple(token for token, *_ in found)):
            return means
        pieces: list[str] = []
        at = done = 0
        while at < len(found):
            means, taken = self._longest(text, found, at)
            if not taken:
                written = text[found[at][1] : found[at][2]]
                means, taken = self._parts(written.lower()) or self._one(written), 1
            if means is not None:
                pieces += (text[done : found[at][1]], f" {means} ")
                done = found[at + taken - 1][2]
            at += taken
        return " ".join("".join([*pieces, text[done:]]).split())

    def _longest(self, text: str, found: Sequence[tuple[str, int, int]], at: int) -> tuple[str | None, int]:
        """What the longest known phrase from here on means, and how many tokens it has; 0 where none is known."""
        best: tuple[str | None, int] = (None, 0)
        nodes = [self._root]
        for number in range(at, len(found)):
            if number > at and not _BESIDE.fullmatch(text[found[number - 1][2] : found[number][1]]):
                break
            nodes = [node.after[form] for node in nodes for form in self._forms(found[number][0]) if form in node.after]
            if not nodes:
                break
            ended = [node.means for node in nodes if node.means is not None]
            best = (ended[0], number - at + 1) if ended else best
        return best

    def _forms(self, token: str) -> Iterator[str]:
        """The word, and the word without each ending that it has."""
        yield token
        for ending in self._endings:
            if token.endswith(ending) and len(token) - len(ending) >= 2:
                yield token[: -len(ending)]

    def _one(self, written: str) -> str | None:
        """One thing of several that no concept is for, where their word ends in a way that tells it."""
        token = written.lower()
        if _ACRONYMS.fullmatch(written):
            return token[:-1]
        for ending, one in self._plurals.items():
            if token.endswith(ending) and token.isalpha() and len(token) > len(ending) + 1:
                return token.removesuffix(ending) + one
        return None

    def _parts(self, token: str) -> str | None:
        """What the parts of a hyphenated or compound word mean together; None where one of them is not known."""
        if "-" in token:
            return _joined([self._word(part) for part in token.split("-")])
        for end in range(len(token) - PART, PART - 1, -1):
            stems = (token[: end - len(joint)] for joint in self._joints if token[:end].endswith(joint))
            first = next((self._single[stem] for stem in stems if len(stem) >= PART and stem in self._single), None)
            rest = self._word(token[end:]) if first else None
            if first and rest:
                return f"{first} {rest}"
        return None

    def _word(self, token: str) -> str | None:
        for form in self._forms(token):
            if form in self._single:
                return self._single[form]
        return self._parts(token) if len(token) >= 2 * PART and "-" not in token else None


def _joined(means: Sequence[str | None]) -> str | None:
    known = [each for each in means if each]
    return " ".join(known) if len(known) == len(means) else None


def content_of(path: Path) -> Mapping[str, Any]:
    """A file as it is written. Raises BadDocument."""
    content: Mapping[str, Any] = read(path, _schema()).value
    return content


def load(path: Path) -> Thesaurus:
    """One file. Raises BadDocument with file, line and what was expected, also where a phrase has two meanings."""
    document = read(path, _schema())
    phrases: dict[tuple[str, ...], str] = {}
    languages: Mapping[str, Any] = document.value.get("languages", {})
    for language, about in languages.items():
        for number, text in enumerate(about.get("passed_over", ())):
            _enter(document, phrases, text, "", "languages", language, "passed_over", number)
    alone: dict[tuple[str, ...], str] = {}
    for number, concept in enumerate(document.value["concepts"]):
        for place, text in enumerate(concept.get("alone", ())):
            _enter(document, alone, text, concept["means"], "concepts", number, "alone", place)
        for language in LANGUAGES:
            for place, text in enumerate(concept.get(language, ())):
                _enter(document, phrases, text, concept["means"], "concepts", number, language, place)
    endings = dict.fromkeys(ending for about in languages.values() for ending in about.get("endings", ()))
    joints = dict.fromkeys(joint for about in languages.values() for joint in about.get("joints", ()))
    plurals = {ending: one for about in languages.values() for ending, one in about.get("plurals", {}).items()}
    things = document.value.get("things", ())
    for number, thing in enumerate(things):
        if thing not in phrases.values():
            raise document.bad(f"no concept means {thing!r}: write it as it stands under 'means'", "things", number)
    return Thesaurus(phrases, endings=tuple(endings), joints=tuple(joints), plurals=plurals, things=things, alone=alone)


def _enter(document: Document, phrases: dict[tuple[str, ...], str], text: str, means: str, *place: str | int) -> None:
    tokens = tuple(token.lower() for token in _TOKEN.findall(text))
    if not tokens:
        raise document.bad(f"expected words, found {text!r}", *place)
    known = phrases.setdefault(tokens, means)
    if known != means:
        told = known or "nothing (it is passed over)"
        raise document.bad(f"{text!r} means {told} already: keep one of the two", *place)


@cache
def shipped() -> Thesaurus:
    """The words that come with Belay, or those of the file that BELAY_WORDS names. Raises BadDocument."""
    return load(chosen())


def chosen() -> Path:
    """The file that pages are read by."""
    return Path(os.environ.get(CHOSEN) or SHIPPED)


def shipped_sha256() -> str:
    """Of their file: a policy that reads by other words than it learnt with reads other pages."""
    return hashlib.sha256(chosen().read_bytes()).hexdigest()


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((HERE / "words.schema.json").read_text())
    return schema
