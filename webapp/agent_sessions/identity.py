"""Who holds a session: names of hosts by which others can tell whether they are gone."""

import os
import socket
from functools import cache
from pathlib import Path
from typing import Literal

from webapp.embedded.processes import started_at

Fate = Literal["gone", "alive", "elsewhere"]


@cache
def machine() -> str:
    """This machine's (or container's) name."""
    return socket.gethostname()


@cache
def boot() -> str:
    """Which run of the machine this is; "" where the system does not tell."""
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else ""


def holder(pid: int | None = None) -> str:
    """`<machine>/<boot>:<pid>:<start time>` of a process here; of this one by default."""
    pid = os.getpid() if pid is None else pid
    return f"{machine()}/{boot()}:{pid}:{started_at(pid)}"


def fate(name: str) -> Fate:
    """Whether a holder is verifiably gone. "" let go by itself."""
    if not name:
        return "gone"
    where, _, rest = name.partition("/")
    if where != machine():
        return "elsewhere"
    its_boot, pid, begun = rest.split(":", 2)
    if its_boot != boot():
        return "gone"
    return "alive" if started_at(int(pid)) == begun else "gone"
