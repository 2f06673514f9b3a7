"""A queue between those who play and those who learn, bounded by bytes: full means wait, and the stalest goes first."""

import heapq
import threading
from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")


class TooLarge(ValueError):
    """One item alone is larger than the buffer."""


class Held(Struct, Generic[T], frozen=True):
    """One item in the buffer."""

    item: T
    size: int  # bytes
    version: int  # of the policy that played it: the higher, the fresher


class ByteBuffer(Generic[T]):
    """Items with a size and a version. Safe for several threads.

    Producers ask `has_room` (or wait for it) and stand still between the high and the low mark. Who puts all the same
    is never blocked: the stalest items, by version and then by age, are dropped until all fits.
    """

    def __init__(self, limit_bytes: int, *, high: float = 0.8, low: float = 0.5) -> None:
        if limit_bytes <= 0 or not 0 < low <= high <= 1:
            raise ValueError(f"expected a positive size and 0 < low <= high <= 1: {limit_bytes}, {low}, {high}")
        self._limit = limit_bytes
        self._high, self._low = int(limit_bytes * high), int(limit_bytes * low)
        self._lock = threading.Condition()
        self._held: dict[int, Held[T]] = {}  # number of arrival -> item, in order of arrival
        self._stalest: list[tuple[int, int]] = []  # heap of (version, number); may name what is gone
        self._bytes = 0
        self._flows = True  # False between passing the high mark and falling to the low one
        self._counts = dict.fromkeys(("put", "taken", "dropped", "dropped_bytes", "paused"), 0)

    def put(self, item: T, *, size: int, version: int) -> tuple[Held[T], ...]:
        """Put one item in; what had to go for it, which may be the item itself. Raises TooLarge."""
        if size < 0:
            raise ValueError(f"expected a size of at least 0 bytes, found {size}")
        if size > self._limit:
            raise TooLarge(f"{size} bytes into a buffer of {self._limit}: raise its limit or send smaller parts")
        with self._lock:
            number = self._counts["put"]
            self._counts["put"] += 1
            self._held[number] = Held(item, size, version)
            heapq.heappush(self._stalest, (version, number))
            self._bytes += size
            gone = tuple(self._drop_stalest() for _ in iter(lambda: self._bytes <= self._limit, True))
            self._note_level()
            self._lock.notify_all()
            return gone

    def take(self, limit: int, *, timeout_s: float = 0.0, at_least: int = 1) -> list[Held[T]]:
        """Up to `limit` items in order of arrival. Waits for `at_least` so many; takes fewer when time is up."""
        with self._lock:
            self._lock.wait_for(lambda: len(self._held) >= at_least, timeout_s)
            numbers = list(self._held)[:limit]
            taken = [self._remove(number) for number in numbers]
            self._counts["taken"] += len(taken)
            self._note_level()
            self._lock.notify_all()
            return taken

    @property
    def has_room(self) -> bool:
        """Whether producers should go on."""
        with self._lock:
            return self._flows

    def wait_for_room(self, timeout_s: float) -> bool:
        """Stand still until producers should go on; False when time is up."""
        with self._lock:
            return self._lock.wait_for(lambda: self._flows, timeout_s)

    def drop_older_than(self, version: int) -> int:
        """Drop what an older policy played; how many."""
        with self._lock:
            stale = [number for number, held in self._held.items() if held.version < version]
            for number in stale:
                self._count_drop(self._remove(number))
            self._note_level()
            self._lock.notify_all()
            return len(stale)

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        with self._lock:
            now = {"items": len(self._held), "bytes": self._bytes, "limit_bytes": self._limit, "flows": self._flows}
            return {f"buffer_{name}": float(value) for name, value in (now | self._counts).items()}

    def _drop_stalest(self) -> Held[T]:
        _, number = heapq.heappop(self._stalest)
        while number not in self._held:
            _, number = heapq.heappop(self._stalest)
        return self._count_drop(self._remove(number))

    def _count_drop(self, held: Held[T]) -> Held[T]:
        self._counts["dropped"] += 1
        self._counts["dropped_bytes"] += held.size
        return held

    def _remove(self, number: int) -> Held[T]:
        held = self._held.pop(number)
        self._bytes -= held.size
        if len(self._stalest) > 2 * len(self._held) + 64:  # mostly names of what is gone
            self._stalest = [(each.version, known) for known, each in self._held.items()]
            heapq.heapify(self._stalest)
        return held

    def _note_level(self) -> None:
        if self._flows and self._bytes > self._high:
            self._flows = False
            self._counts["paused"] += 1
        elif not self._flows and self._bytes <= self._low:
            self._flows = True
