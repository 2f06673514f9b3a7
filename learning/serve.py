"""Proposals over a WebSocket: several policy versions loaded side by side, each asked by its role, on one core.

Run: python -m learning.serve champion=FOLDER [challenger=FOLDER] [shadow=FOLDER] [--port 7717]
SIGHUP opens the folders anew; a version that cannot be run leaves the one before in place.
"""

import argparse
import asyncio
import hmac
import ipaddress
import itertools
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import msgspec
from msgspec import Struct
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from learning import jobs
from learning.policy import BadPolicy
from learning.proving import ONNX_FAILURES
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Policy, Proposal
from sandbox.contracts.tasks import Goal

log = logging.getLogger("learning.serve")

PORT = 7717
TOKEN_FROM = "BELAY_SERVE_TOKEN"  # noqa: S105  # the name of a variable, not a token
MOST_WAITING = 256  # questions; more are refused at once
LARGEST_BYTES = 8 << 20  # of one question
SHADOW = "shadow"  # answered after all others: nobody waits for it
_NO_PROPOSAL = (*ONNX_FAILURES, RuntimeError, ValueError, ArithmeticError, LookupError, OSError)


class Ask(Struct, frozen=True, forbid_unknown_fields=True):
    """One question: what to do on this page, of each of these roles; each answers in a frame of its own."""

    id: int
    observation: Observation
    goal: Goal
    history: tuple[Past, ...] = ()
    roles: tuple[str, ...] = ("champion",)


class Told(Struct, frozen=True, omit_defaults=True):
    """One answer; `error` is a name (bad_request, unknown_role, busy, cannot_propose), `message` says what to do."""

    id: int
    role: str = ""
    policy: str = ""
    ms: float = 0.0  # of proposing alone
    proposal: Proposal | None = None
    error: str = ""
    message: str = ""


class Versions:
    """Policies by role. Opening is all or nothing for a role; those in use stay until the new one is proved."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = dict(folders)
        self._open: dict[str, Policy] = {}

    def load(self) -> dict[str, str]:
        """Open every folder anew; role -> why it could not be."""
        refused = {}
        for role, folder in self._folders.items():
            try:
                self._open[role] = jobs.load_policy(folder, name=folder.resolve().name)
            except BadPolicy as problem:
                refused[role] = str(problem)
        return refused

    def get(self, role: str) -> Policy | None:
        """The version of a role."""
        return self._open.get(role)

    @property
    def roles(self) -> tuple[str, ...]:
        """Those that can be asked."""
        return tuple(sorted(self._open))


@dataclass(order=True)
class _Waiting:
    last: bool  # shadows wait for everybody
    number: int
    ask: Ask = field(compare=False)
    role: str = field(compare=False)
    to: ServerConnection = field(compare=False)


class Desk:
    """Takes questions from every connection and answers them one at a time, on one thread."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._waiting: asyncio.PriorityQueue[_Waiting] = asyncio.PriorityQueue(MOST_WAITING)
        self._numbers = itertools.count()

    async def take(self, connection: ServerConnection) -> None:
        """Read one client's questions until it goes."""
        async for frame in connection:
            try:
                ask = msgspec.json.decode(frame, type=Ask)
            except (msgspec.DecodeError, msgspec.ValidationError) as problem:
                await _tell(connection, Told(0, error="bad_request", message=str(problem)))
                continue
            for role in ask.roles:
                await self._put(_Waiting(role == SHADOW, next(self._numbers), ask, role, connection))

    async def _put(self, waiting: _Waiting) -> None:
        told = Told(waiting.ask.id, waiting.role, error="")
        if self._versions.get(waiting.role) is None:
            known = ", ".join(self._versions.roles)
            refusal = msgspec.structs.replace(told, error="unknown_role", message=f"roles are {known}")
        elif self._waiting.full():
            refusal = msgspec.structs.replace(told, error="busy", message=f"{MOST_WAITING} questions wait: ask again")
        else:
            self._waiting.put_nowait(waiting)
            return
        await _tell(waiting.to, refusal)

    async def answer(self) -> None:
        """Answer for ever."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as thread:
            while True:
                waiting = await self._waiting.get()
                await _tell(waiting.to, await loop.run_in_executor(thread, self._propose, waiting))

    def _propose(self, waiting: _Waiting) -> Told:
        ask, policy = waiting.ask, self._versions.get(waiting.role)
        assert policy is not None, "a role that was open stays open"
        began = time.perf_counter()
        try:
            proposal = policy.act(ask.observation, ask.goal, ask.history)
        except _NO_PROPOSAL as problem:
            message = f"{type(problem).__name__}: {problem}"
            log.warning("%s gave no proposal: %s", waiting.role, message)
            return Told(ask.id, waiting.role, error="cannot_propose", message=message)
        ms = (time.perf_counter() - began) * 1e3
        return Told(ask.id, waiting.role, proposal.policy, ms, proposal)


async def _tell(connection: ServerConnection, told: Told) -> None:
    try:
        await connection.send(msgspec.json.encode(told).decode())
    except ConnectionClosed:
        log.info("a client left before its answer")


def _guard(connection: ServerConnection, request: Request) -> Response | None:
    """Let nobody in without the token, where one is set."""
    token = os.environ.get(TOKEN_FROM, "")
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token and not hmac.compare_digest(given.encode(), token.encode()):
        return connection.respond(HTTPStatus.UNAUTHORIZED, f"send the token of {TOKEN_FROM} as a bearer token\n")
    return None


async def open_desk(
    versions: Versions, *, host: str = "127.0.0.1", port: int = PORT
) -> tuple[Server, "asyncio.Task[None]"]:
    """Listen; browsers are not let in (they send an Origin). Port 0 takes a free one."""
    desk = Desk(versions)
    server = await serve(
        desk.take, host, port, max_size=LARGEST_BYTES, origins=[None], process_request=_guard, compression=None
    )
    return server, asyncio.create_task(desk.answer())


async def _run(versions: Versions, host: str, port: int) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    with reloading(versions):
        server, answering = await open_desk(versions, host=host, port=port)
        address = next(iter(server.sockets)).getsockname()
        print(f"ws://{address[0]}:{address[1]} proposes as {', '.join(versions.roles)}", flush=True)
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([stopping, answering], return_when=asyncio.FIRST_COMPLETED)
        server.close()
        await server.wait_closed()
    if answering.done():
        answering.result()  # nothing may end it: what did is raised
    answering.cancel()


@contextmanager
def reloading(versions: Versions) -> Iterator[None]:
    """Each SIGHUP opens the folders anew, one after another on a thread: questions are answered meanwhile."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as thread:
        loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(thread, _reload, versions))
        yield
        loop.remove_signal_handler(signal.SIGHUP)


def _reload(versions: Versions) -> None:
    for role, why in versions.load().items():
        log.error("%s stays as it was: %s", role, why)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m learning.serve", description=__doc__)
    parser.add_argument("versions", nargs="+", metavar="ROLE=FOLDER")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=PORT)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    pairs = [each.partition("=") for each in given.versions]
    if not all(role and mark and folder for role, mark, folder in pairs):
        parser.error("say which folder is which, for example champion=.belay/policies/7")
    if not _is_here(given.host) and not os.environ.get(TOKEN_FROM):
        parser.error(f"set {TOKEN_FROM} before you listen on {given.host}: whoever reaches it could ask")
    versions = Versions({role: Path(folder) for role, _, folder in pairs})
    if refused := versions.load():
        print("\n".join(f"{role}: {why}" for role, why in refused.items()), file=sys.stderr)
        return 2
    asyncio.run(_run(versions, given.host, given.port))
    return 0


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


if __name__ == "__main__":
    sys.exit(main())
