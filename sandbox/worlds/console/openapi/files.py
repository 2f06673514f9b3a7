"""Declarations on disk: written as JSON, read again, and what is wrong in one told by file, line and expectation."""

import re
from pathlib import Path
from typing import Any

import msgspec

from sandbox.documents import BadDocument, parse
from sandbox.worlds.console.declare import BadDeclaration, Console
from sandbox.worlds.console.soundness import checked

SUFFIX = ".console.json"
_BYTE = re.compile(r"\(byte ([0-9]+)\)")
_PLACE = re.compile(r" - at `\$([^`]*)`")
_OF_A_KIND = re.compile(r"[^.:]+\.(\w+): (?:(field|verb|tab) (\w+): )?")


def save(console: Console, folder: Path) -> Path:
    """Write a declaration where `sandbox.worlds.generated` finds it (BELAY_CONSOLES names the folder)."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{console.name}{SUFFIX}"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(console), indent=1))
    return file


def load(file: Path) -> Console:
    """Read a declaration. Raises BadDeclaration with file, line and what was expected."""
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise BadDeclaration([f"{file}:1: expected a readable file: {problem.strerror}"]) from None
    try:
        return checked(msgspec.json.decode(content, type=Console))
    except msgspec.ValidationError as problem:
        place = _PLACE.search(str(problem))
        said = f"{_spelt(place[1])}: {str(problem)[: place.start()]}" if place else str(problem)
        line = _line(file, content, _parts(place[1]) if place else ())
        raise BadDeclaration([f"{file}:{line}: {said}"]) from None
    except msgspec.DecodeError as problem:
        at = _BYTE.search(str(problem))
        line = content.count(b"\n", 0, int(at[1]) if at else len(content)) + 1
        raise BadDeclaration([f"{file}:{line}: expected JSON: {problem}"]) from None
    except UnicodeDecodeError as problem:
        raise BadDeclaration([f"{file}:1: expected UTF-8 text: {problem.reason}"]) from None
    except BadDeclaration as unsound:
        kinds = msgspec.json.decode(content)["kinds"]
        told = [f"{file}:{_line(file, content, _place_of(each, kinds))}: {each}" for each in unsound.problems]
        raise BadDeclaration(told) from None


def _line(file: Path, content: bytes, place: tuple[str | int, ...]) -> int:
    """The line on which this part stands."""
    try:
        return parse(content.decode(errors="replace"), {}, path=file).line(*place)
    except BadDocument as problem:  # a key that is given twice, for one
        return problem.line


def _parts(place: str) -> tuple[str | int, ...]:
    """ ".kinds[2].fields[0].type" -> ("kinds", 2, "fields", 0, "type")."""
    found = re.findall(r"\.([A-Za-z_]\w*)|\[([0-9]+)\]", place)
    return tuple(name or int(number) for name, number in found)


def _spelt(place: str) -> str:
    return place.lstrip(".") or "the file"


def _place_of(problem: str, kinds: list[dict[str, Any]]) -> tuple[str | int, ...]:
    """Where the kind of a problem stands, or its field, verb or tab."""
    found = _OF_A_KIND.match(problem)
    at = next((n for n, kind in enumerate(kinds) if found and kind["name"] == found[1]), None)
    if found is None or at is None:
        return ()
    if not found[2]:
        return ("kinds", at)
    parts = kinds[at].get(f"{found[2]}s", [])
    return ("kinds", at, f"{found[2]}s", next((n for n, each in enumerate(parts) if each["name"] == found[3]), 0))
