"""Running mean and variance of rewards, for each environment by itself, so that all can be put on one scale."""

import math
from collections.abc import Mapping

from msgspec import Struct


class Moments(Struct):
    """Count, mean and spread of a stream of numbers, kept without the numbers (Welford); two streams can be merged."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances from the mean

    def add(self, value: float) -> None:
        """Take in one number. Raises ValueError where it is none."""
        if not math.isfinite(value):
            raise ValueError(f"expected a finite number, found {value}")
        self.count += 1
        away = value - self.mean
        self.mean += away / self.count
        self.squares += away * (value - self.mean)

    def merge(self, other: "Moments") -> None:
        """Take in all that another has taken in."""
        count = self.count + other.count
        if other.count == 0:
            return
        away = other.mean - self.mean
        self.squares += other.squares + away * away * self.count * other.count / count
        self.mean += away * other.count / count
        self.count = count

    @property
    def variance(self) -> float:
        """Of the numbers taken in themselves (n below the line, not n - 1); 0 for fewer than two."""
        return max(self.squares / self.count, 0.0) if self.count > 1 else 0.0

    @property
    def deviation(self) -> float:
        """Square root of the variance."""
        return math.sqrt(self.variance)


class RewardStats:
    """Moments of the rewards by environment; what has hardly been seen borrows the moments of all."""

    def __init__(self, *, enough: int = 20, clip: float = 10.0) -> None:
        self._enough = enough  # numbers before an environment speaks for itself
        self._clip = clip
        self._by_environment: dict[str, Moments] = {}
        self._all = Moments()

    def add(self, environment: str, reward: float) -> None:
        """Take in a reward; of an episode or of a step, but always the same of both. Raises ValueError."""
        self._all.add(reward)
        self._by_environment.setdefault(environment, Moments()).add(reward)

    def of(self, environment: str) -> Moments:
        """What is known of one environment."""
        return self._by_environment.get(environment, Moments())

    def normalised(self, environment: str, reward: float) -> float:
        """(reward - mean) / deviation, within [-clip, clip]; 0 where nothing varies."""
        own = self.of(environment)
        used = own if own.count >= self._enough else self._all
        if used.deviation < 1e-8:
            return 0.0
        return max(-self._clip, min(self._clip, (reward - used.mean) / used.deviation))

    def merge(self, others: Mapping[str, Moments]) -> None:
        """Take in what another process has seen."""
        for environment, moments in others.items():
            self._all.merge(moments)
            self._by_environment.setdefault(environment, Moments()).merge(moments)

    def snapshot(self) -> dict[str, Moments]:
        """A copy to send to `merge` of another process."""
        return {name: Moments(each.count, each.mean, each.squares) for name, each in self._by_environment.items()}

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        named = {
            "reward_count": self._all.count,
            "reward_mean": self._all.mean,
            "reward_deviation": self._all.deviation,
            "reward_environments": len(self._by_environment),
        }
        return {key: float(value) for key, value in named.items()}
