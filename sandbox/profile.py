"""`python -m sandbox.profile ENV...`: reset, step and observe time, memory, and the worst of them, by environment."""

import argparse
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import pygal
from msgspec import Struct

from sandbox.arguments import Chosen, count, environment, new_file
from sandbox.calibrate import playable
from sandbox.contracts.actions import Click, Wait
from sandbox.contracts.tasks import Task
from sandbox.levels import Deck
from sandbox.registry import NoSuchFace, Registered, Simulator
from sandbox.variants import environment_id

T = TypeVar("T")

OPERATIONS = ("reset", "step", "observe", "judge")
KEPT = 50  # simulators that are alive at once while memory is measured


class Times(Struct, frozen=True):
    """Milliseconds of one operation."""

    median_ms: float
    p95_ms: float
    worst_ms: float
    count: int


class Offender(Struct, frozen=True):
    """One operation that took long."""

    environment: str
    operation: str
    ms: float
    template: str
    seed: int
    variant: str


class Profile(Struct, frozen=True):
    """What one environment costs. `observe` is a Wait, which shows the screen once more and changes nothing."""

    environment: str
    times: dict[str, Times]
    memory_kib: float  # that Python allocates for one more live simulator
    elements: float  # median on a screen
    worst: tuple[Offender, ...]


def profile(
    it: Registered, *, tasks: int = 50, steps: int = 20, seed: int = 0, fixed: Mapping[str, str] | None = None
) -> Profile:
    """Play random clicks on so many tasks. Raises NoSuchFace where the environment has no simulator.

    Tasks are of all variants for training; with `fixed` dimensions, of those alone.
    """
    deck, rng = Deck.of([it], seed=seed, fixed=fixed), random.Random(seed)  # noqa: S311  # not a secret
    drawn = [deck.task(deck.deal()) for _ in range(tasks)]
    name = environment_id(it.environment.id, fixed or {})
    watch = _Watch(name)
    sizes: list[int] = []
    simulator = it.simulator()
    for task in drawn:
        seen = watch.take("reset", task, partial(simulator.reset, task))
        for _ in range(steps):
            sizes.append(len(seen.elements))
            action = Click(rng.choice(seen.elements).ref) if seen.elements else Wait()
            _, seen = watch.take("step", task, partial(simulator.act, action))
        watch.take("observe", task, lambda: simulator.act(Wait()))
        watch.take("judge", task, lambda: (simulator.progress(), simulator.harm(), simulator.verify("")))
    simulator.close()
    times = {name: _times(watch.ms[name]) for name in OPERATIONS}
    worst = tuple(sorted(watch.offenders, key=lambda each: -each.ms)[:5])
    return Profile(
        name, times, _memory_kib(it, [deck.task(deck.deal()) for _ in range(KEPT)]), statistics.median(sizes), worst
    )


def table(profiles: Sequence[Profile]) -> str:
    """Aligned columns, then the worst offenders of all."""
    head = f"{'environment':16}" + "".join(f"{name + ' ms (p95)':>22}" for name in OPERATIONS)
    lines = [f"{head}{'KiB each':>10}{'elements':>10}"]
    for it in profiles:
        cells = "".join(f"{f'{t.median_ms:.3f} ({t.p95_ms:.3f})':>22}" for t in (it.times[name] for name in OPERATIONS))
        lines.append(f"{it.environment:16}{cells}{it.memory_kib:>10.0f}{it.elements:>10.0f}")
    lines += ["", "worst:"]
    for each in sorted((each for it in profiles for each in it.worst), key=lambda each: -each.ms)[:5]:
        lines.append(f"  {each.ms:9.2f} ms  {each.operation:8} {each.template} seed {each.seed} of {each.variant}")
    return "\n".join(lines)


def plot(profiles: Sequence[Profile], path: Path) -> None:
    """Bars of the medians by environment, logarithmic, as SVG."""
    chart = pygal.HorizontalBar(js=[], logarithmic=True, title="Median time (ms)", x_title="ms", legend_at_bottom=True)
    chart.x_labels = [it.environment for it in profiles]
    for name in OPERATIONS:
        chart.add(name, [max(it.times[name].median_ms, 1e-4) for it in profiles])
    path.write_bytes(chart.render())


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.profile", description=__doc__)
    parser.add_argument(
        "environments",
        nargs="*",
        type=environment,
        metavar="ENV",
        help="ids, with a recipe (cloud?locale=de) those variants alone; none: all that need no browser",
    )
    parser.add_argument("--tasks", type=count, default=50)
    parser.add_argument("--steps", type=count, default=20, help="a task")
    parser.add_argument("--json", type=new_file, help="write the numbers here as JSON")
    parser.add_argument("--plot", type=new_file, help="write a plot here as SVG")
    given = parser.parse_args(arguments)
    chosen = given.environments or [Chosen(each, {}) for each in playable()]
    try:
        profiles = [
            profile(each.environment, tasks=given.tasks, steps=given.steps, fixed=each.fixed) for each in chosen
        ]
    except (NoSuchFace, RuntimeError) as problem:
        known = ", ".join(each.environment.id for each in playable())
        print(f"{problem}; environments that can be profiled: {known}", file=sys.stderr)
        return 2
    if given.json:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(profiles)))
    if given.plot:
        plot(profiles, given.plot)
    print(table(profiles))
    return 0


class _Watch:
    """Times by operation, and what took longest."""

    def __init__(self, environment: str) -> None:
        self._environment = environment
        self.ms: dict[str, list[float]] = {name: [] for name in OPERATIONS}
        self.offenders: list[Offender] = []

    def take(self, operation: str, task: Task, do: Callable[[], T]) -> T:
        """Do something and note how long it took."""
        began = time.perf_counter()
        done = do()
        ms = (time.perf_counter() - began) * 1e3
        self.ms[operation].append(ms)
        self.offenders.append(Offender(self._environment, operation, ms, task.template, task.seed, task.environment))
        return done


def _times(ms: Sequence[float]) -> Times:
    ordered = sorted(ms)
    return Times(statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1], len(ordered))


def _memory_kib(it: Registered, tasks: Sequence[Task]) -> float:
    """Of what Python allocates on tasks not met before: the process would reuse what the play has let go of."""
    kept: list[Simulator] = []
    tracemalloc.start()
    for task in tasks:
        kept.append(it.simulator())
        kept[-1].reset(task)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for simulator in kept:
        simulator.close()
    return grown / 1024 / KEPT


if __name__ == "__main__":
    sys.exit(main())
