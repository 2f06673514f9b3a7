"""The session's end of the egress proxy: start it, permit, ask what left, cut it."""

import asyncio
import os
import secrets
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sandbox.browser.egress import Answer, Command, Config, Entry, Ports
from sandbox.browser.processes import NOTE, Process, end_group, end_written, start_detached, write_private
from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule, SessionLost

START_LIMIT_S = 20.0
ANSWER_LIMIT_S = 5.0
_NOTE = f"way-out{NOTE}"
_ROOT = Path(__file__).resolve().parents[2]


class Egress(Struct, frozen=True, forbid_unknown_fields=True):
    """A running proxy, as plain data."""

    process: Process
    proxy_port: int
    control_port: int
    key: str  # the file with the token by which the permit is set

    @property
    def address(self) -> str:
        """Where the browser finds it."""
        return f"127.0.0.1:{self.proxy_port}"


class WayOut:
    """A hold on one proxy."""

    def __init__(self, egress: Egress, token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.egress = egress
        self._token = token
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, *, allow: Sequence[str], rules: Sequence[RequestRule], folder: Path) -> "WayOut":
        """Start a proxy in a process of its own; only READ passes until a permit is given.

        Its token lies in the folder, which is the owner's alone, and nowhere else.
        """
        config = Config(tuple(allow), tuple(rules), secrets.token_urlsafe(32), os.environ.get("EGRESS_VIA", ""))
        key = folder / "way-out.key"
        write_private(key, config.token.encode())
        process, running = start_detached(
            [sys.executable, "-m", "sandbox.browser.egress"],
            note=folder / _NOTE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
        )
        try:
            async with asyncio.timeout(START_LIMIT_S):
                said = await asyncio.to_thread(_introduce, running, msgspec.json.encode(config) + b"\n")
            ports = msgspec.json.decode(said, type=Ports)
            return await cls.attach(Egress(process, ports.proxy, ports.control, str(key)))
        except BaseException:
            await end_group(process)
            raise

    @classmethod
    async def attach(cls, egress: Egress) -> "WayOut":
        """Take hold of a running proxy. Raises SessionLost where it is gone."""
        if not egress.process.is_alive:
            raise SessionLost("the session's way out was cut")
        try:
            token = Path(egress.key).read_text()  # noqa: ASYNC240  # local
        except FileNotFoundError as problem:
            raise SessionLost("the session's folder is gone") from problem
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", egress.control_port, limit=16 * 1024 * 1024)
        except OSError as problem:
            raise SessionLost(f"the session's way out does not answer: {problem}") from problem
        return cls(egress, token, reader, writer)

    async def permit(self, risk: Risk) -> int:
        """Let requests up to this risk pass from now on; returns the number of the last request so far."""
        return (await self._say(permit=risk, after=2**62)).last

    async def requests(self, *, after: int, lower_after_s: float | None = None) -> tuple[Entry, ...]:
        """What wanted out since; `lower_after_s` lets the permit lapse to READ a little later."""
        return (await self._say(after=after, lower_after_s=lower_after_s)).entries

    async def let_go(self) -> None:
        """Disconnect; the proxy runs on."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _say(self, *, permit: Risk | None = None, after: int = 0, lower_after_s: float | None = None) -> Answer:
        command = Command(self._token, permit, lower_after_s, after)
        try:
            async with self._turn, asyncio.timeout(ANSWER_LIMIT_S):
                self._writer.write(msgspec.json.encode(command) + b"\n")
                await self._writer.drain()
                line = await self._reader.readline()
        except (OSError, TimeoutError) as problem:
            raise SessionLost("the session's way out is gone") from problem
        if not line:
            raise SessionLost("the session's way out is gone")
        return msgspec.json.decode(line, type=Answer)


async def cut(folder: Path) -> None:
    """End the proxy that was opened in this folder, and with it every connection; safe to repeat."""
    await end_written(folder / _NOTE)


def _introduce(running: "subprocess.Popen[bytes]", config: bytes) -> bytes:
    assert running.stdin is not None
    assert running.stdout is not None
    with running.stdin, running.stdout:
        running.stdin.write(config)
        running.stdin.flush()
        return running.stdout.readline()
