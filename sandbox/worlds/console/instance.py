"""One running simulated console, behind the interface that all worlds share."""

import asyncio
import json
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sandbox import served
from sandbox.browser.processes import Process, end_group
from sandbox.contracts.tasks import Environment, Goal, Outcome, Task, Verification
from sandbox.registry import SessionLost
from sandbox.worlds.console.declare import Console, request_rules
from sandbox.worlds.console.records import Snapshot
from sandbox.worlds.console.serve import FURNISH, SECRETS_FILE, Clock, Secrets, furnisher
from sandbox.worlds.console.verify import Judge
from sandbox.worlds.console.world import World

if TYPE_CHECKING:
    from sandbox.browser.page import Page


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
        arguments = ("--furnish", self._furnish, "--first", msgspec.json.encode(first).decode())
        state = await served.start("sandbox.worlds.console.serve", folder, tells=SECRETS_FILE, arguments=arguments)
        await self.resume(state)
        return state

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the process again. Raises SessionLost."""
        self._process, told = served.find(state, tells=SECRETS_FILE)
        self._secrets = msgspec.json.decode(told, type=Secrets)
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

    async def clock(self, *, runs: bool) -> None:
        """Whether time is real (see Clock); tests that count ticks stop it."""
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
