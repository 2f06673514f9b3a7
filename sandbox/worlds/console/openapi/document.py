"""API documents as they are read: YAML or JSON over several files, each value with its line, references followed."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml
from msgspec import Struct

from sandbox.worlds.console.openapi import json_text
from sandbox.worlds.console.openapi.nodes import Map, Node, Seq

_CUTS = 20  # how many unreadable parts of one file are cut out before it is given up
_HOPS = 40  # references in a row
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unreadable(ValueError):
    """Nothing of the document can be used; the message has file, line and reason."""


class Problem(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that is wrong in a document, and where."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class Document:
    """An API document and the files that it refers to, none of them outside `within`."""

    def __init__(self, path: Path, *, within: Path | None = None) -> None:
        """Read it. Raises Unreadable where nothing of it can be used."""
        self.path = path.resolve()
        self.within = (within or path.parent).resolve()
        self.problems: list[Problem] = []
        self._files: dict[Path, Node] = {}
        root = self._read(self.path)
        if not isinstance(root, Map):
            told = "; ".join(map(str, self.problems)) or f"{path.name}:1: this is no mapping, so no API document"
            raise Unreadable(told)
        self.root = root

    def name(self, file: Path) -> str:
        """A file as it is called in reports."""
        return str(file.relative_to(self.within)) if file.is_relative_to(self.within) else file.name

    def note(self, place: "Map | Seq", what: str, *, key: str = "") -> None:
        """Write a problem down, once."""
        line = place.at(key) if isinstance(place, Map) else place.line
        problem = Problem(self.name(place.file), line, what)
        if problem not in self.problems:
            self.problems.append(problem)

    def follow(self, node: Node) -> Map:
        """The mapping that a node is, or that its reference leads to, with what stands beside the reference.

        An empty one, and a problem, where it leads nowhere.
        """
        if not isinstance(node, Map):
            return Map(self.path, 1)
        here = node
        for _ in range(_HOPS):
            target = here.get("$ref")
            if not isinstance(target, str):
                return here
            there = self._target(here, target)
            if not isinstance(there, Map):
                if there is not None:
                    self.note(here, f"{target} leads to something that is no mapping", key="$ref")
                return Map(here.file, here.line)
            here = _beside(there, here)
        self.note(node, "these references lead round in a circle", key="$ref")
        return Map(node.file, node.line)

    def _target(self, place: Map, reference: str) -> Node:
        address, _, pointer = reference.partition("#")
        if "://" in address:
            self.note(place, f"{reference}: what lies on other machines is not fetched", key="$ref")
            return None
        file = (place.file.parent / unquote(address)).resolve() if address else place.file
        if not file.is_relative_to(self.within):
            self.note(place, f"{reference} lies outside of {self.within}: name a wider folder by --within", key="$ref")
            return None
        here = self._read(file)
        if here is None:
            self.note(place, f"{reference}: there is no such file, or it cannot be read", key="$ref")
            return None
        for raw in pointer.strip("/").split("/") if pointer.strip("/") else ():
            part = unquote(raw).replace("~1", "/").replace("~0", "~")
            if isinstance(here, Map) and part in here:
                here = here[part]
            elif isinstance(here, Seq) and part.isdigit() and int(part) < len(here):
                here = here[int(part)]
            else:
                self.note(place, f"{reference}: there is no '{part}'", key="$ref")
                return None
        return here

    def _read(self, file: Path) -> Node:
        if file not in self._files:
            self._files[file] = None  # while it is read, and where it cannot be
            try:
                text = file.read_text(encoding="utf-8-sig", errors="replace")
            except OSError:
                self.problems.append(Problem(self.name(file), 1, "this file cannot be read"))
                return None
            self._files[file] = self._parsed(file, text)
        return self._files[file]

    def _parsed(self, file: Path, text: str) -> Node:
        if text.lstrip()[:1] in ("{", "["):
            try:
                return json_text.parsed(text, file)
            except json_text.NotJson:  # then it is read as the YAML that it nearly is, and what is wrong is told
                pass
            text = _SURROGATE.sub(r"\\ufffd", text).replace("\t", " ")
        text = re.sub(r"[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)
        for _ in range(_CUTS):
            try:
                composed = yaml.compose(text, Loader=_Loader)
            except yaml.MarkedYAMLError as broken:
                self.problems.append(Problem(self.name(file), _line(broken), _reason(broken)))
                text, cut = _without(text, _line(broken))
                if not cut:
                    return None
            else:
                return _Builder(self, file).build(composed)
        return None


class _Builder:
    """From YAML's nodes to ours; aliases stay one object, and may lead back to what holds them."""

    def __init__(self, document: Document, file: Path) -> None:
        self.document = document
        self.file = file
        self._built: dict[int, Node] = {}

    def build(self, node: Any) -> Node:
        if node is None:
            return None
        if id(node) in self._built:
            return self._built[id(node)]
        line = node.start_mark.line + 1
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            self._built[id(node)] = items = Seq(self.file, line)
            items.extend(self.build(each) for each in node.value)
            return items
        self._built[id(node)] = found = Map(self.file, line)
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if name == "<<" and key.tag.endswith(":merge"):
                self._merge(found, self.build(value))
                continue
            if name in found.lines:
                self.document.note(found, f"'{name}' stands here twice (first in line {found.lines[name]})")
            found.lines[name] = key.start_mark.line + 1
            found[name] = self.build(value)
        return found

    def _merge(self, into: Map, what: Node) -> None:
        for each in [what] if isinstance(what, Map) else what.maps() if isinstance(what, Seq) else ():
            for key, value in each.items():
                into.setdefault(key, value)


def _scalar(node: Any) -> str | int | float | bool | None:
    """YAML 1.2's plain values: yes, no, on, off and dates stay texts."""
    text = str(node.value)
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        if kind == "int":
            return int(text, 10)
        if kind == "float":
            return float(text)
    except ValueError:
        pass  # 1:30 or 0x1F: a text, as its writer sees it
    return text


def _beside(there: Map, here: Map) -> Map:
    """What a reference leads to, with what stands beside the reference in place of its own."""
    more = {key: value for key, value in here.items() if key != "$ref"}
    if not more:
        return there
    both = Map(there.file, there.line)
    both.update(there)
    both.update(more)
    both.lines = {**there.lines}
    return both


def _line(broken: yaml.MarkedYAMLError) -> int:
    """Where the mistake is: of what was opened and never closed, where it was opened."""
    unclosed = broken.context is not None and ("quoted" in broken.context or "flow" in broken.context)
    mark = broken.context_mark if unclosed and broken.context_mark else broken.problem_mark or broken.context_mark
    return mark.line + 1 if mark else 1


def _reason(broken: yaml.MarkedYAMLError) -> str:
    told = " ".join(str(each) for each in (broken.context, broken.problem) if each)
    seen = f" (noticed in line {broken.problem_mark.line + 1})" if broken.problem_mark else ""
    return f"this part cannot be read and was left out: {told}{seen}"


def _without(text: str, line: int) -> tuple[str, bool]:
    """The text without the smallest block around a line that stands at most two levels deep; whether there was one."""
    lines = text.split("\n")
    at = min(line - 1, len(lines) - 1)
    while at > 0 and not (lines[at].strip() and not lines[at].lstrip().startswith(("#", "-"))):
        at -= 1
    depths = sorted({_depth(each) for each in lines if each.strip()})[:3]
    while at > 0 and _depth(lines[at]) not in depths[1:]:
        at -= 1
    if at <= 0 or not lines[at].strip():
        return text, False
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > _depth(lines[at])):
        end += 1
    return "\n".join([*lines[:at], *[""] * (end - at), *lines[end:]]), True


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
