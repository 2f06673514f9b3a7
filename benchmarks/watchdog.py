"""Throughput of a fleet of simulators of which 5 % of the steps hang, die, raise or answer nonsense."""

import os
import random
import signal
import time
from typing import Any

from benchmarks import Result
from sandbox.contracts.actions import Action, ActResult, Click
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Task, Verification
from sandbox.episode import Turn
from sandbox.fleet import Fleet
from sandbox.levels import Deck
from sandbox.orchestrator import Orchestrator
from sandbox.pool import from_registry
from sandbox.registry import Simulator, find_environment
from sandbox.worker import Shown

ENVIRONMENT = "workbench"
PLAYING, SPARES = 16, 24
SHARE = 0.05
STEP_S = 0.02  # that a step waits beside its own work, as one of a browser or a server does
LIMIT_S, GRACE_S = 1.0, 0.3
ROUNDS = 5
STEPS = 20_000
QUICK_STEPS = 3_000


def run(quick: bool) -> Result:
    """Undisturbed and disturbed in turn, round by round, so that what else the machine does meets both alike."""
    steps = QUICK_STEPS if quick else STEPS
    still, disturbed = Player("benchmarks.watchdog:calm"), Player("benchmarks.watchdog:stormy")
    try:
        for _ in range(ROUNDS):
            still.play(steps // ROUNDS)
            disturbed.play(steps // ROUNDS)
        alive, metrics = disturbed.alive(), disturbed.orchestra.metrics()
    finally:
        still.orchestra.close()
        disturbed.orchestra.close()
    share = disturbed.speed / still.speed
    workers, longest = PLAYING + SPARES, metrics["stage_recovery_longest_s"]
    faults = {name: int(metrics[f"stage_{name}"]) for name in ("timed_out", "died", "raised", "nonsense")}
    print(f"undisturbed {still.speed:8.0f} steps/s, {PLAYING} slots in play, a step waits {STEP_S * 1e3:.0f} ms")
    print(f"disturbed   {disturbed.speed:8.0f} steps/s, {share:.1%} of the undisturbed, {SPARES} spares")
    print(f"faults      {sum(faults.values())} of {steps} steps: {faults}")
    print(f"recovery    mean {metrics['stage_recovery_mean_s']:.3f} s, longest {longest:.3f} s")
    print(f"workers     {alive} of {workers} alive at the end, {metrics['stage_forks'] - workers:.0f} forked anew")
    return Result(
        value=round(share, 3),
        unit="of the undisturbed throughput",
        bar=">= 0.80, no worker lost, each recovery <= 2 s",
        holds=share >= 0.80 and alive == workers and longest <= 2.0,
        n=steps,
    )


class Player:
    """An orchestra that is played with random clicks, for a number of steps at a time."""

    def __init__(self, maker: str) -> None:
        self.fleet = Fleet(PLAYING + SPARES, limit_s=LIMIT_S, grace_s=GRACE_S, maker=maker)
        deck = Deck.of([find_environment(ENVIRONMENT)], seed=1)
        self.orchestra = Orchestrator(self.fleet, deck, playing=PLAYING)
        self._rng = random.Random(2)  # noqa: S311  # not a secret
        self._seconds = 0.0
        self._waiting: list[Turn] = []

    @property
    def speed(self) -> float:
        """Steps a second, those that failed included."""
        return self.orchestra.metrics()["orchestrator_steps"] / self._seconds

    def play(self, steps: int) -> None:
        """So many more steps, then stand still: what hangs is waited for without the clock."""
        began, done = time.perf_counter(), 0
        while done < steps:
            for turn in self._waiting:
                self.orchestra.act(turn.slot, Click(self._rng.choice(turn.observation.elements).ref))
            done += len(self._waiting)
            self._waiting = self._heard(5.0)
        self._seconds += time.perf_counter() - began
        while self.fleet.metrics()["stage_busy"]:
            self._waiting += self._heard(0.0)

    def alive(self) -> int:
        """How many workers answer now."""
        task = self.orchestra.deck.task(self.orchestra.deck.deal())
        missing = set(range(self.fleet.slots))
        until = time.monotonic() + 20
        for slot in missing:
            self.fleet.start(slot, task)
        while missing and time.monotonic() < until:
            for reply in self.fleet.poll(1):
                if isinstance(reply, Shown):
                    missing.discard(reply.slot)
                else:
                    self.fleet.start(reply.slot, task)
        return self.fleet.slots - len(missing)

    def _heard(self, timeout_s: float) -> list[Turn]:
        return [turn for turn in self.orchestra.turns(timeout_s) if not turn.end]


class Faulty:
    """A simulator of which some steps fail."""

    def __init__(self, inner: Simulator, *, faulty: bool) -> None:
        self._inner = inner
        self._rng = random.Random(os.getpid() * 7919 + time.monotonic_ns()) if faulty else None  # noqa: S311

    def reset(self, task: Task) -> Observation:
        """As the inner one."""
        return self._inner.reset(task)

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """As the inner one, a little later; or a fault."""
        if self._rng is not None and self._rng.random() < SHARE:
            answer: tuple[ActResult, Observation] = _FAULTS[self._rng.randrange(len(_FAULTS))](self._inner)
            return answer
        time.sleep(STEP_S)
        return self._inner.act(action)

    def verify(self, answer: str) -> Verification:
        """As the inner one."""
        return self._inner.verify(answer)

    def progress(self) -> float:
        """As the inner one."""
        return self._inner.progress()

    def harm(self) -> tuple[str, ...]:
        """As the inner one."""
        return self._inner.harm()

    def close(self) -> None:
        """As the inner one."""
        self._inner.close()


def calm(environment: str) -> Faulty:
    """For the undisturbed run."""
    return Faulty(from_registry(environment), faulty=False)


def stormy(environment: str) -> Faulty:
    """For the disturbed run."""
    return Faulty(from_registry(environment), faulty=True)


def _hang(_: Simulator) -> Any:
    time.sleep(3600)


def _hang_deaf(_: Simulator) -> Any:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # nothing but a kill gets through
    time.sleep(3600)


def _die(_: Simulator) -> Any:
    os.kill(os.getpid(), signal.SIGSEGV)


def _raise(_: Simulator) -> Any:
    raise RuntimeError("the world broke")


def _nonsense(inner: Simulator) -> Any:
    return ActResult, "no observation", inner


def _half_nonsense(inner: Simulator) -> Any:
    result, observation = inner.act(Click(1))
    return result, Observation(observation.url, observation.title, elements=(7, None))  # type: ignore[arg-type]


_FAULTS = (_hang, _hang_deaf, _die, _raise, _nonsense, _half_nonsense)
