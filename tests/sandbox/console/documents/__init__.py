"""API documents for tests: two written by hand in full, others made here."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DOCUMENTS = Path(__file__).parent


def document(folder: Path, text: str) -> Path:
    """A document in a folder of its own."""
    file = folder / "api.yaml"
    file.write_text(text)
    return file


def many_paths(resources: int) -> str:
    """A document with five operations for each resource."""
    lines = ["openapi: 3.0.3", "info: {title: Many things}", "paths:"]
    for number in range(resources):
        shape = f'{{$ref: "#/components/schemas/Thing{number}"}}'
        sent = f"requestBody: {{content: {{application/json: {{schema: {shape}}}}}}}"
        rows = f"{{content: {{application/json: {{schema: {{type: array, items: {shape}}}}}}}}}"
        one = f"{{content: {{application/json: {{schema: {shape}}}}}}}"
        lines += [
            f"  /area{number % 7}/thing{number}s:",
            f'    get: {{tags: [area{number % 7}], responses: {{"200": {rows}}}}}',
            f'    post: {{{sent}, responses: {{"201": {one}}}}}',
            f"  /area{number % 7}/thing{number}s/{{id}}:",
            f'    get: {{responses: {{"200": {one}}}}}',
            f'    patch: {{{sent}, responses: {{"200": {one}}}}}',
            '    delete: {responses: {"204": {description: gone}}}',
        ]
    lines += ["components:", "  schemas:"]
    for number in range(resources):
        lines += [
            f"    Thing{number}:",
            "      type: object",
            "      required: [name]",
            "      properties:",
            "        name: {type: string}",
            "        size: {type: integer, minimum: 1, maximum: 64}",
            "        colour: {type: string, enum: [red, green, blue]}",
        ]
    return "\n".join(lines) + "\n"


JUNK = (
    "null", '""', "7", "true", "[]", "{}", "[a]", "-1", "1.5", '"{a}"', "{type: object}", "{$ref: '#/nope'}",
    "{$ref: '#/paths'}", "{enum: [1, null]}", "{oneOf: []}", "{allOf: [{}]}", "{type: array}", "&x [*x]",
)  # fmt: skip


def damaged(text: str, seed: int, hurts: int) -> str:
    """A JSON document in which some values were replaced by what does not belong there."""
    rng = random.Random(seed)
    root = json.loads(text)
    for _ in range(hurts):
        holder, key = rng.choice(list(_places(root)))
        holder[key] = yaml.safe_load(rng.choice(JUNK[:-1]))
    return json.dumps(root, indent=1)


def cut(text: str, seed: int) -> str:
    """A document that lacks some lines, and has one that belongs nowhere."""
    rng = random.Random(seed)
    lines = text.splitlines()
    at = rng.randrange(3, len(lines) - 3)
    return "\n".join([*lines[:at], f"  {rng.choice(JUNK)} : {rng.choice(JUNK)}", *lines[at + rng.randrange(4) :]])


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    keys: list[Any] = []
    match node:
        case dict():
            keys = list(node)
        case list():
            keys = list(range(len(node)))
    for key in keys:
        yield node, key
        yield from _places(node[key])
