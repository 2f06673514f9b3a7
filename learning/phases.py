"""The phases of a practice as data: what each changes, when it is over, and when training goes wrong."""

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Literal

from msgspec import Struct


class Condition(Struct, frozen=True):
    """One number of the curves, as it must be for some updates in a row."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    updates: int = 3

    def holds(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether it held in each of the last updates; a number that is not there does not hold."""
        late = history[-self.updates :]
        return len(late) == self.updates and all(self._one(each.get(self.metric)) for each in late)

    def _one(self, value: float | None) -> bool:
        if value is None:
            return False
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


class Settled(Struct, frozen=True):
    """A number that has stopped rising: the mean of the last updates is hardly above that of those before them."""

    metric: str
    gain: float
    updates: int = 10

    def holds(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether there were enough updates, and no gain."""
        values = [each[self.metric] for each in history if self.metric in each]
        if len(values) < 2 * self.updates:
            return False
        return fmean(values[-self.updates :]) - fmean(values[-2 * self.updates : -self.updates]) < self.gain


class Phase(Struct, frozen=True):
    """What a stretch of practice is for. It is over when all of `until` hold, or after `most` updates."""

    name: Literal["calibrate", "explore", "refine", "stress"]
    until: tuple[Condition | Settled, ...]
    most: int
    even: float = 0.0  # largest share of actions tried just to see; less the more is covered
    changed: int | None = None  # so many dimensions of a variant leave their plain value, at most; None = any number
    starts: float = 0.0  # share of episodes that begin partway on a known path
    critic_only: bool = False

    def over(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether the next phase begins, given the curves of this one."""
        return len(history) >= self.most or (bool(self.until) and all(each.holds(history) for each in self.until))


PHASES = (
    Phase("calibrate", (Condition("explained", at_least=0.3, updates=2),), most=6, changed=4, critic_only=True),
    Phase("explore", (Condition("coverage", at_least=0.92),), most=60, even=0.1, changed=6, starts=0.3),
    Phase("refine", (Settled("success", gain=0.01),), most=400, even=0.02, starts=0.2),
    Phase("stress", (Condition("consistency", at_least=0.82, updates=1), Settled("success", gain=0.005)), most=400),
)


def evenness(phase: Phase, coverage: float) -> float:
    """Share of actions tried just to see: as much as the phase allows where nothing is covered, none where all is."""
    return phase.even * min(1.0, max(0.0, 1.0 - coverage))


class Progression(Struct):
    """Where a practice stands among its phases; plain data."""

    number: int = 0
    history: list[dict[str, float]] = []  # msgspec copies a default list; of this phase

    def step(self, phases: Sequence[Phase], points: Mapping[str, float]) -> Phase:
        """Take in the curves of one update; the phase that the next one belongs to."""
        self.history.append({name: float(value) for name, value in points.items()})
        if self.number < len(phases) - 1 and phases[self.number].over(self.history):
            self.number += 1
            self.history = []
        return phases[self.number]


def collapsed(history: Sequence[Mapping[str, float]], *, window: int = 8, fall: float = 0.1) -> bool:
    """Whether behaviour collapses: reward rises while verified success falls, which is a reward that is being farmed.

    The last `window` updates against those before them: success fell by `fall` or more, reward rose by more than what
    chance makes of its mean.
    """
    if len(history) < 2 * window:
        return False
    before, late = history[-2 * window : -window], history[-window:]
    fell = fmean(each["success"] for each in before) - fmean(each["success"] for each in late)
    rewards = [each["reward"] for each in before]
    rose = fmean(each["reward"] for each in late) - fmean(rewards)
    return fell >= fall and rose > 2 * pstdev(rewards) / window**0.5
