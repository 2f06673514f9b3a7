"""A real console described by one small file: read, checked, and turned into plain values."""

import json
import re
import string
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from sandbox.contracts.tasks import Environment, Parameter, Risk, Split, Template
from sandbox.documents import BadDocument, Document, read
from sandbox.registry import RequestRule

SCHEMA = Path(__file__).with_name("console.schema.json")
LIMIT_S = 60.0
# A hole in an address or a command: {port.web}, {here}. Others are not touched.
_HOLE = re.compile(r"\{([a-z]+(?:\.[a-z0-9.]+)?)\}")
HOLES = ("python", "here", "folder", "url")


class Command(Struct, frozen=True):
    """A program with its words; no shell is asked."""

    command: tuple[str, ...]
    limit_s: float = LIMIT_S


class Target(Struct, frozen=True):
    """An element of a page. `row` is a word of its row; {parameter} is filled in."""

    role: str
    name: str
    row: str = ""


class Basic(Struct, frozen=True):
    """HTTP's own sign-in, by names of credentials."""

    user: str
    password: str


class TypeCredential(Struct, frozen=True):
    """A credential, or a plain text, to type into the field of this name."""

    into: str
    credential: str = ""
    text: str = ""


class LoginStep(Struct, frozen=True):
    """One of these."""

    basic: Basic | None = None
    open: str = ""
    type: TypeCredential | None = None
    click: Target | None = None
    expect: str = ""


class TypeText(Struct, frozen=True):
    """A text to type; {parameter} is filled in."""

    into: Target
    text: str


class SelectOption(Struct, frozen=True):
    """An option to choose; {parameter} is filled in."""

    in_: Target = field(name="in")
    option: str = ""


class Cell(Struct, frozen=True):
    """What stands in a row under a column; {parameter} is filled in."""

    row: str
    column: str


class Step(Struct, frozen=True):
    """One of these."""

    click: Target | None = None
    type: TypeText | None = None
    select: SelectOption | None = None
    answer: Cell | None = None


class Draw(Struct, frozen=True):
    """Words by split."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]

    def of(self, split: Split) -> tuple[str, ...]:
        """The words of one split."""
        found: tuple[str, ...] = getattr(self, split)
        return found


class Kind(Struct, frozen=True):
    """One kind of ticket as the file has it."""

    name: str
    title: str
    summary: str
    phrases: tuple[str, ...]
    risk: Risk
    parameters: tuple[Parameter, ...] = ()
    phrases_zh: tuple[str, ...] = ()
    answers: bool = False
    max_steps: int = 30
    draw: dict[str, Draw] = {}
    solution: tuple[Step, ...] = ()

    def template(self, console: str) -> Template:
        """The kind as everybody else knows it."""
        return Template(
            id=f"{console}/{self.name}",
            environment=console,
            title=self.title,
            summary=self.summary,
            parameters=self.parameters,
            phrases=self.phrases,
            phrases_zh=self.phrases_zh,
            risk=self.risk,
            answers=self.answers,
            max_steps=self.max_steps,
        )


class Console(Struct, frozen=True):
    """The whole file."""

    console: str
    title: str
    summary: str
    url: str
    allow: tuple[str, ...]
    verify: Command
    templates: tuple[Kind, ...]
    protected: bool = False
    practice: bool = False
    first_screen: str = ""
    ports: tuple[str, ...] = ()
    credentials: dict[str, dict[str, str | int]] = {}
    serve: Command | None = None
    login: tuple[LoginStep, ...] = ()
    reset: Command | None = None
    requests: tuple[RequestRule, ...] = ()
    here: str = ""  # the file's folder

    @property
    def environment(self) -> Environment:
        """The console as everybody else knows it."""
        return Environment(
            self.console, self.title, self.summary, real=True, protected=self.protected, practice=self.practice
        )


def load(path: Path) -> Console:
    """One file. Raises BadDocument with file, line and what was expected."""
    document = read(path, _schema())
    _check(document)
    return msgspec.convert({**document.value, "here": str(path.parent.resolve())}, Console)


def holes(text: str) -> list[str]:
    """The names of the holes in an address or a word of a command."""
    return _HOLE.findall(text)


def filled(text: str, values: Mapping[str, str]) -> str:
    """An address or a word of a command with its holes filled."""
    return _HOLE.sub(lambda found: values[found[1]], text)


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(SCHEMA.read_text())
    return schema


def _check(document: Document) -> None:
    """What a schema cannot say. Raises BadDocument."""
    value = document.value
    known = {*HOLES, *(f"port.{name}" for name in value.get("ports", ()))}
    for place, text in _texts_with_holes(value):
        for hole in holes(text):
            if hole not in known:
                raise document.bad(f"{{{hole}}} is not known; expected one of {', '.join(sorted(known))}", *place)
    _check_address(document)
    for number, rule in enumerate(value.get("requests", ())):
        _check_pattern(document, rule["path"], "requests", number, "path")
    _check_login(document)
    names: set[str] = set()
    for number, template in enumerate(value["templates"]):
        if template["name"] in names:
            raise document.bad(f"there are two templates {template['name']!r}", "templates", number, "name")
        names.add(template["name"])
        _check_template(document, number)


def _texts_with_holes(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    yield ("url",), value["url"]
    for number, text in enumerate(value["allow"]):
        yield ("allow", number), text
    for part in ("serve", "reset", "verify"):
        for number, text in enumerate(value.get(part, {}).get("command", ())):
            yield (part, "command", number), text


def _check_address(document: Document) -> None:
    """The first address has to be one that the browser may reach."""
    url = document.value["url"]
    host = urlsplit(url).netloc
    host = host if ":" in host else f"{host}:80"
    if host not in document.value["allow"]:
        raise document.bad(f"expected {host} in it: the browser has to reach url", "allow")


def _check_pattern(document: Document, pattern: str, *place: str | int) -> None:
    try:
        re.compile(pattern)
    except re.error as problem:
        raise document.bad(f"expected a regular expression: {problem}", *place) from None


def _check_login(document: Document) -> None:
    known = document.value.get("credentials", {})
    for number, step in enumerate(document.value.get("login", ())):
        (kind,) = step
        named = {"basic": ("user", "password"), "type": ("credential",)}.get(kind, ())
        for part in named:
            if part in step[kind] and step[kind][part] not in known:
                said = ", ".join(sorted(known)) or "none"
                place = ("login", number, kind, part)
                raise document.bad(f"there is no credential {step[kind][part]!r}; there is: {said}", *place)


def _check_template(document: Document, number: int) -> None:
    template = document.value["templates"][number]
    place: tuple[str | int, ...] = ("templates", number)
    parameters = {each["name"]: each for each in template.get("parameters", ())}
    for at, parameter in enumerate(template.get("parameters", ())):
        _check_pattern(document, parameter.get("pattern", ""), *place, "parameters", at, "pattern")
        if parameter.get("kind") == "choice" and not parameter.get("choices"):
            raise document.bad("expected the key 'choices' for a choice", *place, "parameters", at)
        drawn = parameter["name"] in template.get("draw", {}) or parameter.get("kind") == "choice"
        if template.get("draw") and not drawn:
            raise document.bad(f"expected words for the parameter {parameter['name']}", *place, "draw")
    for name, words in template.get("draw", {}).items():
        if name not in parameters:
            raise document.bad(f"there is no parameter {name!r}", *place, "draw", name)
        _check_words(document, words, parameters[name].get("pattern", ""), *place, "draw", name)
    for key in ("phrases", "phrases_zh"):
        for at, phrase in enumerate(template.get(key, ())):
            _check_blanks(document, phrase, set(parameters), *place, key, at)
    for at, step in enumerate(template.get("solution", ())):
        (part,) = step.values()
        for text in _texts(part):
            _check_blanks(document, text, set(parameters), *place, "solution", at)


def _check_words(document: Document, words: dict[str, list[str]], pattern: str, *place: str | int) -> None:
    """What is drawn fits its parameter, and what is judged on was not learned from."""
    split_of: dict[str, str] = {}
    for split, drawn in words.items():
        for at, word in enumerate(drawn):
            if pattern and not re.fullmatch(pattern, word):
                raise document.bad(f"expected a text that matches {pattern}, found {word!r}", *place, split, at)
            if split_of.setdefault(word, split) != split:
                said = f"{word!r} is for {split_of[word]} already: each split has words of its own"
                raise document.bad(said, *place, split, at)


def _check_blanks(document: Document, text: str, parameters: set[str], *place: str | int) -> None:
    try:
        blanks = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError as problem:
        raise document.bad(f"expected blanks such as {{name}}: {problem}", *place) from None
    for blank in blanks:
        if blank not in parameters:
            said = ", ".join(sorted(parameters)) or "none"
            raise document.bad(f"there is no parameter {blank!r}; there is: {said}", *place)


def _texts(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for value in part.values():
            yield from _texts(value)
    elif isinstance(part, str):
        yield part


__all__ = ["BadDocument", "Console", "load"]
