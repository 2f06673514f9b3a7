"""Trajectories as trails of tokens: what rules made of each step, in order."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.trajectories import Trajectory
from sandbox.semantics.conditions import Moment
from sandbox.semantics.rules import Adapter, adapter_for


class Tread(Struct, frozen=True):
    """One step of a trail: what was done, where, and what it was in tokens."""

    tokens: frozenset[str]
    action: Action | None  # None for the first screen
    result: ActResult | None
    fingerprint: str  # of what was seen afterwards


def moments(trajectory: Trajectory) -> Iterator[Moment]:
    """The first screen, then each step with what was seen after it (after the last: what was seen before)."""
    steps = trajectory.steps
    if not steps:
        return
    yield Moment(steps[0].observation)
    for number, step in enumerate(steps):
        after = steps[number + 1].observation if number + 1 < len(steps) else step.observation
        yield Moment(after, step.observation, step.action, step.result)


def trail(trajectory: Trajectory, adapter: Adapter | None = None) -> tuple[Tread, ...]:
    """A trajectory in tokens. Raises NoAdapter."""
    rules = adapter or adapter_for(trajectory.task.environment)
    return tuple(tread(rules, moment) for moment in moments(trajectory))


def tread(adapter: Adapter, moment: Moment) -> Tread:
    """One moment in tokens."""
    return Tread(adapter.tokens(moment), moment.action, moment.result, moment.after.fingerprint)


class Tracker:
    """Tokens while an episode is being played."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._last: Observation | None = None

    def first(self, observation: Observation) -> Tread:
        """The first screen."""
        self._last = observation
        return tread(self._adapter, Moment(observation))

    def step(self, action: Action, result: ActResult, observation: Observation) -> Tread:
        """One step."""
        before, self._last = self._last, observation
        return tread(self._adapter, Moment(observation, before, action, result))


def ended(treads: Sequence[Tread]) -> str:
    """How a trail ends: finish, give_up, or cut where neither was said."""
    last = treads[-1].action if treads else None
    return "finish" if isinstance(last, Finish) else "give_up" if isinstance(last, GiveUp) else "cut"
