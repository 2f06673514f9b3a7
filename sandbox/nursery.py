"""A process that forks workers: it has imported what they need, so that a new one is ready in milliseconds."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

from sandbox.registry import registered
from sandbox.worker import calm_collector, find_maker, serve

_ROOT = Path(__file__).resolve().parent.parent
_READY = b"ready"
_ANSWER_S = 60.0  # a nursery that is silent for so long is gone


class NurseryLost(RuntimeError):
    """The process that forks workers is gone."""


class Nursery:
    """The parent's side. Workers end with their connection, with the nursery, or when killed.

    A process of its own forks, because the parent may hold threads, torch or Ray, and a fork of those is unsafe.
    """

    def __init__(self, maker: str) -> None:
        ours, theirs = socket.socketpair()
        argv = [sys.executable, "-m", "sandbox.nursery", str(theirs.fileno()), maker]
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(
                argv,
                pass_fds=[theirs.fileno()],
                env=os.environ | {"PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C at the terminal is for the parent
            )
        self._control = ours
        self._control.settimeout(_ANSWER_S)
        try:
            self._said()
        except NurseryLost:
            self.close()
            raise NurseryLost(f"no worker can be made by {maker}; its error stands on stderr") from None

    def fork(self) -> tuple[int, socket.socket]:
        """A new worker: its process id and our end of its connection. Raises NurseryLost."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b"fork"], [theirs.fileno()])
            except OSError:
                raise NurseryLost("the nursery is gone") from None
        return int(self._said()), ours

    def kill(self, pid: int) -> None:
        """End a worker at once. The nursery has not reaped it, so the number is still its own. Raises NurseryLost."""
        try:
            self._control.sendall(b"kill%d" % pid)
        except OSError:
            raise NurseryLost("the nursery is gone") from None
        self._said()

    def close(self) -> None:
        """End the nursery and every worker; safe to repeat."""
        self._control.close()
        self._process.wait()

    def _said(self) -> bytes:
        try:
            said = self._control.recv(64)
        except OSError:
            said = b""
        if not said:
            raise NurseryLost("the nursery is gone")
        return said


def run(control: socket.socket, maker: str) -> None:
    """The nursery's own side: fork and kill on request until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    find_maker(maker)
    registered()
    calm_collector()  # what is loaded now is shared by all workers; a collection must not copy it
    children: set[int] = set()
    control.sendall(_READY)
    while True:
        select.select([control], [], [])
        said, descriptors, _, _ = socket.recv_fds(control, 64, 1)
        _reap(children)
        if not said:
            break
        if said == b"fork":
            pid = os.fork()
            if pid == 0:
                control.close()
                _live(descriptors[0])
            os.close(descriptors[0])
            children.add(pid)
            control.sendall(b"%d" % pid)
        else:
            _end(int(said.removeprefix(b"kill")), children)
            control.sendall(b"done")
    for pid in tuple(children):
        _end(pid, children)


def _live(descriptor: int) -> None:
    """A worker's whole life; does not return."""
    status = 1
    try:
        with socket.socket(fileno=descriptor) as connection, contextlib.suppress(ConnectionError):
            serve(connection)
        status = 0
    finally:
        os._exit(status)  # nothing of the nursery is to be undone here


def _end(pid: int, children: set[int]) -> None:
    if pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        children.discard(pid)


def _reap(children: set[int]) -> None:
    """Let the dead go, so that no zombies gather."""
    for pid in tuple(children):
        if os.waitpid(pid, os.WNOHANG)[0]:
            children.discard(pid)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as parent:
        run(parent, sys.argv[2])
