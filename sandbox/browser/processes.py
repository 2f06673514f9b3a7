"""Processes that outlive their starter: named by pid and start time, ended with their whole group."""

import asyncio
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

_POLL_S = 0.01


class Process(Struct, frozen=True, forbid_unknown_fields=True):
    """One process for good: a pid alone may come to mean another process."""

    pid: int
    started: str  # as `started_at` says it

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        # A process that ended before its start could be read has "" there, as every pid that does not run.
        return self.started != "" and started_at(self.pid) == self.started


def started_at(pid: int) -> str:
    """When the process began, in the system's own words; "" where it does not run."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        return "" if fields[0] in "ZX" else fields[19]
    try:
        shown = subprocess.run(
            ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=5
        ).stdout.split(maxsplit=1)
    except subprocess.TimeoutExpired:
        return ""
    return "" if len(shown) < 2 or shown[0].startswith("Z") else shown[1].strip()


def start_detached(command: list[str], **options: Any) -> tuple[Process, "subprocess.Popen[bytes]"]:
    """Start a process as leader of its own session, so that it outlives this one and can be ended as a group."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.DEVNULL)
    running = subprocess.Popen(command, start_new_session=True, **options)
    return Process(running.pid, started_at(running.pid)), running


async def end_group(process: Process, *, patience_s: float = 0.0) -> None:
    """End a process and all of its group; safe to repeat, and blind to a stranger who has inherited the pid."""
    if process.is_alive and patience_s > 0:
        _signal_group(process.pid, signal.SIGTERM)
        await _gone(process, patience_s)
    if process.is_alive:
        _signal_group(process.pid, signal.SIGKILL)
        await _gone(process, 5.0)
    await _reap(process.pid, 2.0)


async def _reap(pid: int, limit_s: float) -> None:
    """Take note of a child's end, or it stays a zombie as long as we live; nothing where it was not our child."""
    deadline = time.monotonic() + limit_s
    with suppress(ChildProcessError):
        # A process with many threads reads as ended before the last of them is, and only then can be waited for.
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < deadline:  # noqa: ASYNC110, ASYNC222  # WNOHANG does not wait
            await asyncio.sleep(_POLL_S)


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


async def _gone(process: Process, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    # The system tells nobody but a parent when a process ends, and the parent may be dead.
    while process.is_alive and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(_POLL_S)
