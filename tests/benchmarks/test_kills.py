"""A race's steps are carried out as was decided, and a kill is counted where something was killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import crash, race
from benchmarks.stack import Stack
from webapp.embedded import processes
from webapp.embedded.state import prepare


@pytest.mark.parametrize(
    ("state", "decision", "winner", "times", "wrong"),
    [
        ("done", "approved", "approved", 1, ""),
        ("withdrawn", "approved", "approved", 0, ""),  # the page had changed
        ("decided", "approved", "approved", 0, "decided, dispatched 0 times"),
        ("done", "approved", "approved", 0, "done, dispatched 0 times"),
        ("done", "approved", "approved", 2, "done, dispatched 2 times"),
        ("withdrawn", "rejected", "rejected", 0, ""),
        ("withdrawn", "rejected", "rejected", 1, "withdrawn, dispatched 1 times"),
        ("done", "approved", "rejected", 1, "written down as approved"),
    ],
)
def test_what_was_approved_is_done_once_or_withdrawn_undone(
    state: str, decision: str, winner: str, times: int, wrong: str
) -> None:
    assert race.misdone({"state": state, "decision": decision}, winner, times) == wrong


def test_only_a_process_that_was_there_counts_as_killed(tmp_path: Path) -> None:
    stack, state = Stack("", tmp_path / "state", {}), prepare(tmp_path / "state")
    assert crash.kill(stack, "web", "the host is waiting") == []
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as program:
        processes.remember(state.pidfile("web"), program.pid)
        assert crash.kill(stack, "web", "the host is waiting") == ["web while the host is waiting"]
        assert program.wait(60) == -signal.SIGKILL
    assert crash.kill(stack, "web", "the host is waiting") == []
