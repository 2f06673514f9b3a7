"""A process that is to outlive its starter is written down before it begins, whatever happens to the starter."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.browser.processes import NOTE, Process, end_noted, end_strays, start_detached, started_at

# Dies, as by kill -9, when it has started the child and is about to write it down.
KILLED_STARTER = """
import os, signal, sys
from pathlib import Path
from sandbox.browser import processes
def die(path, content):
    print(content.decode(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
processes.write_private = die
folder = Path(sys.argv[1])
processes.start_detached(["/bin/sh", "-c", f"touch {folder}/ran; sleep 60"], note=folder / "child.process")
"""


def wait_until(is_so: Callable[[], bool]) -> None:
    """At most five seconds."""
    limit = time.monotonic() + 5
    while not is_so():
        assert time.monotonic() < limit, "it never came true"
        time.sleep(0.01)


def a_sleeper(folder: Path, name: str = "child", leaves: tuple[Path, ...] = ()) -> Process:
    """A process written down in the folder."""
    process, running = start_detached(["sleep", "60"], note=folder / f"{name}{NOTE}", leaves=leaves)
    running.returncode = 0  # nobody waits for it
    return process


def test_a_starter_killed_before_it_could_write_leaves_no_process(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", KILLED_STARTER, str(tmp_path)]
    killed = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    pid = int(killed.stdout.split('"pid":')[1].split(",")[0])
    wait_until(lambda: started_at(pid) == "")
    assert not (tmp_path / "ran").exists()


async def test_what_was_written_down_is_ended_with_all_it_left(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "session", tmp_path / "elsewhere"
    (folder / "world").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "profile").write_text("something")
    first, second = a_sleeper(folder, leaves=(elsewhere,)), a_sleeper(folder / "world")
    assert first.is_alive
    assert second.is_alive
    await end_noted(folder)
    await end_noted(folder)
    assert not first.is_alive
    assert not second.is_alive
    assert os.listdir(tmp_path) == []


async def test_a_stranger_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "session").mkdir()
    stranger = a_sleeper(tmp_path)
    (tmp_path / "session" / f"old{NOTE}").write_text(f'{{"process": {{"pid": {stranger.pid}, "started": "1"}}}}')
    await end_noted(tmp_path / "session")
    assert stranger.is_alive
    os.killpg(stranger.pid, signal.SIGKILL)


def test_nothing_starts_in_a_folder_that_was_cleared_away(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        a_sleeper(tmp_path / "gone")


def test_what_the_starter_writes_reaches_the_process(tmp_path: Path) -> None:
    process, running = start_detached(["cat"], note=tmp_path / "cat.process", stdin=-1, stdout=-1)
    said, _ = running.communicate(b"word\n", timeout=5)
    assert (said, running.returncode, process.is_alive) == (b"word\n", 0, False)


def test_notes_are_the_owners_alone(tmp_path: Path) -> None:
    process = a_sleeper(tmp_path)
    assert (tmp_path / "child.process").stat().st_mode & 0o777 == 0o600
    os.killpg(process.pid, signal.SIGKILL)


async def test_what_was_written_down_is_found_when_its_folder_is_gone(tmp_path: Path) -> None:
    sessions, elsewhere, neighbour = tmp_path / "sessions", tmp_path / "elsewhere", tmp_path / "sessions-of-another"
    for folder in (sessions / "7-1", elsewhere, neighbour):
        folder.mkdir(parents=True)
    ours, theirs = a_sleeper(sessions / "7-1", leaves=(elsewhere,)), a_sleeper(neighbour)
    shutil.rmtree(sessions)
    assert await end_strays(sessions) == [ours.pid]
    assert (ours.is_alive, theirs.is_alive, elsewhere.exists()) == (False, True, False)
    assert await end_strays(sessions) == []
    await end_noted(neighbour)
