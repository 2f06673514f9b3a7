"""The supervisor starts the fallen again, ends what a killed one left, and gives way to a stop."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.browser.processes import start_detached
from webapp.embedded import SetUpFailed, processes, supervisor
from webapp.embedded.__main__ import choose_port, end_sessions, wanted_port
from webapp.embedded.state import State, prepare

SLEEPER = "import time; time.sleep(600)"
CODE = """
import os, sys
from pathlib import Path
from webapp.embedded import supervisor
from webapp.embedded.state import prepare
supervisor.commands = lambda port: {"web": [sys.executable, "-c", sys.argv[2]]}
supervisor.Supervisor(prepare(Path(sys.argv[1])), supervisor.commands(0), env=os.environ).run()
"""


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """A folder without servers."""
    state = prepare(tmp_path)
    yield state
    processes.end(state.pidfile("test-supervisor"))
    supervisor.end_children(state)


def supervise(state: State, child: str = SLEEPER) -> "subprocess.Popen[bytes]":
    """A real supervisor over one child."""
    argv = [sys.executable, "-c", CODE, str(state.folder), child]
    log = state.log("test-supervisor")
    return processes.spawn(argv, pidfile=state.pidfile("test-supervisor"), log=log)


def web(state: State, *, other_than: int = 0) -> processes.Identity:
    """The child, once it runs."""
    found: dict[str, processes.Identity] = {}

    def runs() -> bool:
        identity = processes.read(state.pidfile("web"))
        found.update({"web": identity} if identity and identity.pid != other_than else {})
        return "web" in found

    assert processes.wait_until(runs, timeout_s=20), processes.tail(state.log("test-supervisor"))
    return found["web"]


def test_a_killed_child_is_started_again(state: State) -> None:
    supervise(state)
    first = web(state)
    os.kill(first.pid, signal.SIGKILL)
    second = web(state, other_than=first.pid)
    assert second.is_alive
    assert "web ended with code -9; starting it again in 0.5 s" in state.log("test-supervisor").read_text()


def test_a_child_that_cannot_live_is_tried_less_and_less_often(state: State) -> None:
    supervise(state, "raise SystemExit(7)")
    log = state.log("test-supervisor")
    assert processes.wait_until(lambda: "again in 2 s" in processes.tail(log, lines=20), timeout_s=20)
    assert [f"again in {pause} s" in log.read_text() for pause in ("0.5", "1", "2")] == [True, True, True]


def test_a_stop_ends_the_children(state: State) -> None:
    parent = supervise(state)
    child = web(state)
    parent.send_signal(signal.SIGTERM)
    assert parent.wait(timeout=20) == 0
    assert not child.is_alive


def test_children_of_a_killed_supervisor_are_ended_by_the_next(state: State) -> None:
    parent = supervise(state)
    orphan = web(state)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert orphan.is_alive
    supervise(state)
    assert web(state, other_than=orphan.pid).is_alive
    assert not orphan.is_alive


def test_a_stubborn_child_is_ended_with_its_group(state: State) -> None:
    code = (
        "import signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"print(subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]).pid, flush=True); signal.pause()"
    )
    argv = [sys.executable, "-c", code]
    processes.spawn(argv, pidfile=state.pidfile("web"), log=state.log("web")).returncode = 0
    assert processes.wait_until(lambda: processes.tail(state.log("web")).isdecimal(), timeout_s=20)
    grandchild = int(processes.tail(state.log("web")))
    assert processes.end(state.pidfile("web"), patience_s=0.2)
    assert processes.wait_until(lambda: processes.started_at(grandchild) is None, timeout_s=5)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_wanted_port_in_use_is_a_clear_sentence(state: State, taken: int) -> None:
    with pytest.raises(SetUpFailed, match=f"Port {taken} is taken by another program. Stop it, or run `make up PORT="):
        choose_port(state, taken)


def test_last_times_port_is_left_when_it_is_taken(state: State, taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    (state.folder / "port").write_text(str(taken))
    chosen = choose_port(state, 0)
    assert chosen != taken
    assert f"Port {taken} is in use by another program; the pages are on port {chosen}" in capsys.readouterr().out


@pytest.mark.parametrize("port", ["http", "-1", "70000", "99999999", "٣٤", "8000 "])
def test_a_nonsense_port_is_refused(port: str) -> None:
    with pytest.raises(SetUpFailed, match="The port must be a number between 1 and 65535, not '"):
        wanted_port(port)


def test_a_nonsense_port_on_the_command_line_is_one_sentence(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "webapp.embedded", "up", "--port", "99999999"]
    env = {**os.environ, "BELAY_STATE_DIR": str(tmp_path / "state")}
    answer = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    assert answer.stderr == "\nThe port must be a number between 1 and 65535, not '99999999'.\n"
    assert (answer.returncode, (tmp_path / "state").exists()) == (1, False)


def test_going_down_ends_what_outlives_its_host(state: State) -> None:
    folder = state.folder / "sessions" / "7-1"
    folder.mkdir(parents=True)
    console, running = start_detached(["sleep", "60"], note=folder / "console.process")
    running.returncode = 0  # nobody waits for it
    asyncio.run(end_sessions(state))
    assert not console.is_alive
    assert not folder.exists()


def test_going_down_ends_what_has_lost_its_folder(state: State) -> None:
    folder = state.folder / "sessions" / "7-1"
    folder.mkdir(parents=True)
    browser, running = start_detached(["sleep", "60"], note=folder / "browser.process")
    running.returncode = 0  # nobody waits for it
    shutil.rmtree(state.folder / "sessions")
    asyncio.run(end_sessions(state))
    assert not browser.is_alive
