"""Processes that outlive their starter: found again by pid and start time, ended with their whole group."""

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from webapp.embedded.failures import SetUpFailed

LOG_LIMIT = 16 * 1024 * 1024  # bytes; a longer log is set aside at the next start
POLL_S = 0.02


@dataclass(frozen=True)
class Identity:
    """One process for good: a pid alone may come to mean another process."""

    pid: int
    started: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        return started_at(self.pid) == self.started


def started_at(pid: int) -> str | None:
    """When the process began, in the system's own words; None where it does not run."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] in "ZX" else fields[19]
    answer = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, begun = answer.stdout.strip().partition(" ")
    return None if not begun or state.startswith("Z") else begun.strip()


def read(pidfile: Path) -> Identity | None:
    """The process this file names if it still runs."""
    try:
        identity = Identity(**json.loads(pidfile.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return identity if identity.is_alive else None


def remember(pidfile: Path, pid: int) -> Identity:
    """Write down a running process, whole or not at all."""
    identity = Identity(pid=pid, started=started_at(pid) or "")
    write_private(pidfile, json.dumps(asdict(identity)))
    return identity


def write_private(path: Path, text: str) -> None:
    """Replace a file that only its owner may read, in one step."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)


def spawn(
    argv: Sequence[str],
    *,
    pidfile: Path,
    log: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    uid: int | None = None,
    gid: int | None = None,
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a process in its own session, its words going to a log file, its name to a pidfile."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".1.log"))
    with log.open("ab") as words:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=env,
            cwd=cwd,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
            pass_fds=pass_fds,
        )
    remember(pidfile, child.pid)
    return child


def end(pidfile: Path, *, sign: signal.Signals = signal.SIGTERM, patience_s: float = 10.0) -> bool:
    """Ask the process to stop, then end its whole group; True if one was running."""
    identity = read(pidfile)
    if identity is not None:
        with suppress(ProcessLookupError):
            os.kill(identity.pid, sign)
        wait_until(lambda: not identity.is_alive, timeout_s=patience_s)
        # Whoever is left in its group (or the stubborn leader itself) has had its time.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(identity.pid, signal.SIGKILL)
        wait_until(lambda: not identity.is_alive, timeout_s=5.0)
    pidfile.unlink(missing_ok=True)
    return identity is not None


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> bool:
    """Ask again and again, briefly; False if it never came true."""
    limit = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(POLL_S)
    return True


def wait_ready(name: str, child: "subprocess.Popen[bytes]", ready: Callable[[], bool], *, log: Path) -> None:
    """Wait for a server that was just started, or say how it failed."""
    wait_until(lambda: child.poll() is not None or ready(), timeout_s=60.0)
    if child.poll() is not None or not ready():
        fate = "still silent after 60 s" if child.poll() is None else f"ended with code {child.returncode}"
        raise SetUpFailed(f"{name} did not start ({fate}). Its last words, from {log}:\n{tail(log)}")
    # It is meant to outlive us: without this, Python warns of a child never waited for.
    child.returncode = 0


def wait_found(name: str, identity: Identity, ready: Callable[[], bool], *, log: Path) -> None:
    """Wait for a server that runs already: whoever started it may have died before it was ready."""
    wait_until(lambda: ready() or not identity.is_alive, timeout_s=60.0)
    if not ready():
        raise SetUpFailed(f"{name} runs but does not answer. Its last words, from {log}:\n{tail(log)}")


def tail(log: Path, *, lines: int = 8) -> str:
    """The end of a log, for a sentence of failure."""
    if not log.exists():
        return "(nothing)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) or "(nothing)"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time start or stop what this folder holds."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
