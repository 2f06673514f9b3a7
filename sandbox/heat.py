"""How often and how lately each variant was drawn: `h = 0.95 h + 1` when drawn, `h = 0.95 h` when another was."""

import math
import random
from collections.abc import Sequence

DECAY = 0.95
_FORGOTTEN = 1e-9  # as good as never drawn


class Heat:
    """Warmth by key. A draw costs the same whether ten keys are known or ten million.

    Kept as `log h - t log decay`, t the number of draws so far: that number stays as it is while others are drawn,
    keeps the order of two keys for ever, and neither over- nor underflows.
    """

    def __init__(self, *, decay: float = DECAY, remember: int = 100_000) -> None:
        if not 0 < decay < 1:
            raise ValueError(f"expected a decay between 0 and 1, found {decay}")
        self._log_decay = math.log(decay)
        self._remember = remember
        self._kept: dict[str, float] = {}
        self.draws = 0

    def of(self, key: str) -> float:
        """The heat of a key now, 0 where it was never drawn; at most 1 / (1 - decay)."""
        kept = self._kept.get(key)
        return 0.0 if kept is None else math.exp(kept + self.draws * self._log_decay)

    def coldest(self, offers: Sequence[str], rng: random.Random) -> str:
        """The coldest of these keys; among equally cold ones any. Raises ValueError for no offers."""
        if not offers:
            raise ValueError("expected at least one key to choose from")
        return min(offers, key=lambda key: (self._kept.get(key, -math.inf), rng.random()))

    def draw(self, key: str) -> None:
        """Note that a key was drawn: it warms, all others cool."""
        self.draws += 1
        warmed = 1.0 + self.of(key)  # `of` has the decay of this draw in it
        self._kept[key] = math.log(warmed) - self.draws * self._log_decay
        if len(self._kept) > self._remember:
            self._forget()

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        warm = sum(self.of(key) >= 0.5 for key in self._kept)
        return {"heat_draws": self.draws, "heat_known": len(self._kept), "heat_warm": warm}

    def _forget(self) -> None:
        """Let go of what is cold; at the least of the colder half, so that this is rare."""
        floor = sorted(self._kept.values())[len(self._kept) // 2]
        cold = math.log(_FORGOTTEN) - self.draws * self._log_decay
        self._kept = {key: kept for key, kept in self._kept.items() if kept > max(floor, cold)}
