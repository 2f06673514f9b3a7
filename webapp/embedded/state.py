"""The state folder: closed to others, with generated secrets and remembered ports."""

import json
import secrets
import shutil
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webapp.embedded.failures import SetUpFailed
from webapp.embedded.processes import write_private

NEEDED_BYTES = 512 * 1024 * 1024
HOST = "127.0.0.1"
_writing = threading.Lock()  # servers are started side by side
PEOPLE = ("operator", "reviewer", "admin")


@dataclass(frozen=True)
class State:
    """Paths inside one state folder."""

    folder: Path

    @property
    def env_file(self) -> Path:
        """KEY=value lines that webapp/environ.py reads."""
        return self.folder / "embedded.env"

    @property
    def lock(self) -> Path:
        """Held while something is started or stopped."""
        return self.folder / "lock"

    def pidfile(self, name: str) -> Path:
        """Where the process of this name is written down."""
        return self.folder / "pids" / f"{name}.json"

    def log(self, name: str) -> Path:
        """Where the process of this name writes."""
        return self.folder / "logs" / f"{name}.log"


def prepare(folder: Path) -> State:
    """Make the folder, or close one that is open, and see that there is room."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    for name in ("pids", "logs"):
        (folder / name).mkdir(exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise SetUpFailed(
            f"Only {free // 2**20} MiB are free on the disk of {folder}. Belay needs {NEEDED_BYTES // 2**20} MiB: "
            "free some, or set BELAY_STATE_DIR to a folder on another disk."
        )
    return State(folder.resolve())


def secret(state: State, name: str) -> str:
    """A secret made once on this machine and kept."""
    path = state.folder / "secrets.json"
    with _writing:
        known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        if name not in known:
            known[name] = secrets.token_hex(24)
            write_private(path, json.dumps(known))
        return known[name]


def passwords(state: State) -> dict[str, str]:
    """The passwords of the first people by their names, made once and kept where only this user reads them."""
    path = state.folder / "passwords.txt"
    if not path.exists():
        lines = [f"{name:10} {'-'.join(secrets.token_hex(2) for _ in range(4))}\n" for name in PEOPLE]
        write_private(path, "".join(lines))
    return dict(line.split() for line in path.read_text().splitlines() if line.strip())


def ports(state: State, names: Sequence[str], *, alive: bool) -> dict[str, int]:
    """Free ports by name, the same ones as last time unless somebody else took one meanwhile.

    `alive` says that our own server holds them now, so that being taken is no surprise.
    """
    path = state.folder / "ports.json"
    with _writing:
        known: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        chosen = {name: known[name] for name in names if name in known}
        if alive and len(chosen) == len(names):
            return chosen
        for name in names:
            if name not in chosen or not is_free(chosen[name]):
                chosen[name] = free_port(avoid={*known.values(), *chosen.values()})
        write_private(path, json.dumps({**known, **chosen}))
        return chosen


def remembered_port(state: State) -> int | None:
    """Where the pages were last time."""
    path = state.folder / "port"
    return int(path.read_text()) if path.exists() else None


def remember_port(state: State, port: int) -> None:
    """Where the pages are."""
    write_private(state.folder / "port", str(port))


def is_free(port: int) -> bool:
    """Whether nobody listens on this port here."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port(*, avoid: set[int]) -> int:
    """A port from below the range that outgoing connections are given, so that none takes it before our server does."""
    for _ in range(200):
        port = 12000 + secrets.randbelow(18000)
        if port not in avoid and is_free(port):
            return port
    raise SetUpFailed("No free port was found between 12000 and 30000 on 127.0.0.1; end some servers and try again.")
