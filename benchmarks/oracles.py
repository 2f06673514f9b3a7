"""Every oracle and the worker who does nothing, over all templates and every way in which consoles differ."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks import Result
from sandbox.contracts.actions import Action, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Split, Task, Verification
from sandbox.env import Gym
from sandbox.tasks import bind
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.specs import ConsoleTask
from sandbox.worlds.console.tasks import TASKS
from sandbox.worlds.console.variant import DIMENSIONS

SEEDS = 20
QUICK_SEEDS = 1
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@dataclass(frozen=True)
class Face:
    """A world as a player needs it."""

    name: str
    reset: Callable[[Task], Observation]
    act: Callable[[Action], tuple[ActResult, Observation]]
    verify: Callable[[str], Verification]


@dataclass
class Count:
    """Episodes of one face so far."""

    played: int = 0
    solved: int = 0
    idle: int = 0  # verified although nothing was done


def run(*, quick: bool) -> Result:
    """Play them all; the value is the oracles' share, and doing nothing must never be verified."""
    seeds = QUICK_SEEDS if quick else SEEDS
    simulator = ConsoleSimulator()
    tree = Face("tree", simulator.reset, simulator.act, simulator.verify)
    counts = [_played(tree, _everything(seeds), seeds)]
    if not quick:
        gym = Gym("cloud")
        try:
            counts.append(_played(Face("html", gym.reset, gym.act, gym.verify), _sampled(seeds), seeds))
        finally:
            gym.close()
    played, solved, idle = (sum(getattr(each, name) for each in counts) for name in ("played", "solved", "idle"))
    share = solved / played
    return Result(value=round(share, 4), unit="verified", bar="1.0, idle 0", holds=share == 1.0 and not idle, n=played)


def _played(face: Face, episodes: Iterator[tuple[ConsoleTask, Task]], seeds: int) -> Count:
    """All episodes of a face; each seed's end is told, for they are many."""
    count, seed = Count(), 0
    for spec, task in episodes:
        if task.seed != seed:
            seed = task.seed
            print(f"{face.name}, {seed} of {seeds} seeds: {_told(count)}", flush=True)
        found, did_nothing = _episode(face, spec, task)
        count.played += 1
        count.solved += found is Outcome.VERIFIED
        count.idle += did_nothing is Outcome.VERIFIED
        if found is not Outcome.VERIFIED:
            print(f"{face.name} {task.template} seed {task.seed} in {task.environment}: {found.value}", flush=True)
    print(f"{face.name}: {_told(count)}", flush=True)
    return count


def _told(count: Count) -> str:
    return f"{count.solved} of {count.played} by the oracle, {count.idle} of {count.played} by doing nothing"


def _everything(seeds: int) -> Iterator[tuple[ConsoleTask, Task]]:
    """Each template plain, and in a console in which every dimension is drawn, once a seed and split."""
    for seed in range(seeds):
        for spec in TASKS:
            yield spec, _task(spec, seed, SPLITS[seed % 3], {})
            for split in SPLITS:
                rng = random.Random(f"{spec.template.id}:{seed}:{split}")  # noqa: S311  # a variant, not a secret
                recipe = {dimension.name: rng.choice(dimension.of(split)) for dimension in DIMENSIONS}
                yield spec, _task(spec, seed, split, recipe)


def _sampled(seeds: int) -> Iterator[tuple[ConsoleTask, Task]]:
    """For the browser: every value of every dimension once a seed, with templates in turn."""
    turn = 0
    for seed in range(seeds):
        for dimension in DIMENSIONS:
            for value in dimension.values:
                spec = TASKS[turn % len(TASKS)]
                turn += 1
                yield spec, _task(spec, seed, "train", {dimension.name: value})


def _task(spec: ConsoleTask, seed: int, split: Split, recipe: Mapping[str, str]) -> Task:
    return bind(spec.template, spec.sample(seed, split), seed=seed, recipe=recipe)


def _episode(face: Face, spec: ConsoleTask, task: Task) -> tuple[Outcome, Outcome]:
    """What the verifier says of the oracle, and of who did nothing."""
    page = face.reset(task)
    idle = face.verify("").outcome
    oracle = spec.oracle(task)
    history: list[Past] = []
    while len(history) < task.max_steps:
        action = oracle.act(page, task.goal, history).action
        if isinstance(action, Finish | GiveUp):
            break
        result, after = face.act(action)
        history.append(past(page, action, result))
        page = after
    return face.verify(action.answer if isinstance(action, Finish) else "").outcome, idle
