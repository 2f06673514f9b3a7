"""Where episodes are played: numbered slots of one simulator each, in this process or in others (sandbox.fleet)."""

import time
from collections import deque
from typing import Protocol

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Task, Verification
from sandbox.pool import Pool
from sandbox.registry import Simulator
from sandbox.worker import Broken, Judged, Nonsense, Reply, Shown, checked, share


class Stage(Protocol):
    """Slots to play in. Each request is answered by one reply of `poll`, in whatever order the slots are ready."""

    slots: int

    def start(self, slot: int, task: Task) -> None:
        """Begin a task; answered by Shown, or Broken."""
        ...

    def act(self, slot: int, action: Action) -> None:
        """Do one action; answered by Shown, or Broken."""
        ...

    def judge(self, slot: int, answer: str) -> None:
        """Verify; answered by Judged, or Broken."""
        ...

    def poll(self, timeout_s: float) -> list[Reply]:
        """What is ready; waits for the first of it. After Broken a slot is free for the next task."""
        ...

    def suspects(self) -> int:
        """How many slots may hang: others can be played in their stead."""
        ...

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        ...

    def close(self) -> None:
        """End all; safe to repeat."""
        ...


class LocalStage:
    """Slots in this process: no copy and no wait, and nobody who could end a step that hangs."""

    def __init__(self, slots: int, *, pool: Pool | None = None) -> None:
        self.slots = slots
        self._pool = pool or Pool(slots)
        self._playing: dict[int, tuple[str, Simulator]] = {}
        self._ready: deque[Reply] = deque()
        self._counts = dict.fromkeys(("steps", "starts", "raised", "nonsense"), 0)

    def start(self, slot: int, task: Task) -> None:
        """See Stage."""
        base = task.environment.partition("?")[0]
        held = self._playing.get(slot)
        if held is None or held[0] != base:
            self._leave(slot)
            self._playing[slot] = (base, self._pool.take(task.environment))
        self._counts["starts"] += 1
        self._play(slot, lambda it: (None, it.reset(task)))

    def act(self, slot: int, action: Action) -> None:
        """See Stage."""
        self._counts["steps"] += 1
        self._play(slot, lambda it: it.act(action))

    def judge(self, slot: int, answer: str) -> None:
        """See Stage."""
        try:
            self._ready.append(Judged(slot, checked(self._playing[slot][1].verify(answer), Verification)))
        except Exception as problem:  # the edge: a simulator may raise anything, and the rest goes on
            self._break(slot, problem)

    def poll(self, timeout_s: float) -> list[Reply]:
        """See Stage; everything is ready at once."""
        ready = list(self._ready)
        self._ready.clear()
        return ready

    def suspects(self) -> int:
        """See Stage; what hangs here hangs us too."""
        return 0

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        return {f"stage_{name}": float(count) for name, count in self._counts.items()} | self._pool.metrics()

    def close(self) -> None:
        """See Stage."""
        for slot in tuple(self._playing):
            self._leave(slot)
        self._pool.close()

    def _play(self, slot: int, do: "Play") -> None:
        began = time.perf_counter()
        simulator = self._playing[slot][1]
        try:
            result, observation = do(simulator)
            elapsed_ms = (time.perf_counter() - began) * 1e3
            checked(observation, Observation)
            shown = Shown(slot, observation, result, share(simulator.progress()), simulator.harm(), elapsed_ms)
        except Exception as problem:  # the edge: a simulator may raise anything, and the rest goes on
            self._break(slot, problem)
        else:
            self._ready.append(shown)

    def _break(self, slot: int, problem: Exception) -> None:
        trouble = "nonsense" if isinstance(problem, Nonsense) else "raised"
        self._counts[trouble] += 1
        self._pool.discard(self._playing.pop(slot)[1])
        detail = f"{type(problem).__name__}: {problem}"[:300]
        self._ready.append(Broken(slot, "nonsense" if isinstance(problem, Nonsense) else "raised", detail))

    def _leave(self, slot: int) -> None:
        held = self._playing.pop(slot, None)
        if held is not None:
            self._pool.give_back(held[1])


class Play(Protocol):
    """What is done with a simulator in one step."""

    def __call__(self, simulator: Simulator, /) -> tuple[ActResult | None, Observation]:
        """Its result, where it has one, and what is seen then."""
        ...
