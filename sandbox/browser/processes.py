"""Processes that outlive their starter: noted before they begin, known by pid and start time, ended as groups."""

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

NOTE = ".process"  # how the names of notes end
NOTED_AS = "BELAY_NOTED_AS"  # in a noted process's environment: its note, and then what goes with it
_POLL_S = 0.01
_REMOVALS = 100  # children of a killed process may write for an instant longer
# Waits for its starter to have written it down. Where that one dies first, the pipe ends and so does this.
_GATE = 'read -r _ && exec "$@"'


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


class Note(Struct, frozen=True, forbid_unknown_fields=True):
    """A process as it is written down, with what lies elsewhere and goes with it."""

    process: Process
    leaves: tuple[str, ...] = ()  # files and folders


def start_detached(
    command: Sequence[str], *, note: Path | None, leaves: Sequence[Path] = (), **options: Any
) -> tuple[Process, "subprocess.Popen[bytes]"]:
    """Start a process as leader of its own session, so that it outlives this one and can be ended as a group.

    `note` names a file in which it is written down before it begins: at no moment does it run unknown to
    `end_noted`, even where this process is killed. None is for what need not outlive its starter's folder.
    Raises FileNotFoundError where the note's folder has been removed meanwhile.
    """
    wanted = options.pop("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.DEVNULL)
    if note is None:
        running = subprocess.Popen(command, stdin=wanted, start_new_session=True, **options)
        return Process(running.pid, started_at(running.pid)), running
    gate = _GATE if wanted == subprocess.PIPE else f"{_GATE} </dev/null"
    argv = ["/bin/sh", "-c", gate, "sh", *command]
    environment = os.environ if options.get("env") is None else options["env"]
    options["env"] = {**environment, NOTED_AS: os.pathsep.join(map(str, (note, *leaves)))}
    running = subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True, **options)
    assert running.stdin is not None
    process = Process(running.pid, started_at(running.pid))
    try:
        write_private(note, msgspec.json.encode(Note(process, tuple(map(str, leaves)))))
        running.stdin.write(b"\n")
        running.stdin.flush()
    except BaseException:
        running.stdin.close()
        running.wait()
        raise
    if wanted != subprocess.PIPE:
        running.stdin.close()
    return process, running


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all, and on the disk before this returns."""
    draft = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


async def end_written(note: Path) -> None:
    """End the process that this note names; nothing where there is no such note."""
    for known in _read([note]):
        await end_group(known.process)


async def end_noted(folder: Path) -> None:
    """End all that was written down under this folder, remove what it left, and then the folder; safe to repeat."""
    notes = _read(folder.rglob(f"*{NOTE}"))  # noqa: ASYNC240  # local
    await asyncio.gather(*(end_group(note.process) for note in notes))
    for path in (*(Path(leaf) for note in notes for leaf in note.leaves), folder):
        await remove(path)


async def end_strays(folder: Path) -> list[int]:
    """End what was noted under a folder whose notes are gone, and remove what it left; the groups that were ended.

    A process says itself where it was noted: it carries that in its environment, as does all that it starts.
    """
    places = [(pid, said.split(os.pathsep)) for pid, said in _noted()]
    ours = [(pid, leaves) for pid, (note, *leaves) in places if Path(note).is_relative_to(folder)]
    groups: set[int] = set()
    for pid, _ in ours:
        with suppress(ProcessLookupError, PermissionError):
            groups.add(os.getpgid(pid))
    groups.discard(os.getpgrp())
    processes = [Process(pid, started_at(pid)) for pid in sorted({*groups, *(pid for pid, _ in ours)})]
    for group in groups:
        _signal_group(group, signal.SIGKILL)
    await asyncio.gather(*(_gone(each, 5.0) for each in processes))
    for path in {leaf for _, leaves in ours for leaf in leaves}:
        await remove(Path(path))
    return sorted(groups)


def _noted() -> Iterator[tuple[int, str]]:
    """Processes of this user that carry where they were noted, and that."""
    mark = f"{NOTED_AS}="
    if not Path("/proc/self/environ").exists():
        shown = subprocess.run(
            ["ps", "-axEwwo", "pid=,command="], capture_output=True, text=True, check=False, timeout=5
        )
        for line in shown.stdout.splitlines():
            if mark in line:
                yield int(line.split()[0]), line.partition(mark)[2].split(" ")[0]
        return
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            said = [each for each in (entry / "environ").read_bytes().split(b"\0") if each.startswith(mark.encode())]
            yield from ((int(entry.name), each.decode(errors="replace").partition("=")[2]) for each in said)


def _read(files: Iterable[Path]) -> list[Note]:
    notes = []
    for file in files:
        with suppress(FileNotFoundError):  # somebody else clears away the same folder
            notes.append(msgspec.json.decode(file.read_bytes(), type=Note))
    return notes


async def remove(path: Path) -> None:
    """Remove a file or a folder, also one that is still being written to; nothing where there is none."""
    for _ in range(_REMOVALS):
        if not path.is_dir():  # noqa: ASYNC240  # local
            path.unlink(missing_ok=True)  # noqa: ASYNC240  # local
            return
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():  # noqa: ASYNC240  # local
            return
        await asyncio.sleep(_POLL_S)


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
