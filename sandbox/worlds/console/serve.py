"""The console's own process, pages on one port and control on another: `python -m sandbox.worlds.console.serve DIR`."""

import argparse
import asyncio
import hmac
import os
import secrets
from collections.abc import Callable
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec import Struct

from sandbox.contracts.tasks import Task
from sandbox.wire import Request as Asked
from sandbox.wire import Response, json_response, listen, port_of
from sandbox.worlds.console import html
from sandbox.worlds.console.api import Reply, Request, Server
from sandbox.worlds.console.draw import screen as drawn
from sandbox.worlds.console.nodes import Choice
from sandbox.worlds.console.places import Event
from sandbox.worlds.console.records import Snapshot
from sandbox.worlds.console.screen import usable
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.view import View
from sandbox.worlds.console.world import World

STATIC = Path(__file__).parent / "static"
SECRETS_FILE = "console.json"
FURNISH = "sandbox.worlds.console.furnish:furnish"
DELAYS_S = {"none": 0.0, "short": 0.08, "long": 0.3}
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


class Secrets(Struct, frozen=True):
    """How to reach the process; lies in the world's folder, readable by its owner alone, and nowhere else."""

    port: int
    control_port: int
    control_token: str
    user: str
    password: str


class Told(Struct, frozen=True):
    """What the page's script reports: an event, that time passed, or that the request in waiting is over."""

    kind: Literal["click", "input", "key", "tick", "answered"]
    key: str = ""
    value: str = ""


class Clock(Struct, frozen=True):
    """Whether time is real: pages look by themselves at what is changing, and slow answers take their time."""

    runs: bool


class Console:
    """One world, what is open of it, and everybody who is signed in to it."""

    def __init__(self, furnish: Callable[[Task], World], password: str, control_token: str) -> None:
        self.furnish = furnish
        self.user, self.password, self.control_token = "operator", password, control_token
        self.sessions: set[str] = set()
        self.runs = True
        self._salt = ""
        self._reply: Reply | None = None

    def reset(self, task: Task) -> None:
        """Begin a task."""
        self.show(self.furnish(task), Variant.of(task.environment))

    def show(self, world: World, variant: Variant) -> None:
        """Open this world."""
        self.server, self.view = Server(world, variant), View(world, variant)
        self._salt = secrets.token_hex(4)  # dynamic names are new with every task
        self._reply = None

    def answer(self, request: Asked) -> Response:
        """The browser's side."""
        if request.path.startswith("/static/"):
            return _static(request.path)
        if request.path == "/sign-in":
            return self._sign_in(request)
        if request.cookies.get("console") not in self.sessions:
            if request.method == "GET" and not request.path.startswith("/api/"):
                return Response(HTTPStatus.SEE_OTHER, headers=(("Location", "/sign-in"),))
            return json_response({"message": "Sign in first."}, HTTPStatus.UNAUTHORIZED)
        delay_s = DELAYS_S[self.view.variant.latency] if self.runs else 0.0
        if request.path.startswith("/api/"):
            return msgspec.structs.replace(self._api(request), delay_s=delay_s)
        if (request.method, request.path) == ("POST", "/ui/event"):
            return msgspec.structs.replace(self._event(request), delay_s=delay_s)
        if request.method != "GET":
            return json_response({"message": "Not here."}, HTTPStatus.METHOD_NOT_ALLOWED)
        return self._page(request)

    def control(self, request: Asked) -> Response:
        """The session host's side, on a port that the browser may not reach."""
        if not hmac.compare_digest(request.headers.get("authorization", ""), f"Bearer {self.control_token}"):
            return json_response({"message": "Wrong token."}, HTTPStatus.UNAUTHORIZED)
        match request.method, request.path:
            case "POST", "/reset":
                self.reset(msgspec.json.decode(request.body, type=Task))
            case "PUT", "/snapshot":
                self.view.world.restore(msgspec.json.decode(request.body, type=Snapshot))
            case "PUT", "/clock":
                self.runs = msgspec.json.decode(request.body, type=Clock).runs
            case "GET", "/snapshot":
                pass
            case _:
                return json_response({"message": "Not here."}, HTTPStatus.NOT_FOUND)
        return json_response(self.view.world.snapshot())

    def _sign_in(self, request: Asked) -> Response:
        title = self.view.world.console.title
        if request.method != "POST":
            return Response(HTTPStatus.OK, html.sign_in_document(title, "").encode())
        form = dict(parse_qsl(request.body.decode(errors="replace")))
        if form.get("user") != self.user or not hmac.compare_digest(
            form.get("password", "").encode(), self.password.encode()
        ):
            page = html.sign_in_document(title, "User or password is wrong.")
            return Response(HTTPStatus.UNAUTHORIZED, page.encode())
        session = secrets.token_urlsafe(24)
        self.sessions.add(session)
        cookie = f"console={session}; Path=/; HttpOnly; SameSite=Strict"
        return Response(HTTPStatus.SEE_OTHER, headers=(("Location", "/"), ("Set-Cookie", cookie)))

    def _page(self, request: Asked) -> Response:
        # Virtual time passes when somebody looks: the state of a world depends on what was asked, never on a clock.
        self.view.navigate(request.path + (f"?{urlencode(request.query)}" if request.query else ""))
        shown = drawn(self.view)
        page = html.Page(self.view.variant, self._salt)
        state = msgspec.json.encode(self._state("")).decode()
        status = HTTPStatus.NOT_FOUND if self.view.is_lost else HTTPStatus.OK
        return Response(status, page.document(shown, state).encode())

    def _event(self, request: Asked) -> Response:
        try:
            told = msgspec.json.decode(request.body, type=Told)
        except msgspec.DecodeError:
            return json_response({"message": "This is no event."}, HTTPStatus.BAD_REQUEST)
        asked: Request | None = None
        if told.kind == "tick":
            self.view.tick()
        elif told.kind == "answered":
            reply, self._reply = self._reply, None
            self.view.answered(reply)
        elif self._fits(told):
            self._reply = None
            asked = self.view.event(Event(told.kind, told.key, told.value))
        return json_response(self._state(html.Page(self.view.variant, self._salt).body(drawn(self.view)), asked))

    def _fits(self, told: Told) -> bool:
        """Whether a person could have done this on the page as it is."""
        if told.kind == "key" and not told.key:
            return True
        it = usable(drawn(self.view), told.key)
        if it is None:
            return False
        return not isinstance(it.node, Choice) or told.kind == "key" or told.value in it.node.options

    def _state(self, body: str, asked: Request | None = None) -> dict[str, object]:
        shown = drawn(self.view)
        return {
            "html": body,
            "title": shown.title,
            "url": self.view.address,
            "page": str(self.view.pages),
            "modal": shown.modal,
            "poll": self.runs and self.view.is_pending,
            "request": asked,
        }

    def _api(self, request: Asked) -> Response:
        try:
            given = msgspec.json.decode(request.body or b"{}", type=dict[str, str])
        except msgspec.DecodeError:
            return json_response({"message": "The body is not an object of texts."}, HTTPStatus.BAD_REQUEST)
        asked = Request(request.method, request.path, given)
        reply = self.server.answer(asked)
        if asked == self.view.waiting:
            self._reply = reply
        return json_response(reply, HTTPStatus(reply.status))


def _static(path: str) -> Response:
    file = STATIC / Path(path).name
    if not file.is_file():
        return Response(HTTPStatus.NOT_FOUND)
    return Response(HTTPStatus.OK, file.read_bytes(), _TYPES.get(file.suffix, "application/octet-stream"))


def furnisher(name: str) -> Callable[[Task], World]:
    """The function "module:function" from a task to its world."""
    module, _, function = name.partition(":")
    furnish: Callable[[Task], World] = getattr(import_module(module), function)
    return furnish


async def main(folder: Path, furnish: str, first: Task) -> None:
    """Serve until ended; the folder's file appears when both ports are open."""
    console = Console(furnisher(furnish), secrets.token_urlsafe(18), secrets.token_urlsafe(24))
    console.reset(first)
    browser_side = await listen(console.answer)
    control_side = await listen(console.control)
    found = Secrets(port_of(browser_side), port_of(control_side), console.control_token, console.user, console.password)
    draft = folder / f"{SECRETS_FILE}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(found))
    draft.rename(folder / SECRETS_FILE)
    async with browser_side, control_side:
        await asyncio.gather(browser_side.serve_forever(), control_side.serve_forever())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--furnish", default=FURNISH, help="module:function from a task to its world")
    parser.add_argument("--first", required=True, help="the task that is open at first, as JSON")
    given = parser.parse_args()
    asyncio.run(main(given.folder, given.furnish, msgspec.json.decode(given.first, type=Task)))
