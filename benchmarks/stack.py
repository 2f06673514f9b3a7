"""All of Belay in a folder of its own, for as long as a measurement takes."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client import Person
from webapp.embedded.state import free_port

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Stack:
    """A running Belay: where its pages are and who can sign in."""

    url: str
    folder: Path
    passwords: Mapping[str, str]

    def person(self, username: str) -> Person:
        """Somebody signed in at the API."""
        return Person(self.url, username, self.passwords[username])

    def pid(self, name: str) -> int:
        """The process id of one of its processes, e.g. `session-host`."""
        found = re.search(r'"pid":\s*(\d+)', (self.folder / "pids" / f"{name}.json").read_text())
        if found is None:
            raise LookupError(f"{name} has no pidfile in {self.folder}")
        return int(found[1])


@contextmanager
def running(**variables: str) -> Iterator[Stack]:
    """Start everything as `make up` does, in a folder that is removed afterwards; extra environment variables apply."""
    with tempfile.TemporaryDirectory(prefix="belay-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "state"
        port = free_port(avoid=set())
        env = {**os.environ, "BELAY_STATE_DIR": str(folder), **variables}
        command = [sys.executable, "-m", "webapp.embedded"]
        try:
            subprocess.run([*command, "up", "--port", str(port)], cwd=ROOT, env=env, check=True, stdout=sys.stderr)
            yield Stack(f"http://127.0.0.1:{port}", folder, passwords(folder))
        finally:
            subprocess.run([*command, "down"], cwd=ROOT, env=env, check=False, stdout=sys.stderr)


def passwords(folder: Path) -> dict[str, str]:
    """Sign-in names with the passwords that were generated for this folder."""
    lines = (folder / "passwords.txt").read_text().splitlines()
    return dict(line.split()[:2] for line in lines if line.strip() and not line.startswith("#"))
