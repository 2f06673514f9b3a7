"""`python -m sandbox.worlds.console.openapi.invent COUNT --out DIR`: consoles from API documents that nobody wrote.

There are few public documents and many are needed to learn from. These differ as people's do: in what they are about,
in spelling, envelopes, paging, methods, nesting and verbs.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import msgspec

from sandbox.arguments import count, new_folder
from sandbox.worlds.console.openapi import vocabulary
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import save
from sandbox.worlds.console.openapi.words import plural

Json = dict[str, Any]
_PLACES = ("North", "South", "East", "West", "Upper", "Lower", "Old", "New", "Grand", "Little", "Inner", "Outer")


def document(number: int, *, seed: int = 0) -> Json:
    """An OpenAPI document; the same number and seed give the same one."""
    return _Author(random.Random(f"invent:{seed}:{number}"), number).document()  # noqa: S311  # has to be repeatable


class _Author:
    """Writes one document in one hand: spelling, envelope, paging and methods are the same throughout."""

    def __init__(self, chance: random.Random, number: int) -> None:
        self.chance = chance
        subject, other = chance.sample(sorted(vocabulary.SUBJECTS), 2)
        self.title = f"{chance.choice(_PLACES)} {subject} {number} API"
        own, borrowed = vocabulary.SUBJECTS[subject], vocabulary.SUBJECTS[other]
        self.nouns = [*chance.sample(own, min(len(own), chance.randint(3, 6))), *chance.sample(borrowed, 2)]
        self.is_camel = chance.random() < 0.5
        self.dashes = chance.random() < 0.5
        self.root = chance.choice(("", "/v1", "/api/v2", "/api"))
        self.envelope = chance.choice(("", "items", "data", "results"))
        self.paging = chance.choice((("page", "page_size"), ("offset", "limit"), ("cursor", "limit")))
        self.changes_by = chance.choice(("patch", "put"))
        self.schemas: Json = {}
        self.paths: Json = {}

    def document(self) -> Json:
        """All of it."""
        for place, noun in enumerate(self.nouns):
            self._resource(noun, self.nouns[:place])
        info = {"title": self.title, "version": "1.0"}
        return {"openapi": "3.0.3", "info": info, "paths": self.paths, "components": {"schemas": self.schemas}}

    def _resource(self, noun: str, before: list[str]) -> None:
        chance = self.chance
        owner = chance.choice(before) if before and chance.random() < 0.25 else ""
        schema = _camel(noun, first=True)
        self.schemas[schema] = self._schema(noun, [each for each in before if each != owner])
        listed = self._path(owner, noun) if owner else f"{self.root}/{self._segment(noun)}"
        one = f"{listed}/{{{self._spelt(f'{noun}_id')}}}"
        tag = {"tags": [_title(owner or noun)]}
        body = {"requestBody": _content(_to(schema))}
        made = chance.choice(("201", "201", "202"))
        self.paths[listed] = {
            "get": {
                **tag,
                "summary": f"List {_title(plural(noun))}",
                "parameters": self._pages(),
                **self._list(schema),
            },
            "post": {**tag, **body, "responses": {made: {"description": "made"}}},
        }
        self.paths[one] = {
            "get": {**tag, "responses": {"200": {"description": "found", **_content(_to(schema))}}},
            self.changes_by: {**tag, **body, "responses": {"200": {"description": "changed"}}},
            "delete": {**tag, "responses": {"204": {"description": "gone"}}},
        }
        if chance.random() < 0.2:
            del self.paths[one][self.changes_by]
        for deed in self._deeds():
            done = {"200": {"description": "done"}}
            name = self._spelt(f"{deed}_{noun}")
            self.paths[f"{one}/{deed}"] = {"post": {**tag, "operationId": name, "responses": done}}

    def _schema(self, noun: str, before: list[str]) -> Json:
        chance = self.chance
        named = self._spelt(chance.choice(vocabulary.NAMED_BY))
        properties: Json = {
            "id": {"type": "string", "readOnly": True},
            named: {"type": "string", "maxLength": 60, "description": f"What people call this {_title(noun).lower()}."},
        }
        required = [named]
        for name, schema in self._properties(before):
            properties[self._spelt(name)] = schema
            if schema.get("type") != "array" and chance.random() < 0.4:
                required.append(self._spelt(name))
        return {"type": "object", "required": required, "properties": properties}

    def _properties(self, before: list[str]) -> list[tuple[str, Json]]:
        chance = self.chance
        made = [self._text(name) for name in chance.sample(vocabulary.TEXTS, chance.randint(1, 3))]
        made += [self._number(name) for name, _, _ in chance.sample(vocabulary.NUMBERS, chance.randint(1, 2))]
        made += [self._choice(name) for name in chance.sample(sorted(vocabulary.CHOICES), chance.randint(1, 2))]
        made += [(name, {"type": "boolean"}) for name in chance.sample(vocabulary.SWITCHES, chance.randint(0, 2))]
        made += [
            (name, {"type": "string", "format": "date"})
            for name in chance.sample(vocabulary.DATES, chance.randint(0, 1))
        ]
        if before and chance.random() < 0.4:
            other = chance.choice(before)
            made.append((other, _to(_camel(other, first=True))))
        if chance.random() < 0.2:
            made.append((chance.choice(vocabulary.LISTS), {"type": "array", "items": {"type": "string"}}))
        if chance.random() < 0.3:
            name, within = chance.choice(sorted(vocabulary.NESTED.items()))
            inner = dict(self._simple(each) for each in within)
            made.append((name, {"type": "object", "properties": {self._spelt(n): s for n, s in inner.items()}}))
        chance.shuffle(made)
        return list(dict(made).items())

    def _simple(self, name: str) -> tuple[str, Json]:
        if name in vocabulary.CHOICES:
            return self._choice(name)
        return self._number(name) if any(name == each for each, _, _ in vocabulary.NUMBERS) else self._text(name)

    def _text(self, name: str) -> tuple[str, Json]:
        return name, {"type": "string", "maxLength": 60}

    def _number(self, name: str) -> tuple[str, Json]:
        low, high = next((low, high) for each, low, high in vocabulary.NUMBERS if each == name)
        return name, {"type": "integer", "minimum": low, "maximum": high}

    def _choice(self, name: str) -> tuple[str, Json]:
        values = list(vocabulary.CHOICES[name])
        schema: Json = {"type": "string", "enum": values}
        return name, {**schema, "default": values[0]} if self.chance.random() < 0.5 else schema

    def _deeds(self) -> list[str]:
        chance = self.chance
        found = list(chance.choice(vocabulary.CONTRARIES)) if chance.random() < 0.4 else []
        return found + chance.sample(vocabulary.DEEDS, chance.choice((0, 0, 1, 2)))

    def _list(self, schema: str) -> Json:
        found: Json = {"type": "array", "items": _to(schema)}
        if self.envelope:
            found = {"type": "object", "properties": {self.envelope: found, "total": {"type": "integer"}}}
        return {"responses": {"200": {"description": "found", **_content(found)}}}

    def _pages(self) -> list[Json]:
        return [{"name": self._spelt(name), "in": "query", "schema": {"type": "integer"}} for name in self.paging]

    def _path(self, owner: str, noun: str) -> str:
        return f"{self.root}/{self._segment(owner)}/{{{self._spelt(f'{owner}_id')}}}/{self._segment(noun)}"

    def _segment(self, noun: str) -> str:
        said = plural(noun)
        return said.replace("_", "-") if self.dashes else said

    def _spelt(self, name: str) -> str:
        return _camel(name) if self.is_camel else name


def _camel(name: str, *, first: bool = False) -> str:
    head, *rest = name.split("_")
    return "".join([head.capitalize() if first else head, *(each.capitalize() for each in rest)])


def _title(noun: str) -> str:
    return noun.replace("_", " ").capitalize()


def _to(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}


def _content(schema: Json) -> Json:
    return {"content": {"application/json": {"schema": schema}}}


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.worlds.console.openapi.invent", description=__doc__)
    parser.add_argument("count", type=count, help="how many consoles")
    parser.add_argument("--out", type=new_folder, required=True, help="folder for documents and declarations")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other consoles")
    given = parser.parse_args(arguments)
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    tasks = 0
    for number in range(1, given.count + 1):
        file = out / f"invented-{number}.json"
        file.write_bytes(msgspec.json.format(msgspec.json.encode(document(number, seed=given.seed)), indent=1))
        console, report = console_from(file)
        save(console, out)
        tasks += report.tasks
    print(f"{given.count} consoles with {tasks} kinds of ticket in {out}; tell others by BELAY_CONSOLES={out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
