"""Paths of an API document sorted into resources: what is listed, made, changed, deleted, and done to one of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sandbox.worlds.console.openapi.document import Document
from sandbox.worlds.console.openapi.nodes import Map
from sandbox.worlds.console.openapi.schema import Flattener
from sandbox.worlds.console.openapi.words import same_noun, singular, words

METHODS = ("get", "post", "put", "patch", "delete")
_SILENT = ("head", "options", "trace")
_HOLE = "{}"
_ASKS_WORDS = """
search ping health healthz status metrics version stats statistics count query info login logout validate check
summary systeminfo whoami me current openapi swagger docs ready live
"""
_ASKS = frozenset(_ASKS_WORDS.split())
_PAGES = {
    "page and size": ({"page", "page_number", "pagenumber"}, {"page_size", "pagesize", "per_page", "perpage", "size"}),
    "offset and limit": ({"offset", "skip", "start", "first"}, {"limit", "count", "max", "maxresults", "take"}),
    "cursor": ({"cursor", "after", "before", "page_token", "pagetoken", "next_token", "continue", "marker"}, set()),
    "limit": ({"limit", "max", "top", "n", "first", "page_size", "per_page"}, set()),
    "page": ({"page"}, set()),
}


@dataclass(frozen=True, eq=False)
class Operation:
    """One method of one path."""

    method: str
    path: str
    node: Map
    where: Map  # the path's own mapping
    title: str
    tag: str
    body: Map | None
    answer: Map | None  # of success
    is_slow: bool  # it answers 202
    paging: str
    page_size: int

    @property
    def name(self) -> str:
        """As reports call it."""
        return f"{self.method.upper()} {self.path}"


@dataclass(eq=False)
class Resource:
    """One kind of thing: the path of its list, and what can be done. `keys` name it in the path of a single one."""

    path: str
    noun: str
    parent: "Resource | None" = None
    keys: tuple[str, ...] = ()
    listing: Operation | None = None
    create: Operation | None = None
    read: Operation | None = None
    updates: list[Operation] = field(default_factory=list)
    delete: Operation | None = None
    actions: list[tuple[str, Operation]] = field(default_factory=list)

    @property
    def owners(self) -> "Iterator[Resource]":
        """What it belongs to, the nearest first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.owners

    @property
    def operations(self) -> Iterator[Operation]:
        """Everything that it is known by."""
        for each in (self.listing, self.create, self.read, *self.updates, self.delete, *(op for _, op in self.actions)):
            if each is not None:
                yield each


class Sorter:
    """Sorts the operations of one document; what belongs to no resource is left out with a reason."""

    def __init__(self, document: Document, flat: Flattener) -> None:
        self.document = document
        self.flat = flat
        self.left: dict[str, str] = {}  # operation -> why it is left out
        self.names: list[str] = []
        self.by_path: dict[str, dict[str, Operation]] = {}
        self.resources: dict[str, Resource] = {}
        for path, item in document.root.map("paths").items():
            if not isinstance(item, Map):
                document.note(document.root.map("paths"), f"path {path} is no mapping", key=path)
            elif path.startswith("/"):
                self._read_path(path, item)
            elif not path.startswith("x-"):
                document.note(document.root.map("paths"), f"'{path}' does not begin with / and is no path", key=path)

    def sorted(self) -> list[Resource]:
        """All resources, owners before what they own."""
        for path in sorted(self.by_path, key=lambda each: (each.count("/"), each)):
            if self._is_collection(path):
                self.resources[path] = Resource(path, _last(path))
        for resource in self.resources.values():
            resource.parent = self._owner(resource.path)
        for path, operations in self.by_path.items():
            for operation in operations.values():
                self._place(path, operation)
        self._merge_twins()
        return list(self.resources.values())

    # --- reading ---

    def _read_path(self, path: str, raw: Map) -> None:
        item = self.document.follow(raw)
        shared = [self.document.follow(each) for each in item.seq("parameters").maps()]
        for method, node in item.maps():
            if method.lower() in _SILENT:
                self.names.append(f"{method.upper()} {path}")
                self.left[f"{method.upper()} {path}"] = "it shows nothing on a page"
            elif method.lower() in METHODS:
                self.names.append(f"{method.upper()} {path}")
                operation = self._operation(method.lower(), path, node, item, shared)
                self.by_path.setdefault(_normal(path), {})[method.lower()] = operation

    def _operation(self, method: str, path: str, node: Map, item: Map, shared: list[Map]) -> Operation:
        parameters = [*shared, *(self.document.follow(each) for each in node.seq("parameters").maps())]
        for each in parameters:
            if each and (not each.text("name") or not each.text("in")):
                self.document.note(each, "this parameter lacks its name or place ('in')")
        answer, is_slow = self._answer(node)
        paging, size = _paging(parameters)
        return Operation(
            method=method,
            path=path,
            node=node,
            where=item,
            title=node.text("operationId") or node.text("summary") or f"{method} {path}",
            tag=next(iter(node.seq("tags").texts()), ""),
            body=self._body(node, parameters),
            answer=answer,
            is_slow=is_slow,
            paging=paging if method == "get" else "",
            page_size=size,
        )

    def _body(self, node: Map, parameters: list[Map]) -> Map | None:
        wanted = self.document.follow(node.map("requestBody")) if node.get("requestBody") else None
        if wanted is not None:
            return self._media(wanted)
        body = next((each for each in parameters if each.get("in") == "body"), None)
        if body is not None:
            return body.map("schema")
        form = [each for each in parameters if each.get("in") == "formData" and each.text("name")]
        if not form:
            return None
        made, properties = Map(node.file, node.line), Map(node.file, node.line)
        properties.update({each.text("name"): each for each in form})
        made.update({"type": "object", "properties": properties})
        return made

    def _answer(self, node: Map) -> tuple[Map | None, bool]:
        codes = {code: self.document.follow(value) for code, value in node.map("responses").maps()}
        good = [code for code in codes if code.startswith("2")]
        slow = "202" in good and not {"200", "201", "204"} & {*good}
        for code in (*good, *(code for code in codes if code == "default" and not good)):
            schema = codes[code].map("schema") or self._media(codes[code]) or Map(node.file, node.line)
            if schema:
                return schema, slow
        return None, slow

    def _media(self, holder: Map) -> Map | None:
        media = dict(holder.map("content").maps())
        fits = [name for name in media if "json" in name.lower()] or [
            name for name in media if any(part in name.lower() for part in ("form", "xml", "*/*", "yaml"))
        ]
        return media[fits[0]].map("schema") if fits else None

    # --- sorting ---

    def _is_collection(self, path: str) -> bool:
        if path.endswith(_HOLE) or not _last(path):
            return False
        here = self.by_path[path]
        has_items = any(self.by_path.get(path + _HOLE_PART * n) for n in (1, 2, 3))
        if set(words(_last(path))) & _ASKS and not has_items:
            return False
        listed = "get" in here and here["get"].answer is not None and self._item(here["get"]) is not None
        if has_items or listed:
            return True
        body = here["post"].body if "post" in here else None
        named = any(self._singular_items(path))
        return (
            body is not None
            and (named or _HOLE not in path)
            and set(here) <= {"post", "get"}
            and self._has_fields(body)
        )

    def _item(self, listing: Operation) -> Map | None:
        item = self.flat.item(listing.answer) if listing.answer is not None else None
        return item if item is not None and self.flat.is_object(item) else None

    def _has_fields(self, body: Map) -> bool:
        one = self.flat.one(body)
        return one is not None and self.flat.is_object(one)

    def _singular_items(self, path: str) -> Iterator[str]:
        """Paths of single ones whose collection is spelt in the other number: /silence/{} of /silences."""
        head, _, last = path.rpartition("/")
        for other in self.by_path:
            before, _, hole = other.rpartition("/")
            front, _, noun = before.rpartition("/")
            if (
                hole == _HOLE
                and front == head
                and noun != last
                and same_noun(noun, last)
                and before not in self.by_path
            ):
                yield other

    def _owner(self, path: str) -> Resource | None:
        parts = path.split("/")
        for at in range(len(parts) - 1, 1, -1):
            if parts[at] == _HOLE and parts[at - 1] != _HOLE:
                head = "/".join(parts[:at])
                found = self.resources.get(head) or self._other_number(head)
                if found is not None:
                    return found
        return None

    def _other_number(self, head: str) -> Resource | None:
        front, _, noun = head.rpartition("/")
        for path, resource in self.resources.items():
            before, _, last = path.rpartition("/")
            if before == front and last != noun and same_noun(last, noun):
                return resource
        return None

    def _place(self, path: str, operation: Operation) -> None:
        if _sends_file(operation):
            self.left[operation.name] = "it sends a file, which these forms cannot"
            return
        if path in self.resources:
            self._place_on_list(self.resources[path], operation)
            return
        owner = self._owner(path + "/x") if path.endswith(_HOLE) else self._owner(path)
        if owner is None:
            self.left[operation.name] = _no_list(path, operation)
            return
        start = path.find(_HOLE, len(owner.path) - len(_last(owner.path)))
        rest = path[start:].split("/")
        while rest and rest[0] == _HOLE:
            rest.pop(0)
        if not rest:
            self._place_on_item(owner, operation)
        elif _HOLE in rest:
            self.left[operation.name] = f"its {'/'.join(rest)} is no list that can be shown"
        elif operation.method == "get":
            self.left[operation.name] = (
                f"a look at {' '.join(rest)} of one {singular(owner.noun)}, which is no form and no list"
            )
        else:
            owner.actions.append(("/".join(rest), operation))

    def _place_on_list(self, resource: Resource, operation: Operation) -> None:
        if operation.method == "get":
            resource.listing = operation
        elif operation.method == "post" or (operation.method == "put" and "post" not in self.by_path[resource.path]):
            if operation.body is None or not self._has_fields(operation.body):
                self.left[operation.name] = "it makes something without saying what: its body has no fields"
            else:
                resource.create = operation
        else:
            self.left[operation.name] = "it changes a whole list at once"

    def _place_on_item(self, resource: Resource, operation: Operation) -> None:
        resource.keys = resource.keys or tuple(re.findall(r"{([^{}]+)}", operation.path))[-1:]
        if operation.method == "get":
            resource.read = operation
        elif operation.method == "delete":
            resource.delete = operation
        elif operation.body is None or not self._has_fields(operation.body):
            resource.actions.append(("", operation))  # it does something to it as it is
        else:
            resource.updates.append(operation)

    def _merge_twins(self) -> None:
        """A list that only shows what another resource's list shows is the same resource seen from elsewhere."""
        for path, resource in list(self.resources.items()):
            if resource.listing is None or [*resource.operations] != [resource.listing]:
                continue
            for other in self.resources.values():
                same = other is not resource and same_noun(other.noun, resource.noun) and len([*other.operations]) > 1
                near = resource.parent is None or resource.parent in other.owners
                if same and near and self._shows(other) == self._shows(resource):
                    self.left[resource.listing.name] = f"it lists what {other.path} lists"
                    del self.resources[path]
                    break

    def _shows(self, resource: Resource) -> object:
        item = self._item(resource.listing) if resource.listing is not None else None
        return item.text("$ref") if item is not None and "$ref" in item else id(item)


def _sends_file(operation: Operation) -> bool:
    """Whether its body is no form: a file, or media that are neither JSON nor a form."""
    if operation.body is not None:
        return operation.body.get("type") == "file" or operation.body.text("format") == "binary"
    return bool(operation.node.map("requestBody").map("content"))


_HOLE_PART = f"/{_HOLE}"


def _normal(path: str) -> str:
    """`/projects/{project_name}/x:cancel` -> /projects/{}/x/cancel."""
    parts: list[str] = []
    for part in path.partition("?")[0].partition("#")[0].split("/"):
        if not part:
            continue
        if re.search(r"{[^}]*}|^:\w+$|^<[^>]*>$", part):
            verb = re.fullmatch(r"{[^}]*}:(\w+)", part)
            parts += [_HOLE, verb[1]] if verb else [_HOLE]
        else:
            parts += part.split(":") if re.fullmatch(r"[\w-]+:\w+", part) else [part]
    while parts and parts[0] == _HOLE:
        parts.pop(0)
    return "/" + "/".join(parts)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _no_list(path: str, operation: Operation) -> str:
    if path.endswith(_HOLE):
        return "there is no list of these to find it in"
    if set(words(_last(path))) & _ASKS:
        return "it asks the service something and is about no resource"
    what = "one thing of its own" if operation.method != "get" else "a single answer"
    return f"{what}, no list of things: consoles made from documents have lists"


def _paging(parameters: list[Map]) -> tuple[str, int]:
    """The usual kinds of paging by the names of query parameters, and the size of a page where one is told."""
    asked = {each.text("name").lower().replace("-", "_"): each for each in parameters if each.get("in") == "query"}
    for name, (first, second) in _PAGES.items():
        if first & set(asked) and (not second or second & set(asked)):
            for key in (*second, "limit", "page_size", "per_page"):
                if key in asked:
                    size = asked[key].get("default", asked[key].map("schema").get("default"))
                    if isinstance(size, int) and not isinstance(size, bool):
                        return name, size
            return name, 0
    return "", 0
