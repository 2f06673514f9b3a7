"""Steps a second of MiniWoB++ as frames of one page: full observations, mixed tasks, one browser a core.

Counted by the processors' time (browser and Python together), so that a busy machine does not blur it; the wall's
number is printed beside. Steps are actions; beginning anew is paid for and not counted.
"""

import multiprocessing
import os
import random
import time

from benchmarks import Result
from benchmarks.browser_step import tree_seconds
from sandbox.contracts.actions import Action, Click, Select, Type
from sandbox.worlds.miniwob.batch import Batch, Begin, Frame

BAR = 1_000
CORES = 2
FRAMES = 16  # of each browser
WARM_STEPS = 40  # the browser compiles the script of every frame for itself first
SECONDS = 20.0
LIMIT = 12  # steps of an episode
TASKS = (
    *("click-checkboxes", "login-user", "choose-list", "enter-text", "click-tab-2", "click-option"),
    *("enter-password", "click-checkboxes-large", "use-spinner", "multi-layouts"),
)

Played = tuple[int, float, float]  # steps, seconds of the processors, seconds of the wall


def run(*, quick: bool) -> Result:
    """Steps a second of all browsers together, by random actions."""
    seconds = SECONDS / 4 if quick else SECONDS
    cores = min(CORES, os.cpu_count() or 1)
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        found = pool.starmap(_measure, [(core, seconds) for core in range(cores)])
    steps = sum(each[0] for each in found)
    busy, wall = (sum(each[0] / each[at] for each in found) for at in (1, 2))
    print(f"{busy:,.0f} steps a processor second x {cores}, {wall:,.0f}/s by the wall ({steps:,} steps)")
    return Result(value=round(busy), unit="steps/s", bar=f">= {BAR}", holds=busy >= BAR, n=steps)


def _measure(core: int, seconds: float) -> Played:
    rng = random.Random(f"miniwob-batch:{core}")  # noqa: S311  # a workload, not a secret
    batch = Batch([(TASKS[number % len(TASKS)], number) for number in range(FRAMES)])
    try:
        ages, frames = [0] * FRAMES, batch.look()
        for _ in range(WARM_STEPS):
            frames = _step(batch, frames, ages, rng)[0]
        steps, began, busy = 0, time.perf_counter(), _busy(batch)
        while time.perf_counter() - began < seconds:
            frames, done = _step(batch, frames, ages, rng)
            steps += done
        return steps, _busy(batch) - busy, time.perf_counter() - began
    finally:
        batch.close()


def _step(
    batch: Batch, frames: tuple[Frame, ...], ages: list[int], rng: random.Random
) -> tuple[tuple[Frame, ...], int]:
    steps: list[Action | Begin | None] = []
    for number, frame in enumerate(frames):
        over = frame.done or ages[number] >= LIMIT
        ages[number] = 0 if over else ages[number] + 1
        steps.append(Begin(rng.randrange(2**31)) if over else _any_action(frame, rng))
    return batch.step(steps), sum(not isinstance(step, Begin) for step in steps)


def _any_action(frame: Frame, rng: random.Random) -> Action:
    usable = [each for each in frame.observation.elements if each.actionable]
    others = [each for each in usable if each.name not in ("Submit", "Login", "Go!")]
    element = rng.choice(others if others and rng.random() < 0.9 else usable)  # a learner soon knows not to end at once
    if "editable" in element.states:
        return Type(element.ref, rng.choice([text for _, text in frame.goal.fields] or ["x"]))
    return Select(element.ref, rng.choice(element.options)) if element.options else Click(element.ref)


def _busy(batch: Batch) -> float:
    """Seconds of processor time that this process and its browser's processes took so far."""
    return time.process_time() + tree_seconds(batch.page.browser.process.pid)
