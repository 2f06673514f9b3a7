"""Keeps Belay's own processes running: web, Celery worker, beat, session host, training worker.

`python -m webapp.embedded supervise --port N` is started by `up` in a session of its own and stopped by `down`.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from webapp.embedded import processes, servers
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State

NAME = "supervisor"
ROOT = Path(__file__).resolve().parents[2]
LOOK_S = 0.5
PATIENCE_S = 10.0
STAMP = "%Y-%m-%d %H:%M:%S"
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0  # a child that ran this long has earned a fresh start of the back-off


def commands(port: int, *, only: Collection[str] | None = None) -> dict[str, list[str]]:
    """What to run, or some of it, in the order in which it is started."""
    celery = [sys.executable, "-m", "celery", "-A", "webapp.celery"]
    every = {
        "web": [
            *(sys.executable, "-m", "uvicorn", "webapp.asgi:application", "--host", HOST, "--port", str(port)),
            *("--no-access-log", "--timeout-graceful-shutdown", "3"),
        ],
        "worker": [*celery, "worker", "-Q", "celery", "-c", "1", "-n", "worker@%h", "--loglevel", "INFO"],
        "trainer": [
            *(*celery, "worker", "-Q", "training,training-gpu", "-c", "1", "-n", "trainer@%h"),
            *("--loglevel", "INFO"),
        ],
        "beat": [*celery, "beat", "--pidfile=", "--loglevel", "INFO"],
        "session-host": [sys.executable, "manage.py", "session_host"],
    }
    return {name: argv for name, argv in every.items() if not only or name in only}


@dataclass
class Child:
    """One process to keep running."""

    name: str
    argv: list[str]
    process: "subprocess.Popen[bytes] | None" = None
    began: float = 0.0
    failures: int = 0
    not_before: float = field(default=0.0)


class Supervisor:
    """Starts children, starts the fallen again, ends them all."""

    def __init__(self, state: State, children: Mapping[str, list[str]], *, env: Mapping[str, str]) -> None:
        self._state = state
        self._env = dict(env)
        self._children = [Child(name, argv) for name, argv in children.items()]
        self._stopping = threading.Event()

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        end_children(self._state)  # what a killed supervisor left: ours to end, as we cannot wait for it
        while not self._stopping.wait(LOOK_S):
            self._look_after_servers()
            for child in self._children:
                self._look_after(child)
        end_children(self._state)

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is not None and child.process.poll() is not None:
            child.failures = 1 if now - child.began > STEADY_S else child.failures + 1
            pause_s = min(LONGEST_PAUSE_S, 0.5 * 2 ** (child.failures - 1))
            child.not_before = now + pause_s
            say(f"{child.name} ended with code {child.process.returncode}; starting it again in {pause_s:g} s")
            child.process = None
        if child.process is None and now >= child.not_before:
            child.began = now
            child.process = processes.spawn(
                child.argv,
                pidfile=self._state.pidfile(child.name),
                log=self._state.log(child.name),
                env=self._env,
                cwd=ROOT,
            )

    def _look_after_servers(self) -> None:
        variables = servers.recorded(self._state.folder)
        if servers.are_alive(self._state.folder, variables):
            return
        say("a server ended; starting it again")
        try:
            servers.start(self._state.folder, given=self._env)
        except SetUpFailed as failure:
            say(str(failure))


def end_children(state: State, *, sign: signal.Signals = signal.SIGTERM) -> None:
    """End whatever of the processes above runs in this folder: all are asked at once, then given their time."""
    pidfiles = [state.pidfile(name) for name in commands(0)]
    for pidfile in pidfiles:
        identity = processes.read(pidfile)
        if identity is not None:
            with suppress(ProcessLookupError):
                os.kill(identity.pid, sign)
    limit = time.monotonic() + PATIENCE_S
    for pidfile in pidfiles:
        processes.end(pidfile, patience_s=max(0.1, limit - time.monotonic()))


def falls(state: State, name: str, *, since: float) -> int:
    """How often this child has ended by itself since then (seconds since the epoch), as the supervisor's log says."""
    log = state.log(NAME)
    lines = log.read_text(errors="replace").splitlines()[-200:] if log.exists() else []
    moment = time.strftime(STAMP, time.localtime(since))
    return sum(line[:19] >= moment and line[20:].startswith(f"{name} ended with code ") for line in lines)


def say(sentence: str) -> None:
    """A line in the supervisor's log."""
    print(f"{time.strftime(STAMP)} {sentence}", flush=True)
