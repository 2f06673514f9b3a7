"""Held-out tickets of the workbench played to their end by a policy, and what share is verified."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from learning import artefact
from learning.intervals import wilson
from learning.kinds import open_policy
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import Past, Policy, past
from sandbox.contracts.tasks import Outcome, Split, Task
from sandbox.worlds.workbench.jobs import recipe
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import TEMPLATES, tasks

TITLE = "Workbench policy"
EVERY = tuple(each.template.id for each in TEMPLATES)


@dataclass(frozen=True)
class Ended:
    """One held-out task and how it ended."""

    task: Task
    verified: bool
    steps: int
    optimal: int


def attempt(task: Task, policy: Policy) -> Ended:
    """Play one task to its end, the likeliest action each time."""
    bench, history = Workbench(), list[Past]()
    observation = bench.reset(task)
    answer = ""
    while len(history) < task.max_steps:
        action = policy.act(observation, task.goal, history).action
        if isinstance(action, Finish | GiveUp):
            answer = action.answer if isinstance(action, Finish) else ""
            break
        result, after = bench.act(action)
        history.append(past(observation, action, result))
        observation = after
    ended = isinstance(action, Finish)
    good = ended and bench.verify(answer).outcome is Outcome.VERIFIED
    return Ended(task, good, len(history) + ended, bench.optimal_steps)


def judge(folder: Path, split: Split, count: int, *, templates: Sequence[str] = EVERY) -> list[Ended]:
    """The first so many tasks of a split of these templates, played by the policy in a folder with its loop guard."""
    policy = open_policy(folder, name="workbench")
    wanted = (each for each in tasks(split, count * len(TEMPLATES)) if each.template in templates)
    return [attempt(task, policy) for task in islice(wanted, count)]


def shares(ended: Sequence[Ended]) -> dict[str, tuple[int, int]]:
    """Verified and all, by template and by the words of the tools."""
    found: dict[str, tuple[int, int]] = {}
    for each in ended:
        for name in (each.task.template, f"words={recipe(each.task)['words']}"):
            good, count = found.get(name, (0, 0))
            found[name] = good + each.verified, count + 1
    return dict(sorted(found.items()))


def interval(ended: Sequence[Ended]) -> tuple[float, float]:
    """How sure the share of verified ones is: 95 %."""
    return wilson(sum(each.verified for each in ended), len(ended))


def judged(folder: Path, *, count: int, split: Split = "test", templates: Sequence[str] = EVERY) -> list[Ended]:
    """Judge a policy's folder and write the outcome into it."""
    began = time.monotonic()
    ended = judge(folder, split, count, templates=templates)
    good = sum(each.verified for each in ended)
    low, high = interval(ended)
    found = {
        "split": split,
        "verified": good,
        "of": len(ended),
        "interval": [round(low, 3), round(high, 3)],
        "seconds": round(time.monotonic() - began, 1),
        "by": {name: f"{one}/{other}" for name, (one, other) in shares(ended).items()},
    }
    receipt = json.loads((folder / "receipt.json").read_text())
    before = json.loads((folder / "evaluation.json").read_text())
    artefact.rewrite(folder, evaluation={**before, split: found}, receipt=receipt, title=TITLE)
    return ended
