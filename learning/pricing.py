"""What each action of a stored trajectory earned, and where it led: what is learnt from offline."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from learning import expectiles, playing, readings
from learning.arrays import Arrays
from learning.candidates import label
from learning.features import scene
from learning.samples import Sample
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import past
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import Simulator, find_environment
from sandbox.rewards import Doing, Ledger, Spec, default
from sandbox.semantics.trails import trail

GAMMA = 0.99  # of returns, and of what offline learning looks ahead to

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Deal:
    """One action that somebody took, what it earned, and where it led."""

    sample: Sample  # the state, and the action taken as its label
    reward: float
    after: Arrays | None  # None: the task had ended
    to_go: float  # discounted rewards from here to the end of the episode


class Unpriced(ValueError):
    """Nobody can say what the steps of a trajectory earned."""


def earned(trajectory: Trajectory, simulator: Simulator | None = None, *, spec: Spec | None = None) -> list[float]:
    """The reward of each step. Raises Unpriced: no steps, no rules for its pages, or a task that its world refuses.

    Progress and harm are of the world's own state: they are found by playing the actions again in a simulator, where
    the world has one. Without it only what pages, actions and the verified end say is paid.
    """
    progress, harm = 0.0, tuple[str, ...]()
    if not trajectory.steps:
        raise Unpriced(f"trajectory {trajectory.id} has no steps")
    try:
        treads = trail(trajectory)
        if simulator is not None:
            simulator.reset(trajectory.task)
            progress = simulator.progress()
    except LookupError as problem:  # templates change, and have fields now that an old task lacks
        raise Unpriced(f"trajectory {trajectory.id} cannot be played again: {problem}") from problem
    ledger = Ledger(spec or default(), treads[0], progress)
    rewards = []
    for number, step in enumerate(trajectory.steps, start=1):
        if simulator is not None and not isinstance(step.action, Finish | GiveUp):
            simulator.act(step.action)
            progress, harm = simulator.progress(), simulator.harm()
        doing = Doing(
            tread=treads[number],
            action=step.action,
            element=step.observation.element(getattr(step.action, "element", -1)),
            before=step.observation.fingerprint,
            progress=progress,
            harm=harm,
            left=trajectory.task.max_steps - number,
            verified=trajectory.verification.outcome is Outcome.VERIFIED,
        )
        rewards.append(ledger.step(doing).total)
    return rewards


def deals(
    trajectories: Iterable[Trajectory],
    rewards: Callable[[Trajectory], Sequence[float]],
    *,
    gamma: float = GAMMA,
    reading: readings.Reading = scene,
) -> list[Deal]:
    """Every action that was taken, good or bad.

    The last one of an episode that was cut short is left out: nobody saw where it led.
    """
    found = []
    for trajectory in trajectories:
        steps, paid = trajectory.steps, rewards(trajectory)
        to_go = expectiles.returns(paid, gamma=gamma)
        remembered = tuple(past(step.observation, step.action, step.result) for step in steps)
        scenes = [reading(step.observation, trajectory.task.goal, remembered[:n]) for n, step in enumerate(steps)]
        for index, step in enumerate(steps):
            over = isinstance(step.action, Finish | GiveUp)
            done = label(scenes[index], step.action)
            if done is None or (not over and index + 1 == len(steps)):
                continue
            sample = Sample(
                arrays=scenes[index].arrays,
                label=done,
                weight=1.0,
                template=trajectory.task.template,
                trajectory=trajectory.id,
                session=False,
                succeeded=-1.0,
                changed=(-1.0, -1.0, -1.0),
            )
            found.append(Deal(sample, paid[index], None if over else scenes[index + 1].arrays, to_go[index]))
    return found


def priced(
    trajectories: Iterable[Trajectory],
    rewards: Callable[[Trajectory], Sequence[float]],
    *,
    reading: readings.Reading = scene,
) -> tuple[list[Deal], int]:
    """The deals of every trajectory whose rewards can be told, and how many trajectories are left out."""
    found, left_out = list[Deal](), 0
    for each in trajectories:
        try:
            found += deals([each], rewards, reading=reading)
        except Unpriced as problem:
            log.warning("left out: %s", problem)
            left_out += 1
    return found, left_out


def earned_in_its_world(trajectory: Trajectory) -> list[float]:
    """The reward of each step, by a simulator where the trajectory's template has one. Raises Unpriced."""
    known = playing.playable([trajectory.task.template])
    return earned(trajectory, _simulator(known[0].partition("/")[0]) if known else None)


@lru_cache(maxsize=8)
def _simulator(environment: str) -> Simulator:
    return find_environment(environment).simulator()
