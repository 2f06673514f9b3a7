"""One value of a schema as a form asks for it or a page shows it: its place, its type, its limits."""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox.worlds.console.openapi.nodes import Map, Seq
from sandbox.worlds.console.openapi.words import is_secret

Path: TypeAlias = tuple[str, ...]
Kept: TypeAlias = Literal["text", "integer", "choice", "boolean", "date", "tags", "secret", "rows"]
When: TypeAlias = tuple[tuple[Path, tuple[str, ...]], ...]


class Property(Struct, frozen=True):
    """One value: where it stands in the object, what it may be, and when it is asked for."""

    path: Path
    type: Kept
    help: str = ""
    default: str = ""
    pattern: str = ""
    pattern_help: str = ""
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 63
    choices: tuple[str, ...] = ()
    format: str = ""
    required: bool = False
    read_only: bool = False
    when: When = ()
    schema: str = ""  # name of the schema it is one of, for what refers to another resource
    rows: Map | None = None  # of a list: the schema of its items


def enum(node: Map) -> list[str]:
    """The values that it may have, as texts; none where it is free."""
    values = [node["const"]] if "const" in node else list(node.seq("enum"))
    texts = ["true" if v is True else "false" if v is False else str(v) for v in values if v is not None]
    return [text for text in dict.fromkeys(texts) if text.strip() and len(text) <= 60]


def value_of(node: Map, path: Path, kind: str) -> Property:
    """One simple value with its limits."""
    form = node.text("format").lower()
    default = node.get("default")
    told = "" if default is None or isinstance(default, Map | Seq) else str(default)
    if kind == "boolean":
        return Property(path, "boolean", default={"True": "yes", "False": "no"}.get(told, ""))
    if (choices := enum(node)) and len(choices) <= 60:
        return Property(path, "choice", choices=tuple(choices), default=told if told in choices else "")
    if kind == "integer":
        low, high = _limit(node, "minimum", "exclusiveMinimum", 1), _limit(node, "maximum", "exclusiveMaximum", -1)
        return Property(path, "integer", minimum=low, maximum=high, default=told.partition(".")[0], format=form)
    if form in ("date", "date-time", "datetime", "timestamp"):
        return Property(path, "date", format=form)
    if is_hidden(node, path):
        return Property(path, "secret", max_length=200)
    length = node.get("maxLength")
    return Property(
        path,
        "text",
        pattern=node.text("pattern"),
        default=" ".join(told.split())[:60],
        max_length=length if isinstance(length, int) and 0 < length <= 200 else 63 if length is None else 200,
        format=form,
    )


def is_hidden(node: Map, path: Path) -> bool:
    """Whether it is never shown; a task cannot ask for it, so a form does not insist on it."""
    texts = node.get("type") in (None, "string") and not node.get("enum")
    return texts and (node.text("format") == "password" or is_secret(path[-1]) or node.get("writeOnly") is True)


def _limit(node: Map, key: str, exclusive: str, step: int) -> int | None:
    value, strict = node.get(key), node.get(exclusive)
    if isinstance(strict, int | float) and not isinstance(strict, bool):
        return int(strict) + step
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value) + (step if strict is True else 0)


def pairs(node: Map, value: Map | None) -> Map:
    """Free keys as a list of pairs."""
    pair, properties = Map(node.file, node.line), Map(node.file, node.line)
    key = Map(node.file, node.line)
    key["type"] = "string"
    properties["key"] = key
    properties["value"] = value if value else key
    required = Seq(node.file, node.line)
    required += ["key", "value"]
    pair.update({"type": "object", "properties": properties, "required": required})
    return pair


def joined(properties: list[Property]) -> list[Property]:
    """Properties of the same place made one: alternatives that share one are where it is asked for."""
    found: dict[Path, Property] = {}
    for each in properties:
        other = found.get(each.path)
        if other is None:
            found[each.path] = each
        elif other.when and each.when and other.when[:-1] == each.when[:-1] and other.when[-1][0] == each.when[-1][0]:
            values = tuple(dict.fromkeys((*other.when[-1][1], *each.when[-1][1])))
            choices = tuple(dict.fromkeys((*other.choices, *each.choices))) if other.type == "choice" else ()
            when = (*each.when[:-1], (each.when[-1][0], values))
            found[each.path] = replace(other, when=when, choices=choices, required=other.required and each.required)
    return list(found.values())
