"""What one correction is worth: the probability of the corrected action there and in ten variants, before and after.

The starter works on kinds of tickets that it never learnt, with an oracle beside it that corrects it. Sessions with
just one correction are learnt from, each by itself, as the web application does it: from the starter's weights on, with
some of its demonstrations rehearsed. Then the same step is looked at again, and in ten other tasks with other names and
numbers, half of them in consoles of other looks. Nothing of these is trained on.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import Result, teach
from benchmarks.tree_tasks import look
from learning import jobs
from learning.rollouts import Episode, Gym, play
from sandbox import env
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Policy, past
from sandbox.contracts.tasks import Goal, Outcome
from sandbox.contracts.trajectories import Trajectory

BAR = 0.9
CORRECTED, VARIANTS = 4, 10
STEPS = 100  # of training: a quarter of what the web application spends
TEMPLATES = (  # the starter learnt none of these, and does all of the work but one step
    "cloud/create-network",
    "cloud/edit-snapshot",
    "cloud/change-weight-member",
    "cloud/delete-instance-group",
    "cloud/change-versions-bucket",
    "cloud/extend-database",
)


@dataclass(frozen=True)
class Moment:
    """A state, and what is right there."""

    page: Observation
    goal: Goal
    history: tuple[Past, ...]
    right: Action

    def probability(self, policy: Policy) -> float:
        """How sure the policy is of what is right; 0 where it is not among its four likeliest."""
        proposal = policy.act(self.page, self.goal, self.history)
        said = {proposal.action: proposal.probability} | {
            each.action: each.probability for each in proposal.alternatives
        }
        return said.get(self.right, 0.0)

    def kind(self) -> tuple[str, ...]:
        """What is done, but for the names in it."""
        element = self.page.element(getattr(self.right, "element", -1))
        what = (element.role, element.label, element.region) if element else ()
        return (type(self.right).__name__, *what, str(len(self.history)))


def run(*, quick: bool) -> Result:
    """The least of all probabilities after: of the states themselves, and of the means over their variants."""
    starter = jobs.load_policy(jobs.STARTER, name="starter")
    count = 1 if quick else CORRECTED
    after: list[float] = []
    for session, moment in _corrected(starter, count):
        others = _others(session.task.template, moment, VARIANTS)
        with TemporaryDirectory() as folder:
            learned = jobs.load_policy(teach.learned([session], Path(folder), steps=STEPS), name="learned")
            there = [moment.probability(policy) for policy in (starter, learned)]
            apart = [[each.probability(policy) for each in others] for policy in (starter, learned)]
        means = [sum(each) / len(each) for each in apart]
        name = f"{session.task.template} step {len(moment.history) + 1}"
        print(f"{name:36} there {there[0]:.3f} -> {there[1]:.3f}, ", end="")
        print(f"{len(others)} variants {means[0]:.3f} -> {means[1]:.3f} (least {min(apart[1]):.3f})", flush=True)
        after += [there[1], means[1]]
    value = min(after)
    bar = f"> {BAR} there and in {VARIANTS} variants"
    return Result(value=round(value, 3), unit="probability", bar=bar, holds=value > BAR, n=len(after) // 2)


def _corrected(policy: Policy, count: int) -> list[tuple[Trajectory, Moment]]:
    """Sessions with just one correction, one of a template. Raises RuntimeError where there are fewer."""
    with closing(env.player("cloud")) as gym:
        found = list(islice(chain.from_iterable(_one_wrong(gym, policy, each) for each in TEMPLATES), count))
    if len(found) < count:
        raise RuntimeError(f"{len(found)} sessions with just one correction: expected {count}")
    return found


def _one_wrong(gym: Gym, policy: Policy, template: str) -> Iterator[tuple[Trajectory, Moment]]:
    """The first verified session of a template in which just one step was corrected, and that step; or none."""
    for seed in range(4):
        session = teach.session(gym, policy, template, seed)
        wrong = [n for n, step in enumerate(session.steps) if step.decision == "corrected"]
        if len(wrong) == 1 and session.verification.outcome is Outcome.VERIFIED:
            yield session, _moments(session)[wrong[0]]
            return


def _moments(session: Trajectory) -> list[Moment]:
    memory = tuple(past(step.observation, step.action, step.result) for step in session.steps)
    goal = session.task.goal
    return [Moment(step.observation, goal, memory[:n], step.action) for n, step in enumerate(session.steps)]


def _others(template: str, moment: Moment, count: int) -> list[Moment]:
    """The same step of other tasks: other names and numbers, every second one in a console of another look.

    Raises RuntimeError where there are fewer.
    """
    with closing(env.player("cloud")) as gym:
        alike = (_alike(gym, template, seed, moment) for seed in range(6 * count))
        found = list(islice((each for each in alike if each is not None), count))
    if len(found) < count:
        raise RuntimeError(f"{template}: {len(found)} variants of step {len(moment.history) + 1}: expected {count}")
    return found


def _alike(gym: Gym, template: str, seed: int, moment: Moment) -> Moment | None:
    """The same step of the task of this seed, where its way has one."""
    variant = look(seed) if seed % 2 else ""
    worked = play(gym, Episode(template, seed, "validation", "demonstrate", variant=variant), None)
    return next((each for each in _moments(worked) if each.kind() == moment.kind()), None)
