"""Random play told as the tickets that it did: where a world's verifier says that one is done, nobody has to show it.

Nobody knows beforehand what will be done, no oracle is asked and no person: a wanderer wanders, and after each step the
world is asked which tickets would be verified now, had they been asked for. What led there is then shortened by leaving
out whatever it is done without, and so becomes a way to do that ticket.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from learning.rollouts import Gym
from learning.wander import NAME, Wanderer
from sandbox import env, sessions
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory
from sandbox.variants import parse

STEPS = 25  # of one wandering, at most


@runtime_checkable
class Teller(Gym, Protocol):
    """A world that can say which tickets were done in it."""

    def retold(self, templates: Sequence[str]) -> list[Task]:
        """Tickets of these templates that would be verified now, had they been asked for in this world."""
        ...


class Wandered(NamedTuple):
    """Episodes of random play, and those of them that did a ticket, told as that ticket and shortened."""

    played: list[Trajectory]
    retold: list[Trajectory]


def wandered(
    templates: Sequence[str], *, episodes: int, seed: int, variant: Callable[[int], str] = lambda _: ""
) -> Wandered:
    """That many episodes in worlds of the templates (of one environment) in turn, from tasks of the training split.

    An episode ends with the first ticket of one of the templates that it happens to do; where the world cannot say what
    was done in it, none is told.
    """
    gym = env.player(templates[0].partition("/")[0])
    found = Wandered([], [])
    try:
        for number in range(seed, seed + episodes):
            recipe = parse(variant(number))[1] if variant(number) else None
            task = sessions.sample(templates[number % len(templates)], seed=number, split="train", recipe=recipe)
            steps, done = _wander(gym, task, Wanderer(seed=number, heeding=True), templates)
            found.played.append(_trajectory(task, steps, Outcome.UNVERIFIED))
            if done is not None and isinstance(gym, Teller):
                found.retold.append(_trajectory(done, shortened(gym, task, steps, done), Outcome.VERIFIED))
    finally:
        gym.close()
    return found


def _wander(gym: Gym, task: Task, wanderer: Wanderer, templates: Sequence[str]) -> tuple[list[Step], Task | None]:
    teller = gym if isinstance(gym, Teller) else None
    observation = gym.reset(task)
    steps: list[Step] = []
    remembered: list[Past] = []
    while len(steps) < STEPS:
        action = wanderer.act(observation, task.goal, remembered).action
        result, after = gym.act(action)
        steps.append(_step(observation, action, result))
        remembered.append(past(observation, action, result))
        observation = after
        told = teller.retold(templates) if teller is not None else []
        if told:
            return [*steps, _step(observation, Finish(), ActResult(ActOutcome.DONE))], told[0]
    return steps, None


def shortened(gym: Teller, task: Task, steps: Sequence[Step], done: Task) -> list[Step]:
    """The same ticket done without the steps that it does not need, tried one by one from the last to the first."""
    kept = [step.action for step in steps[:-1]]
    best = list(steps)
    for at in reversed(range(len(kept))):
        shorter = _replayed(gym, task, [*kept[:at], *kept[at + 1 :]], done)
        if shorter is not None:
            best = shorter
            del kept[at]
    return best


def _replayed(gym: Teller, task: Task, actions: Sequence[Action], done: Task) -> list[Step] | None:
    """The steps of these actions and the end, where they do the ticket; None where they do not."""
    observation: Observation = gym.reset(task)
    steps: list[Step] = []
    for action in actions:
        result, after = gym.act(action)
        steps.append(_step(observation, action, result))
        observation = after
    if not any(each.goal.fields == done.goal.fields for each in gym.retold([done.template])):
        return None
    return [*steps, _step(observation, Finish(), ActResult(ActOutcome.DONE))]


def _step(observation: Observation, action: Action, result: ActResult) -> Step:
    return Step(observation, None, "policy", "approved", "auto_policy", Risk.UNKNOWN, action, result)


def _trajectory(task: Task, steps: Sequence[Step], outcome: Outcome) -> Trajectory:
    name = f"{NAME}-{outcome}-{task.template.replace('/', '-')}-{task.seed}"
    return Trajectory(name, task, tuple(steps), Verification(outcome), policy=NAME)
