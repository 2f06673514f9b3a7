"""The form of a request: method, path, and the fields that these two ask for."""

import json
from typing import TypeAlias
from urllib.parse import quote

METHODS = ("GET", "POST", "PATCH", "DELETE")
PATHS = ("/services", "/services/{name}", "/services/{name}/restart", "/jobs", "/jobs/{id}")
PAGES = tuple(map(str, range(1, 10)))
LISTS = {"method": METHODS, "path": PATHS, "page": PAGES}  # what is chosen, not typed
NAMES = {"method": "Method", "path": "Path", "target": "Request path", "body": "Body"}

Fields: TypeAlias = dict[str, str]  # method, path, name, id, page, replicas, image, team, task, service


def empty() -> Fields:
    """The form as it is at first."""
    names = ("name", "id", "replicas", "image", "team", "task", "service")
    return {**{key: options[0] for key, options in LISTS.items()}, **dict.fromkeys(names, "")}


def body_fields(method: str, path: str) -> tuple[str, ...]:
    """The fields that go into the body."""
    return {("PATCH", "/services/{name}"): ("replicas", "image", "team"), ("POST", "/jobs"): ("task", "service")}.get(
        (method, path), ()
    )


def shown(fields: Fields) -> tuple[str, ...]:
    """The fields that method and path ask for, in order."""
    method, path = fields["method"], fields["path"]
    keys = ["method", "path", *(name for name in ("name", "id") if f"{{{name}}}" in path)]
    if method == "GET" and "{" not in path:
        keys.append("page")
    return (*keys, *body_fields(method, path))


def target_of(fields: Fields) -> str:
    """The path to send to, filled in."""
    names = {name: quote(fields[name], safe="") for name in ("name", "id")}
    target = fields["path"].format(**names)
    return f"{target}?page={fields['page']}" if "page" in shown(fields) and fields["page"] != PAGES[0] else target


def body_of(fields: Fields) -> str:
    """The body to send, as JSON; "" for none."""
    given = {name: fields[name] for name in body_fields(fields["method"], fields["path"]) if fields[name]}
    values = {name: int(text) if name == "replicas" and text.isdecimal() else text for name, text in given.items()}
    return json.dumps(values) if values else ""


def said(method: str, target: str, body: str) -> str:
    """A request on one line."""
    return " ".join(part for part in (method, target, body) if part)
