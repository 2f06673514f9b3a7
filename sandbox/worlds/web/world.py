"""A real console from its file: started or only reached, signed in to, reset and verified by its own commands."""

import asyncio
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
import msgspec

from sandbox.browser.processes import NOTE, Process, end_group, end_noted, start_detached
from sandbox.contracts.actions import Click, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.registry import SessionLost
from sandbox.worlds.web import commands, credentials
from sandbox.worlds.web.commands import Place
from sandbox.worlds.web.spec import Command, Console, LoginStep, filled

if TYPE_CHECKING:
    from sandbox.browser.page import Page

HOST = "127.0.0.1"
STARTS = 3  # another process may take a port between our look and its use
_LOG = "serve.log"
_POLL_S = 0.02


class ConsoleFailed(RuntimeError):
    """The console does not start, or does not let us in; the message says what was seen."""


class WebConsole:
    """One console. `start` or `resume` comes first."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.environment = console.environment
        self.request_rules = console.requests
        self.start_url = ""
        self.allow: tuple[str, ...] = ()
        self._process: Process | None = None
        self._place: Place | None = None

    @property
    def place(self) -> Place:
        """Where it is. Raises SessionLost before `start`."""
        if self._place is None:
            raise SessionLost("this console was never started")
        return self._place

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        return tuple(self.place.credentials.values())

    async def start(self, folder: Path) -> dict[str, Any]:
        """Run the console where the file says how, else only note where it is. Raises ConsoleFailed, NoCredential."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # noqa: ASYNC240  # local
        found = credentials.find(self.console.credentials, folder, make=True)
        for left in reversed(range(STARTS)):
            self._hold(folder, _free_ports(self.console.ports), found)
            if self.console.serve is None:
                break
            try:
                await self._serve(self.console.serve, folder)
                break
            except ConsoleFailed:
                await self._end()
                if not left:
                    raise
        process = None if self._process is None else msgspec.to_builtins(self._process)
        return {"folder": str(folder), "ports": self.place.ports, "process": process}

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the console again. Raises SessionLost."""
        folder = Path(state["folder"])
        self._hold(folder, state["ports"], credentials.find(self.console.credentials, folder, make=False))
        if state["process"] is not None:
            self._process = msgspec.convert(state["process"], Process)
            if not self._process.is_alive:
                raise SessionLost(f"the console (process {self._process.pid}) is gone")

    def _hold(self, folder: Path, ports: dict[str, int], found: dict[str, str]) -> None:
        place = Place("", str(folder), self.console.here, ports, found)
        url = filled(self.console.url, place.holes)
        self._place = msgspec.structs.replace(place, url=url)
        self.start_url = _at(url, self.console.first_screen) if self.console.first_screen else url
        self.allow = tuple(filled(each, place.holes) for each in self.console.allow)

    async def _serve(self, command: Command, folder: Path) -> None:
        place = self.place
        with (folder / _LOG).open("wb") as log:
            self._process, running = start_detached(
                place.words(command),
                note=folder / f"serve{NOTE}",
                cwd=place.here,
                env=place.environment(),
                stdout=log,
                stderr=log,
            )
        await self._ready(self._process, command.limit_s)
        # It is meant to outlive us: without this, Python warns of a child never waited for.
        running.returncode = 0

    async def _ready(self, process: Process, limit_s: float) -> None:
        """Until the address answers, whatever it says. Raises ConsoleFailed."""
        deadline = time.monotonic() + limit_s
        async with httpx.AsyncClient(timeout=5.0, trust_env=False) as client:
            while time.monotonic() < deadline:
                if not process.is_alive:
                    raise ConsoleFailed(f"{self.console.title} ended while it started. {self._last_words()}")
                try:
                    if (await client.get(self.place.url)).status_code < 500:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(_POLL_S)
        raise ConsoleFailed(f"{self.console.title} was silent for {limit_s:g} s. {self._last_words()}")

    def _last_words(self) -> str:
        text = (Path(self.place.folder) / _LOG).read_text(errors="replace")
        return f"It last said: {self.place.without_credentials(text[-1_000:].strip()) or 'nothing'}"

    async def set_up(self, task: Task) -> None:
        """Bring the console into the task's first state, where the file has a reset command. Raises CommandFailed."""
        if self.console.reset is not None:
            await commands.reset(self.console.reset, self.place, task)

    async def sign_in(self, page: "Page") -> None:
        """The login steps of the file, and on to the first screen. Raises ConsoleFailed."""
        await page.keep_secret(*self.secrets)
        for number, step in enumerate(self.console.login, start=1):
            await self._login(page, step, number)
        await page.goto(self.start_url)

    async def _login(self, page: "Page", step: LoginStep, number: int) -> None:
        given = self.place.credentials
        if step.basic is not None:
            # The browser remembers these for the host; the address without them is loaded before anything is seen.
            parts = urlsplit(self.place.url)
            user, password = (quote(given[name], safe="") for name in (step.basic.user, step.basic.password))
            await page.goto(urlunsplit(parts._replace(netloc=f"{user}:{password}@{parts.netloc}")))
            await page.goto(self.place.url)
        elif step.open:
            await page.goto(_at(self.place.url, step.open))
        elif step.type is not None:
            element = await self._find(page, number, name=step.type.into)
            text = given[step.type.credential] if step.type.credential else step.type.text
            await page.act(Type(element.ref, text))
        elif step.click is not None:
            element = await self._find(page, number, name=step.click.name, role=step.click.role)
            await page.act(Click(element.ref))
        elif step.expect:
            path = await page.evaluate("location.pathname")
            if path != step.expect:
                raise ConsoleFailed(f"login step {number}: expected the page {step.expect}, found {path}")

    async def _find(self, page: "Page", number: int, *, name: str, role: str = "") -> Element:
        """An element that can be used: a field of this name where no role is given."""
        seen = await page.observe()
        usable = [e for e in seen.elements if e.actionable and (e.role == role if role else "editable" in e.states)]
        for element in usable:
            if name in (element.name, element.label):
                return element
        names = ", ".join(element.name for element in usable) or "nothing"
        raise ConsoleFailed(f"login step {number}: expected {role or 'a field'} {name!r}, found {names}")

    async def verify(self, task: Task, answer: str) -> Verification:
        """Ask the verifier command of the file."""
        if not task.template:
            return Verification(Outcome.UNVERIFIED)
        return await commands.verify(self.console.verify, self.place, task, answer)

    async def stop(self) -> None:
        """End what was started and remove its folder; safe to repeat. A console that runs elsewhere is left alone."""
        if self._place is not None:
            await self._end()
            await end_noted(Path(self._place.folder))

    async def _end(self) -> None:
        if self._process is not None:
            await end_group(self._process)
            self._process = None


def _at(url: str, path: str) -> str:
    parts = urlsplit(url)
    where, _, query = path.partition("?")
    return urlunsplit(parts._replace(path=where, query=query, fragment=""))


def _free_ports(names: tuple[str, ...]) -> dict[str, int]:
    with ExitStack() as stack:
        ports = {}
        for name in names:
            listener = stack.enter_context(socket.socket())
            listener.bind((HOST, 0))
            ports[name] = listener.getsockname()[1]
        return ports
