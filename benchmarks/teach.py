"""The heart of the loop without the web application: correct a policy, learn from it, try fresh tasks."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from learning import jobs, rollouts
from learning.cloning import FINE_TUNE
from learning.improve import improve
from learning.rollouts import Episode, play
from sandbox import sessions
from sandbox.contracts import storage
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import Past, Policy, past
from sandbox.contracts.tasks import Outcome, Risk
from sandbox.contracts.trajectories import Step, Trajectory
from sandbox.env import Gym

REHEARSED = 40  # of the starter's demonstrations, so that the quick form stays quick


def corrected(gym: Gym, template: str, seeds: Sequence[int]) -> list[Trajectory]:
    """One session a seed in which the starter proposes and its errors are corrected."""
    policy = jobs.load_policy(jobs.STARTER, name="starter")
    return [session(gym, policy, template, seed) for seed in seeds]


def tried(gym: Gym, folder: Path, template: str, seeds: Sequence[int]) -> int:
    """How many of these tasks a policy works to `verified` without correction."""
    policy = jobs.load_policy(folder, name="tried")
    played = [play(gym, Episode(template, seed, "test", "try"), policy) for seed in seeds]
    return sum(each.verification.outcome == Outcome.VERIFIED for each in played)


def session(gym: rollouts.Gym, policy: Policy, template: str, seed: int) -> Trajectory:
    """The policy proposes, and an oracle approves or corrects each step."""
    task = sessions.sample(template, seed=seed, split="test")
    oracle = sessions.oracle(task)
    page = gym.reset(task)
    steps: list[Step] = []
    memory: list[Past] = []
    while len(steps) < task.max_steps and not (steps and isinstance(steps[-1].action, Finish | GiveUp)):
        proposal = policy.act(page, task.goal, memory)
        action = oracle.act(page, task.goal, memory).action
        result, after = gym.act(action)
        decision = "approved" if proposal.action == action else "corrected"
        steps.append(Step(page, proposal, "policy", decision, "user", Risk.REVERSIBLE, action, result))  # type: ignore[arg-type]  # one of the two literals
        memory.append(past(page, action, result))
        page = after
    answer = steps[-1].action.answer if isinstance(steps[-1].action, Finish) else ""
    return Trajectory(f"taught-{seed}", task, tuple(steps), gym.verify(answer), policy="starter", verdict="good")


def learned(taught: Sequence[Trajectory], folder: Path, *, steps: int) -> Path:
    """A policy's folder, learned in so many steps from these and some of what the starter learned from."""
    known = list(jobs.starter_trajectories())
    contents = [storage.pack(each) for each in taught] + known[:: max(1, len(known) // REHEARSED)]
    files = []
    for content in contents:
        files.append(folder / f"{storage.address(content)}.belay")
        files[-1].write_bytes(content)
    request = jobs.ImproveRequest(jobs.STARTER, files, folder / "policy", folder / "work", 0, math.inf, {})
    recipe = replace(FINE_TUNE, steps=steps)
    return improve(request, report=lambda _: None, should_stop=lambda: False, recipe=recipe).folder
