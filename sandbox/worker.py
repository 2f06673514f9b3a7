"""A process that plays simulators for another: it answers requests on a socket and interrupts a step that hangs."""

import gc
import importlib
import math
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Task, Verification
from sandbox.registry import Simulator

Trouble: TypeAlias = Literal["timed_out", "raised", "nonsense", "died", "bystander"]
T = TypeVar("T")
Make: TypeAlias = Callable[[str], Simulator]

MAX_FRAME = 64 * 1024 * 1024
_HEAD = 4  # bytes of a frame's length


class Hello(Struct, frozen=True, tag="hello"):
    """First of all: how simulators are made (`module:function`) and how long one step may take."""

    maker: str
    limit_s: float


class Start(Struct, frozen=True, tag="start"):
    """Play this task in a slot; answered by Shown."""

    slot: int
    task: Task


class Do(Struct, frozen=True, tag="do"):
    """One action; answered by Shown."""

    slot: int
    action: Action


class Judge(Struct, frozen=True, tag="judge"):
    """Verify; answered by Judged."""

    slot: int
    answer: str


class Drop(Struct, frozen=True, tag="drop"):
    """Forget the slot's simulator, it is broken; no answer."""

    slot: int


Request: TypeAlias = Hello | Start | Do | Judge | Drop


class Shown(Struct, frozen=True, tag="shown"):
    """What a slot shows. `result` is None after Start."""

    slot: int
    observation: Observation
    result: ActResult | None
    progress: float
    harm: tuple[str, ...]
    elapsed_ms: float


class Judged(Struct, frozen=True, tag="judged"):
    """What the verifier found."""

    slot: int
    verification: Verification


class Broken(Struct, frozen=True, tag="broken"):
    """The slot's simulator failed and is gone; the slot is free for another task."""

    slot: int
    trouble: Trouble
    detail: str = ""


Reply: TypeAlias = Shown | Judged | Broken

request_decoder = msgspec.msgpack.Decoder(Request)
reply_decoder = msgspec.msgpack.Decoder(Reply)
_encoder = msgspec.msgpack.Encoder()


def frame(message: Request | Reply) -> bytes:
    """A message as bytes with its length in front."""
    body = _encoder.encode(message)
    return len(body).to_bytes(_HEAD, "big") + body


class Frames:
    """Bytes in, whole messages' bodies out."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, received: bytes) -> Iterator[bytes]:
        """The bodies that are whole now. Raises ValueError for a length that no message has."""
        self._held += received
        while len(self._held) >= _HEAD:
            length = int.from_bytes(self._held[:_HEAD], "big")
            if length > MAX_FRAME:
                raise ValueError(f"a message of {length} bytes")
            if len(self._held) < _HEAD + length:
                return
            body = bytes(self._held[_HEAD : _HEAD + length])
            del self._held[: _HEAD + length]
            yield body


class Nonsense(ValueError):
    """A simulator answered with something that no simulator may answer."""


def checked(value: Any, type_: type[T]) -> T:
    """The value, which has this type. Raises Nonsense."""
    if not isinstance(value, type_):
        raise Nonsense(f"expected {type_.__name__}, found {type(value).__name__}")
    return value


def share(value: float) -> float:
    """A number within 0 and 1. Raises Nonsense."""
    if not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value <= 1):
        raise Nonsense(f"expected progress within 0 and 1, found {value!r}")
    return float(value)


class StepTimedOut(BaseException):
    """Raised in the middle of a step that takes too long; no Exception, so that few worlds swallow it."""


def calm_collector() -> None:
    """What is loaded by now stays for good, and playing makes much that dies young: the collector looks less often."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def find_maker(name: str) -> Make:
    """`module:function` -> the function that makes a simulator of an environment."""
    module, _, function = name.partition(":")
    found: Make = getattr(importlib.import_module(module), function)
    return found


def serve(connection: socket.socket) -> None:
    """Answer requests until the other side is gone."""
    worker = Worker(connection)
    frames = Frames()
    while received := connection.recv(1 << 16):
        for body in frames.feed(received):
            reply = worker.answer(request_decoder.decode(body))
            if reply is not None:
                connection.sendall(reply)


class Worker:
    """The simulators of one process, by slot."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._slots: dict[int, tuple[str, Simulator]] = {}
        self._make: Make | None = None
        self._limit_s = 1.0
        self._armed = False
        signal.signal(signal.SIGALRM, self._alarm)

    def answer(self, request: Request) -> bytes | None:
        """Do what is asked; the frame to send back, if any."""
        match request:
            case Hello(maker, limit_s):
                self._make, self._limit_s = find_maker(maker), limit_s
                return None
            case Drop(slot):
                self._slots.pop(slot, None)
                return None
            case Start(slot) | Do(slot) | Judge(slot):
                return self._guarded(request, slot)

    def _guarded(self, request: Start | Do | Judge, slot: int) -> bytes:
        try:
            with self._limited():
                return frame(self._played(request))
        except StepTimedOut:
            self._disarm()
            broken = Broken(slot, "timed_out", f"longer than {self._limit_s:g} s")
        except Nonsense as problem:
            broken = Broken(slot, "nonsense", str(problem)[:300])
        except Exception as problem:  # the edge of the worker: a simulator may raise anything, and the rest goes on
            broken = Broken(slot, "raised", f"{type(problem).__name__}: {problem}"[:300])
        self._slots.pop(slot, None)
        return frame(broken)

    def _played(self, request: Start | Do | Judge) -> Reply:
        began = time.perf_counter()
        slot, result = request.slot, None
        if isinstance(request, Start):
            simulator = self._warm(request.slot, request.task.environment)
            observation = simulator.reset(request.task)
        else:
            simulator = self._slots[slot][1]
            if isinstance(request, Judge):
                return Judged(slot, checked(simulator.verify(request.answer), Verification))
            answered = checked(simulator.act(request.action), tuple)
            if len(answered) != 2:
                raise Nonsense(f"expected a result and an observation, found {len(answered)} things")
            result, observation = checked(answered[0], ActResult), answered[1]
        elapsed_ms = (time.perf_counter() - began) * 1e3
        return Shown(
            slot,
            checked(observation, Observation),
            result,
            share(simulator.progress()),
            checked(simulator.harm(), tuple),
            elapsed_ms,
        )

    def _warm(self, slot: int, environment: str) -> Simulator:
        base = environment.partition("?")[0]
        held = self._slots.get(slot)
        if held is not None and held[0] == base:
            return held[1]
        if held is not None:
            held[1].close()
        if self._make is None:
            raise RuntimeError("Hello comes first")
        made = self._make(base)
        self._slots[slot] = (base, made)
        return made

    @contextmanager
    def _limited(self) -> Iterator[None]:
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, self._limit_s, 0.05)  # again and again, should a world swallow one
        try:
            yield
        finally:
            self._disarm()

    def _disarm(self) -> None:
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _alarm(self, *_: Any) -> None:
        if self._armed:
            raise StepTimedOut
