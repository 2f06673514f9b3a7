"""Slots in worker processes under a watchdog: what hangs, dies or talks nonsense is replaced, and the rest goes on."""

import contextlib
import selectors
import socket
import time
from collections import deque
from dataclasses import dataclass, field

import msgspec

from sandbox.contracts.actions import Action
from sandbox.contracts.tasks import Task
from sandbox.nursery import Nursery
from sandbox.worker import (
    Broken,
    Do,
    Drop,
    Frames,
    Hello,
    Judge,
    Judged,
    Nonsense,
    Reply,
    Request,
    Shown,
    Start,
    Trouble,
    frame,
    reply_decoder,
    share,
)

REGISTRY = "sandbox.pool:from_registry"
_FORGETS = 0.02  # the weight of the newest step in what is usual
_SHORTEST_SUSPICION_S = 0.05  # a process may wait so long for its turn
_COUNTS = ("steps", "starts", "forks", "timed_out", "raised", "nonsense", "died", "bystander", "recovered")


@dataclass
class _Worker:
    """One process; requests are answered in order, so that the first asked is the one it works on."""

    pid: int
    connection: socket.socket
    first_slot: int
    frames: Frames = field(default_factory=Frames)
    asked: deque[Request] = field(default_factory=deque)
    heard: float = 0.0  # when it last said something, or was given work while idle
    started: set[int] = field(default_factory=set)  # slots that hold a simulator


class Fleet:
    """`workers` processes of `slots_per_worker` simulators each. For one thread.

    A step over `limit_s` is interrupted from within and costs its own slot alone. Where that does not help (a loop
    that swallows the interrupt, a call that lets no signal through, a process that died), the worker is killed and
    forked anew; slots that shared it are answered by Broken("bystander"). No request is ever left without a reply.
    """

    def __init__(
        self,
        workers: int,
        *,
        slots_per_worker: int = 1,
        limit_s: float = 5.0,
        grace_s: float = 0.5,
        suspect_s: float | None = None,
        maker: str = REGISTRY,
    ) -> None:
        if workers < 1 or slots_per_worker < 1 or limit_s <= 0:
            raise ValueError(
                f"expected at least one worker, one slot and a limit: {workers, slots_per_worker, limit_s}"
            )
        self.slots = workers * slots_per_worker
        self._per_worker = slots_per_worker
        self._hello = Hello(maker, limit_s)
        self._patience_s = limit_s + grace_s
        self._suspect_s = suspect_s
        self._longest_unsuspected_s = limit_s / 5
        self._usual_s = 0.0  # that a step takes, by a mean that forgets
        self._counts = dict.fromkeys(_COUNTS, 0)
        self._broken: dict[int, float] = {}  # slot -> seconds that its replacement took
        self._asked_again: dict[int, float] = {}  # slot -> when the next task was asked of it
        self._recovery_s = [0.0, 0.0]  # sum, longest
        self._ready: list[Reply] = []
        self._selector = selectors.DefaultSelector()
        self._nursery = Nursery(maker)
        self._workers = [self._fork(number * slots_per_worker) for number in range(workers)]

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers now."""
        return [worker.pid for worker in self._workers]

    def start(self, slot: int, task: Task) -> None:
        """See Stage."""
        self._counts["starts"] += 1
        self._worker_of(slot).started.add(slot)
        if slot in self._broken:
            self._asked_again[slot] = time.monotonic()
        self._ask(slot, Start(slot, task))

    def act(self, slot: int, action: Action) -> None:
        """See Stage."""
        self._counts["steps"] += 1
        self._ask(slot, Do(slot, action))

    def judge(self, slot: int, answer: str) -> None:
        """See Stage."""
        self._ask(slot, Judge(slot, answer))

    def poll(self, timeout_s: float) -> list[Reply]:
        """See Stage."""
        until = time.monotonic() + timeout_s
        self._hear(0.0)  # what lies ready is taken before anybody is judged: it may be us who were away
        self._judge_silent()
        while not self._ready:
            now = time.monotonic()
            if now >= until:
                break
            patience = min((w.heard + self._patience_s for w in self._workers if w.asked), default=until)
            self._hear(max(min(until, patience) - now, 0.001))
            self._judge_silent()
        ready, self._ready = self._ready, []
        return ready

    def suspects(self) -> int:
        """Slots silent for `suspect_s`: they may hang. Where it is not given, four times what a step usually takes."""
        now = time.monotonic()
        usual = min(max(4 * self._usual_s, _SHORTEST_SUSPICION_S), self._longest_unsuspected_s)
        patience_s = usual if self._suspect_s is None else self._suspect_s
        silent = (worker for worker in self._workers if worker.asked and now - worker.heard > patience_s)
        return sum(len(worker.started) for worker in silent)

    def metrics(self) -> dict[str, float]:
        """Counters by name; recovery is the time to replace what is broken and to show the slot's next first screen."""
        total, longest = self._recovery_s
        more = {
            "workers": len(self._workers),
            "busy": sum(bool(worker.asked) for worker in self._workers),
            "recovery_mean_s": total / max(self._counts["recovered"], 1),
            "recovery_longest_s": longest,
        }
        return {f"stage_{name}": float(value) for name, value in (self._counts | more).items()}

    def close(self) -> None:
        """See Stage."""
        for worker in self._workers:
            worker.connection.close()
        self._selector.close()
        self._nursery.close()

    def _worker_of(self, slot: int) -> _Worker:
        return self._workers[slot // self._per_worker]

    def _fork(self, first_slot: int) -> _Worker:
        pid, connection = self._nursery.fork()
        connection.settimeout(self._patience_s)
        worker = _Worker(pid, connection, first_slot)
        connection.sendall(frame(self._hello))
        self._selector.register(connection, selectors.EVENT_READ, first_slot // self._per_worker)
        self._counts["forks"] += 1
        return worker

    def _ask(self, slot: int, request: Request) -> None:
        worker = self._worker_of(slot)
        if not worker.asked:
            worker.heard = time.monotonic()
        worker.asked.append(request)
        try:
            worker.connection.sendall(frame(request))
        except OSError:  # it died, or has not read for long
            self._replace(worker, "died", "the worker takes no more requests")

    def _hear(self, timeout_s: float) -> None:
        for key, _ in self._selector.select(timeout_s):
            worker = self._workers[key.data]
            try:
                received = worker.connection.recv(1 << 20, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError:
                received = b""
            if not received:
                self._replace(worker, "died", "the process ended")
                continue
            worker.heard = time.monotonic()
            try:
                for body in worker.frames.feed(received):
                    self._take(worker, body)
            except ValueError as problem:
                self._replace(worker, "nonsense", str(problem))

    def _take(self, worker: _Worker, body: bytes) -> None:
        if not worker.asked:
            raise ValueError("an answer that nobody asked for")
        request = worker.asked.popleft()
        slot = getattr(request, "slot", -1)
        reply: Reply
        try:
            reply = reply_decoder.decode(body)
            _check(request, reply)
        except (msgspec.DecodeError, Nonsense) as problem:
            reply = Broken(slot, "nonsense", str(problem)[:300])
            with contextlib.suppress(OSError):  # its death will be heard
                worker.connection.sendall(frame(Drop(slot)))
        if isinstance(reply, Shown):
            self._usual_s += (reply.elapsed_ms / 1e3 - self._usual_s) * _FORGETS
        if isinstance(reply, Broken):
            worker.started.discard(slot)
            self._note_fault(reply)
        elif isinstance(request, Start):
            self._note_recovery(slot)
        self._ready.append(reply)

    def _judge_silent(self) -> None:
        now = time.monotonic()
        for worker in self._workers:
            if worker.asked and now - worker.heard > self._patience_s:
                self._replace(worker, "timed_out", f"no sign of life for {self._patience_s:g} s; killed")

    def _replace(self, worker: _Worker, trouble: Trouble, detail: str) -> None:
        """Kill a worker and fork another; who was asked first is at fault, its neighbours are bystanders."""
        began = time.monotonic()
        asked = [getattr(request, "slot", -1) for request in worker.asked]
        culprit = asked[0] if asked else -1
        self._selector.unregister(worker.connection)
        worker.connection.close()
        self._nursery.kill(worker.pid)
        self._workers[worker.first_slot // self._per_worker] = self._fork(worker.first_slot)
        for slot in sorted(worker.started | {*asked}):
            at_fault = slot == culprit or culprit < 0
            broken = Broken(slot, trouble if at_fault else "bystander", detail)
            self._note_fault(broken, time.monotonic() - began)
            self._ready.append(broken)

    def _note_fault(self, broken: Broken, replacing_s: float = 0.0) -> None:
        self._counts[broken.trouble] += 1
        self._broken[broken.slot] = replacing_s

    def _note_recovery(self, slot: int) -> None:
        if slot in self._broken and slot in self._asked_again:
            took = self._broken.pop(slot) + time.monotonic() - self._asked_again.pop(slot)
            self._counts["recovered"] += 1
            self._recovery_s = [self._recovery_s[0] + took, max(self._recovery_s[1], took)]


def _check(request: Request, reply: Reply) -> None:
    """Raises Nonsense where a reply is none to the request."""
    if reply.slot != getattr(request, "slot", -1):
        raise Nonsense(f"an answer for slot {reply.slot} to {request}")
    if isinstance(reply, Broken):
        return
    if not isinstance(reply, Judged if isinstance(request, Judge) else Shown):
        raise Nonsense(f"{type(reply).__name__} to {type(request).__name__}")
    if isinstance(reply, Shown):
        share(reply.progress)
