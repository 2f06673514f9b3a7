"""Schemas of an API document made flat: objects, alternatives and lists as the properties that they come down to."""

from collections.abc import Iterator

from msgspec.structs import replace

from sandbox.worlds.console.openapi.document import Document
from sandbox.worlds.console.openapi.nodes import Map, Node, Seq
from sandbox.worlds.console.openapi.properties import (
    Path,
    Property,
    When,
    enum,
    is_hidden,
    joined,
    pairs,
    value_of,
)
from sandbox.worlds.console.openapi.words import sentence, title, words

DEPTH = 3  # objects within objects
_TYPES = {"int": "integer", "long": "integer", "number": "integer", "float": "integer", "double": "integer",
          "bool": "boolean", "str": "string", "dict": "object", "list": "array", "any": "string"}  # fmt: skip


class _Object:
    """What an object's schema says, its allOf merged."""

    def __init__(self) -> None:
        self.properties: dict[str, Node] = {}
        self.required: set[str] = set()
        self.alternatives: list[tuple[Map, Seq]] = []  # (where it stands, its oneOf or anyOf)
        self.discriminator: Map | str | None = None
        self.bases: list[Map] = []
        self.free: Node = None  # additionalProperties


class Flattener:
    """Makes schemas of one document flat; what cannot be asked for is told to the document's list of what is left."""

    def __init__(self, document: Document, left: "list[tuple[str, str]]") -> None:
        self.document = document
        self.left = left
        self.known: frozenset[str] = frozenset()  # schemas that are resources of their own
        self.heirs: dict[int, list[tuple[str, Map]]] = {}
        for _, schemas in _schema_rooms(document.root):
            for name, schema in schemas.maps():
                for base in schema.seq("allOf").maps():
                    if "$ref" in base:
                        self.heirs.setdefault(id(document.follow(base)), []).append((name, schema))

    def properties(self, schema: Map, *, place: str) -> list[Property]:
        """All properties of an object's schema, in order; `place` is how reports call it."""
        found = list(self._object(schema, (), when=(), seen=(), place=place))
        return joined(found)

    def is_object(self, schema: Map) -> bool:
        """Whether it describes an object rather than one value or a list."""
        node = self.document.follow(schema)
        return self._type(node) == "object"

    def one(self, schema: Map) -> Map | None:
        """The schema itself; of an array, that of its items."""
        node = self.document.follow(schema)
        if self._type(node) != "array":
            return schema
        return node.map("items") if isinstance(node.get("items"), Map) else None

    def item(self, schema: Map) -> Map | None:
        """The schema of a list's items: of an array, or of the one inside an envelope with paging; None for others."""
        node = self.document.follow(schema)
        if self._type(node) == "array":
            return self.one(node)
        gathered = self._gathered(node)
        lists = []
        for name, value in gathered.properties.items():
            there = self.document.follow(value)
            if self._type(there) == "array" and isinstance(there.get("items"), Map):
                lists.append((name, there.map("items")))
        enveloped = [items for name, items in lists if name.lower() in _ENVELOPES]
        if enveloped:
            return enveloped[0]
        only = len(lists) == 1 and all(n == lists[0][0] or set(words(n)) & _PAGING for n in gathered.properties)
        return lists[0][1] if only else None

    # --- objects ---

    def _gathered(self, node: Map, into: _Object | None = None, seen: tuple[int, ...] = ()) -> _Object:
        into = into or _Object()
        node = self.document.follow(node)
        if id(node) in seen:
            return into
        seen = (*seen, id(node))
        for part in node.seq("allOf").maps():
            self._gathered(part, into, seen)
        into.bases.append(node)
        into.properties.update(node.map("properties"))
        into.required |= set(node.seq("required").texts())
        for key in ("oneOf", "anyOf"):
            if node.seq(key):
                into.alternatives.append((node, node.seq(key)))
        said = node.get("discriminator")
        if isinstance(said, str | Map):
            into.discriminator = said
        if node.get("additionalProperties") not in (None, False):
            into.free = node["additionalProperties"]
        return into

    def _object(  # one object with all that it passes on; among the alternatives of a chosen one is not chosen again
        self, schema: Map, path: Path, *, when: When, seen: tuple[int, ...], place: str, chosen: bool = False
    ) -> Iterator[Property]:
        found = self._gathered(schema)
        ids = tuple(id(base) for base in found.bases)
        if set(ids) & set(seen):
            self.left.append((f"{place}: {'.'.join(path)}", "it holds itself again"))
            return
        outside, seen = seen, (*seen, *ids)
        choice = None if chosen else self._choice_of_kind(found, path, when)
        for name, node in found.properties.items():
            if choice is not None and (*path, name) == choice[0].path:
                yield choice[0]
                continue
            must = name in found.required
            yield from self._property(node, (*path, name), required=must, when=when, seen=seen, place=place)
        if choice is None:
            return
        head, variants = choice
        if head.path[-1] not in found.properties:
            yield head
        own = {(*path, name) for name in found.properties}
        for value, variant in variants:
            within = (*when, (head.path, (value,)))
            for each in self._object(variant, path, when=within, seen=outside, place=place, chosen=True):
                if each.path != head.path and each.path[: len(path) + 1] not in own:
                    yield each

    def _choice_of_kind(self, found: _Object, path: Path, when: When) -> tuple[Property, list[tuple[str, Map]]] | None:
        """The property that says which alternative it is, and the alternatives by its values."""
        said = found.discriminator
        named = said if isinstance(said, str) else said.text("propertyName") if said else ""
        variants: list[tuple[str, Map]] = []
        for where, alternatives in found.alternatives:
            for raw in alternatives.maps():
                node = self.document.follow(raw)
                if self._type(node) == "object" and (self._gathered(node).properties or named):
                    variants.append(
                        (_name(raw) or node.text("title") or f"{title(where.text('title'))} {len(variants) + 1}", node)
                    )
        if not variants and named:
            heirs = [pair for base in found.bases for pair in self.heirs.get(id(base), [])]
            variants = [(name, self.document.follow(node)) for name, node in heirs]
        if len(variants) < 2:
            return None
        named = named or self._constant(variants)
        variants = [(self._value(said, named, name, node), node) for name, node in variants]
        values = tuple(dict.fromkeys(value for value, _ in variants))
        key = named or ("kind" if "kind" not in found.properties else "variant")
        head = Property((*path, key), "choice", choices=values, default=values[0], required=True, when=when)
        return head, variants

    def _constant(self, variants: list[tuple[str, Map]]) -> str:
        """A property that has one value of its own in each alternative."""
        shared: set[str] | None = None
        for _, node in variants:
            gathered = self._gathered(node).properties
            names = {name for name, value in gathered.items() if len(enum(self.document.follow(value))) == 1}
            shared = names if shared is None else shared & names
        return min(shared) if shared else ""

    def _value(self, said: Map | str | None, named: str, name: str, node: Map) -> str:
        """The value by which an alternative is chosen."""
        if isinstance(said, Map):
            for value, target in said.map("mapping").items():
                if isinstance(target, str) and target.rpartition("/")[2] == name:
                    return value
        only = enum(self.document.follow(self._gathered(node).properties.get(named)))
        return only[0] if len(only) == 1 else name

    # --- one property ---

    def _property(
        self, raw: Node, path: Path, *, required: bool, when: When, seen: tuple[int, ...], place: str
    ) -> Iterator[Property]:
        where = f"{place}: {'.'.join(path)}"
        if not isinstance(raw, Map):
            self.left.append((where, "its schema is no mapping"))
            return
        node, nullable = self._simple(self.document.follow(raw))
        named = _name(raw) or next((_name(each) for each in raw.seq("allOf").maps() if _name(each)), "")
        if named in self.known and node is not None and self._type(node) == "object" and id(node) not in seen[:1]:
            told = sentence(raw.text("description") or node.text("description"))
            yield Property(path, "text", help=told, required=required and not nullable, when=when, schema=named)
            return
        if node is None:
            self.left.append((where, "it can only be null"))
            return
        kind = self._type(node)
        told = sentence(raw.text("description") or node.text("description"))
        required = (required or node.get("required") is True) and not nullable
        if kind == "object":
            yield from self._nested(node, path, told, required=required, when=when, seen=seen, place=place)
        elif kind == "array":
            yield from self._list(node, path, told, required=required, when=when, where=where)
        elif kind in ("file", "null"):
            self.left.append((where, "files cannot be sent from these forms"))
        else:
            yield replace(
                value_of(node, path, kind),
                help=told,
                required=required and not is_hidden(node, path),
                read_only=node.get("readOnly") is True or raw.get("readOnly") is True,
                when=when,
            )

    def _nested(  # one object within another, with all that it passes on
        self, node: Map, path: Path, told: str, *, required: bool, when: When, seen: tuple[int, ...], place: str
    ) -> Iterator[Property]:
        where = f"{place}: {'.'.join(path)}"
        found = self._gathered(node)
        if not found.properties and not found.alternatives:
            free = self.document.follow(found.free) if isinstance(found.free, Map) else None
            if free is not None and self._type(free) in ("object", "array"):
                self.left.append((where, "an object with free keys whose values are objects or lists"))
            elif len(path) == 1:
                yield Property(path, "rows", help=told, when=when, rows=pairs(node, free))
            else:
                self.left.append((where, "an object with free keys inside another object"))
            return
        if len(path) >= DEPTH:
            self.left.append((where, f"objects are nested more than {DEPTH} deep"))
            return
        for each in self._object(node, path, when=when, seen=seen, place=place):
            yield replace(
                each, required=each.required and required, read_only=each.read_only or node.get("readOnly") is True
            )

    def _list(self, node: Map, path: Path, told: str, *, required: bool, when: When, where: str) -> Iterator[Property]:
        items, _ = self._simple(self.document.follow(node.map("items")))
        kind = self._type(items) if items is not None else "string"
        if kind == "array":
            self.left.append((where, "a list of lists"))
        elif kind != "object":
            yield Property(path, "tags", help=told, when=when, read_only=node.get("readOnly") is True)
        elif len(path) > 1:
            self.left.append((where, "a list of objects inside another object"))
        else:
            yield Property(path, "rows", help=told, when=when, rows=items, schema=_name(node.map("items")))

    def _simple(self, node: Map) -> tuple[Map | None, bool]:
        """The schema without null among its alternatives (of simple ones, the first), and whether null was there."""
        types = node.get("type")
        nullable = node.get("nullable") is True or node.get("x-nullable") is True
        nullable = nullable or (isinstance(types, Seq) and "null" in types)
        if node.map("properties"):
            return node, nullable
        parts = [self.document.follow(each) for each in node.seq("allOf").maps()]
        if parts and all(self._type(each) not in ("object", "array") for each in parts):
            both = Map(node.file, node.line)
            for each in (*parts, node):
                both.update({key: value for key, value in each.items() if key != "allOf"})
            return both, nullable
        options = [self.document.follow(e) for key in ("oneOf", "anyOf") for e in node.seq(key).maps()]
        real = [each for each in options if self._type(each) != "null"]
        if not options:
            return node, nullable
        nullable = nullable or len(real) < len(options)
        if not real:
            return None, True
        plain = [each for each in real if self._type(each) not in ("object", "array")]
        if len(real) > 1 and not plain and all(self._type(each) == "object" for each in real):
            return node, nullable
        texts = [each for each in plain if self._type(each) == "string"]
        return self._simple((texts or plain or real)[0])[0], nullable

    def _type(self, node: Map) -> str:
        said = node.get("type")
        if isinstance(said, Seq):
            real = [each for each in said.texts() if each != "null"]
            said = "string" if "string" in real else real[0] if real else "null"
        if isinstance(said, str):
            return _TYPES.get(said.lower(), said.lower())
        if node.get("enum") or "const" in node:
            return "string"
        if "items" in node:
            return "array"
        if any(node.get(key) for key in ("properties", "additionalProperties", "discriminator")):
            return "object"
        parts = [self.document.follow(e) for key in ("allOf", "oneOf", "anyOf") for e in node.seq(key).maps()]
        kinds = {self._type(each) for each in parts[:12] if each is not node} - {"null"}
        return "object" if "object" in kinds else min(kinds) if kinds else "string"


_ENVELOPES = (
    "items",
    "data",
    "results",
    "result",
    "content",
    "records",
    "values",
    "entries",
    "list",
    "rows",
    "_embedded",
)
_PAGING_WORDS = """
total count page pages next previous prev link links meta cursor limit offset more size kind apiversion pagination
paging self href token last first has is incomplete truncated
"""
_PAGING = frozenset(_PAGING_WORDS.split())


def _schema_rooms(root: Map) -> Iterator[tuple[str, Map]]:
    yield "definitions", root.map("definitions")
    yield "schemas", root.map("components").map("schemas")


def _name(node: Map) -> str:
    """The name of the schema that a reference leads to."""
    return node.text("$ref").rpartition("/")[2]
