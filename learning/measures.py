"""What episodes say of a policy beyond their ends: steps, refused actions, questions to people, ground covered.

Pure: trajectories in, numbers out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from learning.intervals import wilson
from sandbox.contracts.actions import ActOutcome, GiveUp
from sandbox.contracts.tasks import Outcome, Risk
from sandbox.contracts.trajectories import Trajectory
from sandbox.coverage import Coverage
from sandbox.failures import clusters
from sandbox.risk import classify
from sandbox.semantics.rules import adapter_for
from sandbox.semantics.trails import trail

INVALID = frozenset(
    {ActOutcome.VANISHED, ActOutcome.COVERED, ActOutcome.DISABLED, ActOutcome.NOT_EDITABLE}
    | {ActOutcome.NO_SUCH_OPTION, ActOutcome.MISSED, ActOutcome.BLOCKED_NAVIGATION, ActOutcome.BLOCKED_REQUEST}
)
# How much an environment's approval policy lets go by itself, strictest first.
LEAVES = (None, Risk.READ, Risk.REVERSIBLE, Risk.COST)


class Share(Struct, frozen=True):
    """So many of so many, with Wilson's 95 % interval."""

    count: int
    of: int
    rate: float
    interval: tuple[float, float]


class Conduct(Struct, frozen=True):
    """How a policy behaved over its episodes."""

    invalid_actions: Share  # of all steps: the element was gone, covered, disabled, or took no such thing
    idle_actions: Share  # of all steps: nothing came of it
    gave_up: Share  # of all episodes
    over_optimal: float | None  # steps of verified episodes over those of the oracle; None where none is known
    approvals: dict[str, float]  # questions to people an episode, by what goes without asking


class Cause(Struct, frozen=True):
    """Failures that are alike, and why."""

    environment: str
    cause: str
    confidence: float
    share: float  # of the environment's failures
    marks: tuple[str, ...]
    trajectories: tuple[str, ...]  # ids, the most typical first


class Ground(Struct, frozen=True):
    """Which tokens were met: template -> token -> share of its episodes."""

    met: dict[str, dict[str, float]]
    share: dict[str, float]  # environment -> met tokens of all that its rules can say
    unmet: dict[str, tuple[str, ...]]  # environment -> tokens that nobody met


def share(count: int, of: int) -> Share:
    """So many of so many."""
    return Share(count, of, count / of if of else 0.0, wilson(count, of))


def conduct(trajectories: Sequence[Trajectory], optimal: Mapping[str, int]) -> Conduct:
    """How a policy behaved. `optimal` is the oracle's number of steps by the id of a trajectory, where known."""
    outcomes = Counter(step.result.outcome for each in trajectories for step in each.steps)
    given_up = sum(bool(each.steps) and isinstance(each.steps[-1].action, GiveUp) for each in trajectories)
    known = [each for each in trajectories if verified(each) and each.id in optimal]
    best = sum(optimal[each.id] for each in known)
    return Conduct(
        invalid_actions=share(sum(outcomes[each] for each in INVALID), outcomes.total()),
        idle_actions=share(outcomes[ActOutcome.NO_EFFECT], outcomes.total()),
        gave_up=share(given_up, len(trajectories)),
        over_optimal=sum(len(each.steps) for each in known) / best if best else None,
        approvals={_name(leave): _questions(trajectories, leave) for leave in LEAVES},
    )


def _name(leave: Risk | None) -> str:
    return "nothing" if leave is None else str(leave)


def _questions(trajectories: Sequence[Trajectory], leave: Risk | None) -> float:
    """Steps an episode whose risk is above what goes by itself."""
    rank = -1 if leave is None else leave.rank
    asked = sum(classify(step.action, step.observation).rank > rank for each in trajectories for step in each.steps)
    return asked / len(trajectories) if trajectories else 0.0


def verified(trajectory: Trajectory) -> bool:
    """Whether the world's own state says that it was done."""
    return trajectory.verification.outcome is Outcome.VERIFIED


def causes(trajectories: Sequence[Trajectory]) -> tuple[Cause, ...]:
    """Why episodes failed, by environment."""
    found = []
    for environment, group in _by_environment(trajectories).items():
        for each in clusters(group):
            found.append(Cause(environment, each.cause, each.confidence, each.share, each.marks, each.trajectories))
    return tuple(found)


def ground(trajectories: Sequence[Trajectory]) -> Ground:
    """What of each environment's tokens was met, template by template."""
    met: dict[str, Counter[str]] = {}
    episodes: Counter[str] = Counter()
    shares, unmet = {}, {}
    for environment, group in _by_environment(trajectories).items():
        adapter = adapter_for(environment)
        coverage = Coverage(adapter)
        for each in group:
            treads = trail(each, adapter)
            coverage.add(treads)
            episodes[each.task.template] += 1
            tokens = frozenset[str]().union(*(tread.tokens for tread in treads))
            met.setdefault(each.task.template, Counter()).update(tokens)
        shares[environment], unmet[environment] = coverage.share(), tuple(sorted(coverage.unmet))
    heat = {
        template: {token: count / episodes[template] for token, count in sorted(tokens.items())}
        for template, tokens in sorted(met.items())
    }
    return Ground(heat, shares, unmet)


def _by_environment(trajectories: Iterable[Trajectory]) -> dict[str, list[Trajectory]]:
    """Trajectories by environment without its recipe."""
    found: dict[str, list[Trajectory]] = {}
    for each in trajectories:
        found.setdefault(each.task.environment.partition("?")[0], []).append(each)
    return found
