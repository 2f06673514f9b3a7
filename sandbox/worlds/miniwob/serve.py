"""The pages' own process, pages on one port and rewards on another: `python -m sandbox.worlds.miniwob.serve DIR`."""

import argparse
import asyncio
import hmac
import secrets
from http import HTTPStatus
from pathlib import Path

import msgspec
from msgspec import Struct

from sandbox.browser.processes import write_private
from sandbox.wire import Request, Response, json_response, listen, port_of
from sandbox.worlds.miniwob.catalogue import pages

STATE_FILE = "miniwob.json"
_HERE = Path(__file__).parent
_OURS = {f"/{name}": _HERE / name for name in ("clicks.js", "clock.js", "focus.js", "episode.js", "frames.html")}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".png": "image/png",
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
}
# This one hears what they listen for; it comes before them.
_FIRST = b'<head><script src="/clicks.js"></script>'
# And these, in a page that is one of many frames of another.
_FRAMED = _FIRST + b'<script src="/clock.js"></script><script src="/focus.js"></script>'
# The other comes after the page's own, so that it wraps what they define; the style hides what is about the benchmark.
_ADDED = (
    b"<style>#reward-display,#click-canvas,#sync-task-cover{display:none!important}"
    b"#belay-ended{position:absolute;left:0;top:0;font-size:8px}</style>"
    b'<script src="/episode.js"></script></head>'
)


class Known(Struct, frozen=True):
    """How to reach the process; lies in the world's folder, readable by its owner alone."""

    port: int
    control_port: int
    token: str


class Reward(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page reported at the end of an episode; `raw` is free of time decay."""

    seed: int
    raw: float
    done: bool
    page: str


class Pages:
    """The benchmark's files, and the last reward that a page reported."""

    def __init__(self, token: str) -> None:
        self.root = pages().resolve()
        self.token = token
        self.reward: Reward | None = None

    def answer(self, request: Request) -> Response:
        """The browser's side."""
        if request.path == "/reward" and request.method == "POST":
            try:
                self.reward = msgspec.json.decode(request.body, type=Reward)
            except msgspec.DecodeError as problem:
                return json_response({"message": str(problem)}, HTTPStatus.BAD_REQUEST)
            return Response(HTTPStatus.NO_CONTENT)
        if request.method != "GET":
            return json_response({"message": "Not here."}, HTTPStatus.METHOD_NOT_ALLOWED)
        ours = _OURS.get(request.path)
        file = ours or (self.root / request.path.lstrip("/")).resolve()
        if ours is None and not (file.is_relative_to(self.root) and file.is_file()):
            return Response(HTTPStatus.NOT_FOUND)
        body = file.read_bytes()
        if file.parent.name == "miniwob" and file.suffix == ".html":
            first = _FRAMED if "silent" in request.query else _FIRST
            body = body.replace(b"<head>", first, 1).replace(b"</head>", _ADDED, 1)
        return Response(HTTPStatus.OK, body, _TYPES.get(file.suffix, "application/octet-stream"))

    def control(self, request: Request) -> Response:
        """The world's side, on a port that the browser may not reach."""
        if not hmac.compare_digest(request.headers.get("authorization", ""), f"Bearer {self.token}"):
            return json_response({"message": "Wrong token."}, HTTPStatus.UNAUTHORIZED)
        if request.method == "DELETE":
            self.reward = None
        return json_response(self.reward)


async def main(folder: Path) -> None:
    """Serve until ended; the folder's file appears when both ports are open."""
    served = Pages(secrets.token_urlsafe(24))
    browser_side = await listen(served.answer)
    control_side = await listen(served.control)
    known = Known(port_of(browser_side), port_of(control_side), served.token)
    write_private(folder / STATE_FILE, msgspec.json.encode(known))
    async with browser_side, control_side:
        await asyncio.gather(browser_side.serve_forever(), control_side.serve_forever())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asyncio.run(main(parser.parse_args().folder))
