"""Memory of 7,000 live variants in one process, and how long a fresh draw takes.

The draw is counted by the processor's time, so that a busy machine does not blur it; the wall's is printed beside.
"""

import statistics
import subprocess
import sys
import time

import msgspec

from benchmarks import Result
from sandbox.levels import Deck
from sandbox.registry import Registered, Simulator, registered
from sandbox.variants import VariantGenerator

LIVE, QUICK_LIVE = 7_000, 1_000
MIB = 1024 * 1024
PREFERRED = ("cloud", "workbench")


def run(quick: bool) -> Result:
    """In a process of its own, which holds nothing but the variants."""
    argv = [sys.executable, "-m", "benchmarks.resident", str(QUICK_LIVE if quick else LIVE)]
    found = msgspec.json.decode(subprocess.run(argv, check=True, capture_output=True).stdout, type=Held)
    expected = found.base_mib + (found.mib - found.base_mib) * LIVE / found.live
    print(f"{found.environment}: {found.live} live variants, each reset to a task of its own and played one step")
    print(
        f"process {found.mib:.0f} MiB, {found.base_mib:.0f} MiB of it before the first; for {LIVE}: {expected:.0f} MiB"
    )
    print(
        f"fresh draw, from level to first screen: median {found.draw_ms:.2f} ms, 99 % {found.draw_p99_ms:.2f} ms of a "
        f"processor; median {found.draw_wall_ms:.2f} ms by the wall"
    )
    return Result(
        value=round(expected, 1),
        unit=f"MiB for {LIVE} live variants of {found.environment}",
        bar="<= 256 MiB, fresh draw <= 2 ms (median)",
        holds=expected <= 256 and found.draw_ms <= 2.0,
        n=found.live,
    )


class Held(msgspec.Struct):
    """What the process found."""

    environment: str
    live: int
    mib: float
    base_mib: float
    draw_ms: float
    draw_p99_ms: float
    draw_wall_ms: float


def hold(count: int) -> Held:
    """So many simulators, alive at the same time, each on a variant of its own."""
    it = _widest()
    deck = Deck.of([it], seed=1)
    warm = it.simulator()  # tables that all share are made by the first
    warm.reset(deck.task(deck.deal()))
    base = _resident_mib()
    live: list[Simulator] = []
    took, by_wall = list[float](), list[float]()
    for _ in range(count):
        began, busy = time.perf_counter(), time.process_time()
        task = deck.task(deck.deal())
        simulator = it.simulator()
        observation = simulator.reset(task)
        took.append((time.process_time() - busy) * 1e3)
        by_wall.append((time.perf_counter() - began) * 1e3)
        oracle = it.templates[task.template].oracle(task)
        simulator.act(oracle.act(observation, task.goal, ()).action)
        live.append(simulator)
    took.sort()
    p99 = took[int(0.99 * len(took))]
    median, wall = statistics.median(took), statistics.median(by_wall)
    return Held(it.environment.id, len(live), _resident_mib(), base, median, p99, wall)


def _widest() -> Registered:
    """The console, where it can be played without a browser."""
    playable = [registered()[name] for name in PREFERRED if registered()[name].make_simulator is not None]
    return max(playable, key=lambda each: VariantGenerator.of(each).count("train"))


def _resident_mib() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / MIB


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.encode(hold(int(sys.argv[1]))).decode())
