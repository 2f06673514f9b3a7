"""Success-only self-imitation: a policy plays, what was verified joins the demonstrations, and all is learnt again.

Tasks that are neither solved already nor hopeless are played more; of one episode's successes the shortest is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from learning.frames import play, sampled, seats_of
from learning.measures import verified
from learning.networks import ElementSetPolicy
from sandbox.contracts.trajectories import Trajectory

EASY, HOPELESS = 0.95, 0.0  # shares of success beyond which playing more teaches nothing


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is played in one round."""

    episodes: int = 8  # of each task
    more: int = 16  # of each task that is worth it
    temperature: float = 1.0
    kept: int = 12  # successes of each task
    first_seed: int = 10_000  # of the pages; apart from those that are judged on
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """What a round brought: successes worth learning from, and how each task went."""

    successes: list[Trajectory]
    shares: dict[str, float]  # of every task's episodes
    episodes: int


def practise(
    network: ElementSetPolicy,
    tasks: Sequence[str],
    plan: Plan,
    *,
    heard: Callable[[Trajectory], None] = lambda _: None,
) -> Played:
    """Play every task, then those that are worth it again; drawn actions, not the likeliest ones."""
    found: dict[str, list[Trajectory]] = {task: [] for task in tasks}

    def played(chosen: Sequence[str], first: int, count: int) -> None:
        seats = seats_of(chosen, range(first, first + count))
        choose = sampled(np.random.default_rng([plan.seed, first]), temperature=plan.temperature)
        for each in play(network, seats, choose=choose, name=f"practice-{plan.seed}"):
            heard(each)
            found[each.task.template.partition("/")[2]].append(each)

    played(tasks, plan.first_seed, plan.episodes)
    worth = [task for task in tasks if HOPELESS < share(found[task]) < EASY]
    if worth and plan.more:
        played(worth, plan.first_seed + plan.episodes, plan.more)
    return Played(
        [each for task in tasks for each in best(found[task], limit=plan.kept)],
        {task: share(found[task]) for task in tasks},
        sum(len(each) for each in found.values()),
    )


def share(played: Sequence[Trajectory]) -> float:
    """How many of some episodes were verified; 0 of none."""
    return sum(map(verified, played)) / len(played) if played else 0.0


def best(played: Sequence[Trajectory], *, limit: int) -> list[Trajectory]:
    """Verified episodes, the ones with the fewest steps for what they had to do first; at most so many.

    Long ones among equals hold detours. What an episode has to do is told by how many tokens its goal has, so that
    goals of many parts are not pushed out by those of few.
    """
    good = [each for each in played if verified(each)]
    return sorted(good, key=lambda each: len(each.steps) / (4 + len(each.task.goal.text.split())))[:limit]
