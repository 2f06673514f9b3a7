"""The console's own process, pages on one port and control on another: `python -m sandbox.worlds.console.serve DIR`."""

import argparse
import asyncio
import hmac
import os
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from sandbox.contracts.tasks import Task
from sandbox.worlds.console import pages
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.declare import Kind, Verb, request_path
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.wire import Request, Response, json_response, listen, port_of
from sandbox.worlds.console.world import Object, Refused, Snapshot, World

STATIC = Path(__file__).parent / "static"
SECRETS_FILE = "console.json"
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


class Secrets(Struct, frozen=True):
    """How to reach the process; lies in the world's folder, readable by its owner alone, and nowhere else."""

    port: int
    control_port: int
    control_token: str
    user: str
    password: str


class Console:
    """One world with everybody who is signed in to it."""

    def __init__(self, password: str, control_token: str) -> None:
        self.world = World(CLOUD, "empty")
        self.user, self.password, self.control_token = "operator", password, control_token
        self.sessions: set[str] = set()

    def answer(self, request: Request) -> Response:
        """The browser's side."""
        if request.path.startswith("/static/"):
            return _static(request.path)
        if request.path == "/sign-in":
            return self._sign_in(request)
        if request.cookies.get("console") not in self.sessions:
            if request.method == "GET" and not request.path.startswith(("/api/", "/check/")):
                return Response(HTTPStatus.SEE_OTHER, headers=(("Location", "/sign-in"),))
            return json_response({"message": "Sign in first."}, HTTPStatus.UNAUTHORIZED)
        if request.path.startswith("/api/"):
            return self._api(request)
        if request.method != "GET":
            return json_response({"message": "Not here."}, HTTPStatus.METHOD_NOT_ALLOWED)
        if request.path.startswith("/check/"):
            kind = CLOUD.at(request.path.removeprefix("/check/"))
            return json_response(self.world.wrong(kind.name, request.query) if kind else {})
        return self._page(request)

    def control(self, request: Request) -> Response:
        """The session host's side, on a port that the browser may not reach."""
        if not hmac.compare_digest(request.headers.get("authorization", ""), f"Bearer {self.control_token}"):
            return json_response({"message": "Wrong token."}, HTTPStatus.UNAUTHORIZED)
        match request.method, request.path:
            case "POST", "/reset":
                self.world = furnish(msgspec.json.decode(request.body, type=Task))
            case "PUT", "/snapshot":
                self.world.restore(msgspec.json.decode(request.body, type=Snapshot))
            case "GET", "/snapshot":
                pass
            case _:
                return json_response({"message": "Not here."}, HTTPStatus.NOT_FOUND)
        return json_response(self.world.snapshot())

    def _sign_in(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(HTTPStatus.OK, pages.sign_in_document(CLOUD.title, "").encode())
        form = dict(parse_qsl(request.body.decode(errors="replace")))
        if form.get("user") != self.user or not hmac.compare_digest(
            form.get("password", "").encode(), self.password.encode()
        ):
            page = pages.sign_in_document(CLOUD.title, "User or password is wrong.")
            return Response(HTTPStatus.UNAUTHORIZED, page.encode())
        session = secrets.token_urlsafe(24)
        self.sessions.add(session)
        cookie = f"console={session}; Path=/; HttpOnly; SameSite=Strict"
        return Response(HTTPStatus.SEE_OTHER, headers=(("Location", "/"), ("Set-Cookie", cookie)))

    def _page(self, request: Request) -> Response:
        # Virtual time passes when somebody looks: the state of a world depends on what was asked, never on a clock.
        self.world.advance()
        found = pages.page(self.world, request.path, request.query)
        page = found or pages.not_found(self.world)
        if "x-part" in request.headers:
            return json_response({"title": f"{page.title} · {CLOUD.title}", "html": page.html})
        status = HTTPStatus.OK if found else HTTPStatus.NOT_FOUND
        return Response(status, pages.document(self.world, page).encode())

    def _api(self, request: Request) -> Response:
        try:
            given = msgspec.json.decode(request.body or b"{}", type=dict[str, str])
        except msgspec.DecodeError:
            return json_response({"message": "The body is not an object of texts."}, HTTPStatus.BAD_REQUEST)
        kind = CLOUD.at(request.path.split("/")[2])
        if kind is None:
            return json_response({"message": "Not here."}, HTTPStatus.NOT_FOUND)
        try:
            return self._write(kind, request, given)
        except Refused as refusal:
            return json_response({"message": refusal.message, "errors": refusal.errors}, refusal.status)

    def _write(self, kind: Kind, request: Request, given: Mapping[str, str]) -> Response:
        parts = request.path.split("/")[3:]
        if request.method == "POST" and not parts:
            made = self.world.create(kind.name, given)
            go = "" if kind.parent else f"/{kind.path}/{made.id}"
            toast = f"{kind.title} {self.world.label(made)} {kind.created}."
            return json_response({"toast": toast, "go": go}, HTTPStatus.CREATED)
        it = self.world.objects.get(parts[0]) if parts else None
        verb = _verb_at(kind, request, it) if it else None
        if it is None or verb is None or it.kind != kind.name:
            return json_response({"message": "There is no such object any more."}, HTTPStatus.NOT_FOUND)
        label = self.world.label(it)
        values = {name: value for name, value in given.items() if name != "confirm"}
        self.world.do(it.id, verb.name, values, confirm=given.get("confirm", ""))
        go = f"/{kind.path}" if verb.deletes and not kind.parent else ""
        return json_response({"toast": f"{kind.title} {label} {verb.done}.", "go": go})


def _verb_at(kind: Kind, request: Request, it: Object) -> Verb | None:
    for verb in kind.verbs:
        if (verb.method, request_path(kind, it.id, verb)) == (request.method, request.path):
            return verb
    return None


def _static(path: str) -> Response:
    file = STATIC / Path(path).name
    if not file.is_file():
        return Response(HTTPStatus.NOT_FOUND)
    return Response(HTTPStatus.OK, file.read_bytes(), _TYPES.get(file.suffix, "application/octet-stream"))


async def main(folder: Path) -> None:
    """Serve until ended; the folder's file appears when both ports are open."""
    console = Console(secrets.token_urlsafe(18), secrets.token_urlsafe(24))
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
    asyncio.run(main(parser.parse_args().folder))
