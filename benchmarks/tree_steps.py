"""Steps a second of the cloud console without a browser: full observations, mixed tasks, one process a core.

Counted by the processors' time, so that a busy machine does not blur it; the wall's number is printed beside.
"""

import multiprocessing
import os
import random
import time
from collections.abc import Sequence

from msgspec.structs import replace

from benchmarks import Result
from sandbox import registry
from sandbox.contracts.actions import Action, Finish, GiveUp
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Task
from sandbox.tasks import bind
from sandbox.variants import VariantGenerator, parse
from sandbox.worker import calm_collector

BAR = 40_000
CORES = 2
LEVELS = 96  # tasks of a process, each with a variant of its own
SECONDS = 20.0
LIMIT = 60  # steps of an episode

Episode = tuple[Task, list[Action]]
Played = tuple[int, float, float]  # steps, seconds of the processor, seconds of the wall


def run(*, quick: bool) -> Result:
    """Steps a second of all processes together on levels that come round again, and on levels never met before."""
    seconds = SECONDS / 4 if quick else SECONDS
    cores = min(CORES, os.cpu_count() or 1)
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        found = pool.starmap(_measure, [(core, seconds) for core in range(cores)])
    again, fresh = ([each[kind] for each in found] for kind in (0, 1))
    for what, parts in (("met again", again), ("met for the first time", fresh)):
        busy, wall = (sum(each[0] / each[at] for each in parts) for at in (1, 2))
        count = sum(each[0] for each in parts)
        print(f"levels {what}: {busy:,.0f}/s on {cores} cores by processor time, {wall:,.0f}/s by the wall ({count:,})")
    steps, value = sum(each[0] for each in again), sum(each[0] / each[1] for each in again)
    return Result(value=round(value), unit="steps/s", bar=f">= {BAR}", holds=value >= BAR, n=steps)


def _measure(core: int, seconds: float) -> tuple[Played, Played]:
    simulator = registry.find_environment("cloud").simulator()
    episodes = [_recorded(simulator, task) for task in _levels(core)]
    calm_collector()  # as in a worker
    fresh = _played(simulator, _renamed(core, episodes), 0.0)
    _played(simulator, episodes, 0.0)
    return _played(simulator, episodes, seconds), fresh


def _levels(core: int) -> list[Task]:
    environment = registry.find_environment("cloud")
    variants = VariantGenerator("cloud", environment.dimensions)
    rng = random.Random(f"tree-steps:{core}")  # noqa: S311  # a workload, not a secret
    specs = list(environment.templates.values())
    tasks = []
    for number in range(LEVELS):
        spec = specs[(number * CORES + core) % len(specs)]
        recipe = parse(variants.draw(rng, "train", changed=4))[1]
        tasks.append(bind(spec.template, spec.sample(number, "train"), seed=number, recipe=recipe))
    return tasks


def _recorded(simulator: registry.Simulator, task: Task) -> Episode:
    """What the teacher does in a task: the policy's own time is not measured."""
    oracle = registry.find_template(task.template).oracle(task)
    observation, history, actions = simulator.reset(task), list[Past](), list[Action]()
    while len(actions) < LIMIT:
        action = oracle.act(observation, task.goal, history).action
        actions.append(action)
        if isinstance(action, Finish | GiveUp):
            break
        result, after = simulator.act(action)
        history.append(past(observation, action, result))
        observation = after
    return task, actions


def _renamed(core: int, episodes: Sequence[Episode]) -> list[Episode]:
    """The same tasks in worlds that nobody has drawn yet: other seeds, so other objects, and the same clicks."""
    return [(replace(task, seed=task.seed + 1_000_003 * (core + 1)), actions) for task, actions in episodes]


def _played(simulator: registry.Simulator, episodes: Sequence[Episode], seconds: float) -> Played:
    """Play them round and round for so long, resets included, once at least."""
    steps, began, busy = 0, time.perf_counter(), time.process_time()
    while True:
        for task, actions in episodes:
            simulator.reset(task)
            for action in actions:
                simulator.act(action)
            steps += len(actions)
        spent = time.perf_counter() - began
        if spent >= seconds:
            return steps, time.process_time() - busy, spent
