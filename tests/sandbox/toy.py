"""A world of one page for tests of sessions; its server is a process of its own, as a world's must be."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from msgspec import convert, to_builtins

from sandbox.browser.page import Page
from sandbox.browser.processes import NOTE, Process, end_group, start_detached
from sandbox.contracts.tasks import Check, Environment, Outcome, Parameter, Risk, Task, Template, Verification
from sandbox.registry import RequestRule, SessionLost, register

ENVIRONMENT = Environment("toy", "Toy", "One page", real=False)
PAGE = b"""<!doctype html><title>Toy</title><main><h1>Toy</h1>
<label for=n>Name</label><input id=n><label for=p>Password</label><input id=p type=password>
<select aria-label=Unit><option>MB<option>GB</select>
<button onclick="fetch('/save', {method: 'POST', body: n.value}).then(() => o.textContent = 'Saved')">Save</button>
<button onclick="fetch('/drop', {method: 'POST'}).then((r) => o.textContent = r.status)">Tidy</button>
<p id=o>-</p></main><script>while (localStorage.hangs) {}</script>"""
TEMPLATE = Template(
    id="toy/name-it",
    environment="toy",
    title="Name it",
    summary="Give the toy a name",
    parameters=(
        Parameter("name", "Name", pattern="[a-z][a-z0-9-]*", pattern_help="Use a-z, 0-9 and -.", max_length=20),
        Parameter("size", "Size", kind="integer", minimum=1, maximum=100),
        Parameter("unit", "Unit", kind="choice", choices=("MB", "GB")),
    ),
    phrases=("Name it {name}, {size} {unit}.", "Call the toy {name} ({size} {unit})"),
    risk=Risk.REVERSIBLE,
)


class Toy:
    """The world."""

    environment = ENVIRONMENT
    request_rules: tuple[RequestRule, ...] = (
        RequestRule("POST", "/save", Risk.REVERSIBLE),
        RequestRule("POST", "/drop", Risk.DESTRUCTIVE),
    )

    def __init__(self) -> None:
        self.start_url = ""
        self.allow: tuple[str, ...] = ()
        self._server: Process | None = None

    async def start(self, folder: Path) -> dict[str, Any]:
        folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  # local
        argv = [sys.executable, "-m", "tests.sandbox.toy", str(folder)]
        server, _ = start_detached(argv, note=folder / f"toy{NOTE}", cwd=Path.cwd())
        port_file = Path(f"{folder}.port")
        while not port_file.exists():  # noqa: ASYNC240  # local
            assert server.is_alive
        state = {"server": to_builtins(server), "port": int(port_file.read_text())}  # noqa: ASYNC240  # local
        await self.resume(state)
        return state

    async def resume(self, state: dict[str, Any]) -> None:
        self._server = convert(state["server"], Process)
        self.start_url = f"http://127.0.0.1:{state['port']}/"
        self.allow = (f"127.0.0.1:{state['port']}",)
        if not self._server.is_alive:
            raise SessionLost("the toy is gone")

    async def set_up(self, task: Task) -> None:
        pass

    async def sign_in(self, page: Page) -> None:
        await page.goto(self.start_url)

    async def verify(self, task: Task, answer: str) -> Verification:
        with urlopen(self.start_url + "asked") as response:  # noqa: S310, ASYNC210  # its own address, at once
            asked = json.load(response)
        held = "POST /save" in asked
        return Verification(Outcome.VERIFIED if held else Outcome.FAILED, (Check("saved", held),))

    async def stop(self) -> None:
        if self._server is not None:
            await end_group(self._server)


class NameIt:
    """Its one template."""

    template = TEMPLATE

    def sample(self, seed: int, split: str) -> dict[str, str]:
        return {"name": f"{split}-{seed}", "size": str(seed % 100 + 1), "unit": "GB"}

    def oracle(self, task: Task) -> Any:
        raise NotImplementedError


register(ENVIRONMENT, Toy, (NameIt(),))


def serve(port_file: Path) -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(json.dumps(asked).encode() if self.path == "/asked" else PAGE)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            asked.append(f"POST {self.path}")
            self.answer(b"ok")

        def answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    written = port_file.with_suffix(".new")
    written.write_text(str(server.server_port))
    written.rename(port_file)
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(f"{sys.argv[1]}.port"))
