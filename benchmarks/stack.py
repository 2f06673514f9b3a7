"""All of Belay in a folder of its own, for as long as a measurement takes."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client import Person
from webapp.embedded.state import free_port

ROOT = Path(__file__).resolve().parent.parent
# Whoever set these meant another Belay: a measurement works with servers of its own.
OUTSIDE = {
    *("DATABASE_URL", "VALKEY_URL", "SECRET_KEY", "BELAY_EMBEDDED", "DJANGO_SETTINGS_MODULE"),
    *("S3_ENDPOINT_URL", "S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_BUCKET"),
}
NEEDED = ("web", "session-host")  # where nothing is appended or trained


@dataclass(frozen=True)
class Stack:
    """A running Belay: where its pages are and who can sign in."""

    url: str
    folder: Path
    passwords: Mapping[str, str]

    def person(self, username: str) -> Person:
        """Somebody signed in at the API."""
        return Person(self.url, username, self.passwords[username])


@contextmanager
def running(*, only: Sequence[str] = (), **variables: str) -> Iterator[Stack]:
    """Start Belay as `make up` does, in a folder that is removed afterwards; extra environment variables apply.

    `only` names the processes that the measurement needs, where it does not need them all. SIGTERM and SIGINT bring
    everything down, too.
    """
    with _ended_by_signals(), tempfile.TemporaryDirectory(prefix="belay-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "state"
        port = free_port(avoid=set())
        env = {name: value for name, value in os.environ.items() if name not in OUTSIDE}
        env |= {"BELAY_STATE_DIR": str(folder), **variables}
        command = [sys.executable, "-m", "webapp.embedded"]
        start = [*command, "up", "--port", str(port), *(["--only", *only] if only else [])]
        try:
            subprocess.run(start, cwd=ROOT, env=env, check=True, stdout=sys.stderr, start_new_session=True)
            yield Stack(f"http://127.0.0.1:{port}", folder, passwords(folder))
        finally:
            # In a session of its own: who presses Ctrl-C once more does not stop the stopping.
            stop = subprocess.Popen(
                [*command, "down", "--now"], cwd=ROOT, env=env, stdout=sys.stderr, start_new_session=True
            )
            _wait_for(stop)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGINT become an exception, so that what was begun is ended."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_for(process: "subprocess.Popen[bytes]") -> None:
    while process.returncode is None:
        with suppress(SystemExit):  # asked again; it is being done
            process.wait()


def passwords(folder: Path) -> dict[str, str]:
    """Sign-in names with the passwords that were generated for this folder."""
    lines = (folder / "passwords.txt").read_text().splitlines()
    return dict(line.split()[:2] for line in lines if line.strip() and not line.startswith("#"))
