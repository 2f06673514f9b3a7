"""One running simulated console, behind the interface that all worlds share."""

import asyncio
import json
import subprocess
import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sandbox.browser.processes import NOTE, Process, end_group, start_detached
from sandbox.contracts.tasks import Environment, Goal, Outcome, Task, Verification
from sandbox.registry import SessionLost
from sandbox.worlds.console.declare import Console, request_rules
from sandbox.worlds.console.records import Snapshot
from sandbox.worlds.console.serve import FURNISH, SECRETS_FILE, Clock, Secrets, furnisher
from sandbox.worlds.console.verify import Judge
from sandbox.worlds.console.world import World

if TYPE_CHECKING:
    from sandbox.browser.page import Page

START_LIMIT_S = 20.0
LOG_FILE = "console.log"
_POLL_S = 0.01


class ConsoleWorld:
    """A simulated console in a process of its own. `furnish`: "module:function" from a task to its world."""

    def __init__(self, environment: Environment, console: Console, *, furnish: str = FURNISH) -> None:
        self.environment = environment
        self.console = console
        self.request_rules = request_rules(console)
        self.start_url = ""
        self.allow: tuple[str, ...] = ()
        self._furnish = furnish
        self._process: Process | None = None
        self._secrets: Secrets | None = None

    async def start(self, folder: Path) -> dict[str, Any]:
        """Start the console's process; what it returns holds no secret: those lie in the folder."""
        first = Task(environment=self.environment.id, template="", goal=Goal(text=""), seed=0)
        process, running = _launch(folder, self._furnish, first)
        file = folder / SECRETS_FILE
        async with asyncio.timeout(START_LIMIT_S):
            while not file.exists() and running.poll() is None:  # noqa: ASYNC110  # a file of another process: no event
                await asyncio.sleep(_POLL_S)
        if running.poll() is not None:
            raise RuntimeError(f"the simulated console did not start: {_last_words(folder)}")
        state = {"process": msgspec.to_builtins(process), "folder": str(folder)}
        await self.resume(state)
        return state

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the process again. Raises SessionLost."""
        self._process = msgspec.convert(state["process"], type=Process)
        file = Path(state["folder"]) / SECRETS_FILE
        if not self._process.is_alive or not file.exists():
            raise SessionLost("the simulated console's process is gone")
        self._secrets = msgspec.json.decode(file.read_bytes(), type=Secrets)
        self.start_url = f"http://127.0.0.1:{self._secrets.port}/"
        self.allow = (f"127.0.0.1:{self._secrets.port}",)

    async def set_up(self, task: Task) -> None:
        """Replace the console's state by the task's first one."""
        await self._control("POST", "/reset", msgspec.json.encode(task))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        return (self._known().password,)

    async def sign_in(self, page: "Page") -> None:
        """Sign in without the form, so that the password is never on the page, and go to the first screen."""
        known = self._known()
        await page.keep_secret(*self.secrets)
        await page.goto(f"{self.start_url}sign-in")
        form = f"user={known.user}&password={known.password}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        options = json.dumps({"method": "POST", "body": form, "headers": headers, "redirect": "manual"})
        await page.evaluate(f"fetch('/sign-in', {options}).then(() => true)")
        await page.goto(self.start_url)

    async def verify(self, task: Task, answer: str) -> Verification:
        """Compare the console's own state and audit log with what the task asks for."""
        if not task.template:
            return Verification(Outcome.UNVERIFIED)
        return Judge.of(task).verify(await self.world(task), answer)

    async def world(self, task: Task) -> World:
        """The console's state now, while it is at this task."""
        snapshot = msgspec.json.decode(await self._control("GET", "/snapshot"), type=Snapshot)
        world = furnisher(self._furnish)(task)
        world.restore(snapshot)
        return world

    async def restore(self, snapshot: Snapshot) -> None:
        """Make the console's state that of the snapshot."""
        await self._control("PUT", "/snapshot", msgspec.json.encode(snapshot))

    async def polls(self, *, runs: bool) -> None:
        """Whether pages look by themselves at what is changing; tests that count ticks stop them."""
        await self._control("PUT", "/clock", msgspec.json.encode(Clock(runs)))

    async def stop(self) -> None:
        """End the process; safe to repeat."""
        if self._process is not None:
            await end_group(self._process)

    def _known(self) -> Secrets:
        if self._secrets is None:
            raise RuntimeError("the console is neither started nor resumed")
        return self._secrets

    async def _control(self, method: str, path: str, body: bytes = b"") -> bytes:
        known = self._known()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", known.control_port)
        except OSError as refusal:
            raise SessionLost("the simulated console's process is gone") from refusal
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {known.control_token}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + body)
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines if line)
            answer = await reader.readexactly(int(headers["content-length"]))
        except (OSError, asyncio.IncompleteReadError) as cut:
            raise SessionLost("the simulated console's process went away") from cut
        finally:
            writer.close()
        if int(first.split()[1]) != HTTPStatus.OK:
            raise RuntimeError(f"{method} {path}: {first}: {answer[:300].decode(errors='replace')}")
        return answer


def _launch(folder: Path, furnish: str, first: Task) -> tuple[Process, "subprocess.Popen[bytes]"]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SECRETS_FILE).unlink(missing_ok=True)
    module = [sys.executable, "-m", "sandbox.worlds.console.serve", str(folder)]
    with (folder / LOG_FILE).open("ab") as log:
        argv = [*module, "--furnish", furnish, "--first", msgspec.json.encode(first).decode()]
        return start_detached(argv, note=folder / f"console{NOTE}", stderr=log)


def _last_words(folder: Path) -> str:
    return (folder / LOG_FILE).read_text(errors="replace")[-500:]
