"""Warm simulators: one that is given back is reset for the next task, not built again."""

from collections.abc import Callable
from typing import TypeAlias

from sandbox.registry import Simulator, find_environment
from sandbox.variants import parse

Make: TypeAlias = Callable[[str], Simulator]


class PoolEmpty(RuntimeError):
    """As many simulators are in use as the pool may hold."""


def from_registry(environment_id: str) -> Simulator:
    """A new simulator of a registered environment. Raises UnknownEnvironment, NoSuchFace."""
    return find_environment(environment_id).simulator()


class Pool:
    """Simulators by environment, at most `limit` alive. For one thread.

    Any simulator of an environment can be reset to any of its variants: what is kept warm is the environment.
    """

    def __init__(self, limit: int, *, make: Make = from_registry) -> None:
        if limit < 1:
            raise ValueError(f"expected room for at least one simulator, found {limit}")
        self._limit = limit
        self._make = make
        self._idle: list[tuple[str, Simulator]] = []  # coldest first
        self._used: dict[int, tuple[str, Simulator]] = {}
        self._counts = dict.fromkeys(("made", "reused", "evicted", "discarded"), 0)

    def take(self, environment_id: str) -> Simulator:
        """A simulator that can play this variant; reset it before use. Raises PoolEmpty."""
        base = parse(environment_id)[0]
        for place in range(len(self._idle) - 1, -1, -1):  # the warmest first
            if self._idle[place][0] == base:
                self._counts["reused"] += 1
                return self._lend(*self._idle.pop(place))
        if len(self._used) >= self._limit:
            raise PoolEmpty(f"all {self._limit} simulators are in use: give one back, or raise the limit")
        if len(self._used) + len(self._idle) >= self._limit:
            self._counts["evicted"] += 1
            self._idle.pop(0)[1].close()
        made = self._make(base)
        self._counts["made"] += 1
        return self._lend(base, made)

    def give_back(self, simulator: Simulator) -> None:
        """Keep it warm for the next task. Raises KeyError where it was not taken from here."""
        self._idle.append(self._used.pop(id(simulator)))

    def discard(self, simulator: Simulator) -> None:
        """It is broken: the pool forgets it without touching it. Raises KeyError where it was not taken from here."""
        del self._used[id(simulator)]
        self._counts["discarded"] += 1

    def close(self) -> None:
        """Close what is idle; what is in use stays its user's."""
        while self._idle:
            self._idle.pop()[1].close()

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        now = {"live": len(self._used) + len(self._idle), "used": len(self._used), "limit": self._limit}
        return {f"pool_{name}": float(value) for name, value in (now | self._counts).items()}

    def _lend(self, base: str, simulator: Simulator) -> Simulator:
        self._used[id(simulator)] = (base, simulator)
        return simulator
