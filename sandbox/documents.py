"""YAML and JSON files checked against a JSON Schema: what is wrong is told by file, line and what was expected."""

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import jsonschema
import yaml

MAX_BYTES = 1024 * 1024

_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


class BadDocument(ValueError):
    """A file that cannot be used; the text is `file:line: place: what was expected`."""

    def __init__(self, path: Path | str, line: int, sentence: str) -> None:
        super().__init__(f"{path}:{line}: {sentence}")
        self.path, self.line, self.sentence = str(path), line, sentence


class Document:
    """The content of one file, and the line on which each part of it stands."""

    def __init__(self, path: Path | str, value: Any, lines: Mapping[tuple[str | int, ...], int]) -> None:
        self.path = path
        self.value = value
        self._lines = lines

    def line(self, *place: str | int) -> int:
        """The line (from 1) of the part at this place, or of the nearest part around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def bad(self, sentence: str, *place: str | int) -> BadDocument:
        """An error about the part at this place."""
        return BadDocument(self.path, self.line(*place), f"{spell(place)}{sentence}")


def read(path: Path, schema: Mapping[str, Any]) -> Document:
    """A YAML or JSON file that fits the schema. Raises BadDocument."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadDocument(path, 1, f"expected a readable file: {problem.strerror}") from None
    if len(content) > MAX_BYTES:
        raise BadDocument(path, 1, f"expected at most {MAX_BYTES} bytes, found {len(content)}")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise BadDocument(path, line, f"expected UTF-8 text, found the byte 0x{content[problem.start]:02x}") from None
    return parse(text, schema, path=path)


def parse(text: str, schema: Mapping[str, Any], *, path: Path | str = "text") -> Document:
    """The same for a text that is already at hand. Raises BadDocument."""
    # JSON may be indented by tabs, which YAML does not take; inside a JSON string a bare tab is no JSON.
    source = text.replace("\t", " ") if str(path).endswith(".json") else text
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        raise BadDocument(path, _line_of(problem), f"expected YAML or JSON: {_sentence_of(problem)}") from None
    if node is None:
        raise BadDocument(path, 1, "expected a mapping, found an empty file")
    lines: dict[tuple[str | int, ...], int] = {}
    value = _Builder(path, lines).build(node, ())
    document = Document(path, value, lines)
    worst = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
    if worst is not None:
        raise _told(document, worst)
    return document


def spell(place: Iterable[str | int]) -> str:
    """("rules", 2, "when") -> "rules[2].when: ", () -> ""."""
    said = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    return f"{said}: " if said else ""


class _Builder:
    """Values from YAML nodes; keys are texts, given once; no aliases, which could make a small file huge."""

    def __init__(self, path: Path | str, lines: dict[tuple[str | int, ...], int]) -> None:
        self._path = path
        self._lines = lines
        self._met: set[int] = set()
        self._scalars = yaml.SafeLoader("")

    def build(self, node: Any, place: tuple[str | int, ...]) -> Any:
        """The value of a node."""
        line = node.start_mark.line + 1
        if id(node) in self._met:
            raise BadDocument(self._path, line, f"{spell(place)}expected no alias (*name): write the part out")
        self._met.add(id(node))
        self._lines.setdefault(place, line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(each, (*place, number)) for number, each in enumerate(node.value)]
        try:
            value = self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError) as problem:
            raise BadDocument(self._path, line, f"{spell(place)}expected a plain value: {problem}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise BadDocument(self._path, line, f"{spell(place)}expected a finite number, found {node.value}")
        return value

    def _mapping(self, node: yaml.MappingNode, place: tuple[str | int, ...]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key: Hashable = key_node.value if isinstance(key_node, yaml.ScalarNode) else ""
            if not isinstance(key, str) or not key:
                raise BadDocument(self._path, line, f"{spell(place)}expected a text as key")
            if key in made:
                raise BadDocument(self._path, line, f"{spell(place)}{key!r} is given twice")
            self._lines[(*place, key)] = line
            made[key] = self.build(value_node, (*place, key))
        return made


def _told(document: Document, problem: jsonschema.ValidationError) -> BadDocument:
    place = tuple(problem.absolute_path)
    found = problem.instance
    wanted = problem.validator_value
    match problem.validator:
        case "additionalProperties":
            known = sorted(problem.schema.get("properties", {}))
            unknown = next(key for key in found if key not in known)
            near = get_close_matches(unknown, known, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            return document.bad(f"unknown key {unknown!r}{hint}; expected: {', '.join(known)}", *place, unknown)
        case "required":
            missing = next(key for key in wanted if key not in found)
            return document.bad(f"expected the key {missing!r}", *place)
        case "enum":
            return document.bad(f"expected one of {', '.join(map(str, wanted))}; found {_shown(found)}", *place)
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            said = " or ".join(_KINDS[kind] for kind in kinds)
            return document.bad(f"expected {said}, found {_shown(found)}", *place)
        case "pattern":
            said = problem.schema.get("description", f"a text that matches {wanted}")
            return document.bad(f"expected {said}, found {_shown(found)}", *place)
        case "minItems" | "minProperties":
            return document.bad(f"expected at least {wanted} {'entry' if wanted == 1 else 'entries'}", *place)
        case "minimum" | "maximum" if "description" not in problem.schema:
            word = "least" if problem.validator == "minimum" else "most"
            return document.bad(f"expected a number of at {word} {wanted}, found {_shown(found)}", *place)
        case "minLength":
            letters = "character" if wanted == 1 else "characters"
            return document.bad(f"expected a text of at least {wanted} {letters}, found {_shown(found)}", *place)
    said = problem.schema.get("description")
    return document.bad(f"expected {said}, found {_shown(found)}" if said else problem.message, *place)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _line_of(problem: yaml.YAMLError) -> int:
    mark = getattr(problem, "problem_mark", None)
    return mark.line + 1 if mark is not None else 1


def _sentence_of(problem: yaml.YAMLError) -> str:
    return str(getattr(problem, "problem", None) or problem).splitlines()[0]
