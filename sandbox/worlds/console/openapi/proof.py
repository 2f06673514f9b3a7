"""Whether the teacher solves the tasks of a console, without a browser: each failure with its reason."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Split
from sandbox.tasks import BadParameters, bind
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.specs import ConsoleTask, by_id
from sandbox.worlds.console.tasks import know

_SPLITS: tuple[Split, ...] = ("train", "validation", "test")


class Episode(Struct, frozen=True):
    """One task played: the reason is "" where it was solved, and doing nothing was not enough."""

    template: str
    seed: int
    steps: int
    reason: str


def prove(tasks: Sequence[ConsoleTask], *, seeds: int) -> Iterator[Episode]:
    """Play every template so many times, the splits in turn."""
    know(by_id(tuple(tasks)))
    simulator = ConsoleSimulator()
    for spec in tasks:
        for seed in range(seeds):
            yield _play(simulator, spec, seed)


def _play(simulator: ConsoleSimulator, spec: ConsoleTask, seed: int) -> Episode:
    try:
        task = bind(spec.template, spec.sample(seed, _SPLITS[seed % len(_SPLITS)]), seed=seed)
    except BadParameters as refusal:
        return Episode(spec.template.id, seed, 0, f"its parameters cannot be drawn: {refusal}")
    page = simulator.reset(task)
    if simulator.verify("").outcome is Outcome.VERIFIED:
        return Episode(spec.template.id, seed, 0, "doing nothing is verified")
    oracle = spec.oracle(task)
    history: list[Past] = []
    said = ""
    why = f"not done within {task.max_steps} steps"
    while len(history) < task.max_steps:
        action = oracle.act(page, task.goal, history).action
        if isinstance(action, Finish):
            said, why = action.answer, ""
            break
        if isinstance(action, GiveUp):
            why = f"the teacher gives up: {action.reason}"
            break
        result, after = simulator.act(action)
        history.append(past(page, action, result))
        page = after
    found = simulator.verify(said)
    missed = "; ".join(f"not so: {each.name} ({each.detail})" for each in found.checks if not each.holds)
    solved = found.outcome is Outcome.VERIFIED
    return Episode(spec.template.id, seed, len(history), "" if solved else "; ".join(filter(None, (why, missed))))
