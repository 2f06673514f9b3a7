"""What of a world was met: tokens and the steps from one to the next; and whether an agent goes round in circles."""

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from msgspec import Struct

from sandbox.contracts.storage import to_json
from sandbox.semantics.rules import Adapter
from sandbox.semantics.trails import Tread

LONGEST_PERIOD = 6


class Coverage:
    """Tokens and transitions that were met, against those that the rules can say."""

    def __init__(self, adapter: Adapter) -> None:
        self._known = frozenset(rule.token for rule in adapter.rules)
        self.tokens: Counter[str] = Counter()
        self.transitions: Counter[tuple[str, str]] = Counter()
        self.steps = 0
        self.silent = 0  # steps of which no rule said anything

    def add(self, treads: Sequence[Tread]) -> None:
        """Take in one trail."""
        for number, tread in enumerate(treads):
            self.meet(treads[number - 1].tokens if number else frozenset(), tread.tokens)

    def meet(self, before: frozenset[str], now: frozenset[str]) -> float:
        """Take in one step; how new it was, 0 to 1: 1 / sqrt(times met) of its rarest token or transition."""
        self.steps += 1
        self.silent += not now
        self.tokens.update(now)
        self.transitions.update((one, other) for one in before for other in now)
        counts = [self.tokens[token] for token in now]
        counts += [self.transitions[one, other] for one in before for other in now]
        return min(counts) ** -0.5 if counts else 0.0

    @property
    def unmet(self) -> frozenset[str]:
        """Tokens that the rules can say and nobody has met."""
        return self._known - self.tokens.keys()

    def share(self) -> float:
        """Met tokens of those that can be said, 0 to 1."""
        return len(self._known & self.tokens.keys()) / max(len(self._known), 1)

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        return {
            "coverage_tokens": len(self.tokens),
            "coverage_token_share": self.share(),
            "coverage_transitions": len(self.transitions),
            "coverage_transition_share": len(self.transitions) / max(len(self._known) ** 2, 1),
            "coverage_silent_share": self.silent / max(self.steps, 1),
        }


class Loop(Struct, frozen=True):
    """The same `period` steps done `times` times in a row, ending at step `end` (counted from 0)."""

    end: int
    period: int
    times: int


class LoopDetector:
    """Says when an agent does the same few things on the same few screens again and again.

    A step is what was done and the screen that came of it: a page that changes, such as a list that is worked off,
    is no loop, however alike the actions are.
    """

    def __init__(self, *, times: int = 3) -> None:
        if times < 2:
            raise ValueError(f"expected at least two rounds to be a loop, found {times}")
        self._times = times
        self._steps: deque[tuple[str, str]] = deque(maxlen=LONGEST_PERIOD * times)
        self._count = 0

    def add(self, tread: Tread) -> Loop | None:
        """Take in one step; the shortest loop that it closes, if any."""
        action = "" if tread.action is None else to_json(tread.action)
        self._steps.append((action, tread.fingerprint))
        self._count += 1
        steps = list(self._steps)
        for period in range(1, len(steps) // self._times + 1):
            last = steps[-period:]
            rounds = (steps[len(steps) - (n + 1) * period : len(steps) - n * period] for n in range(self._times))
            if all(each == last for each in rounds):
                return Loop(self._count - 1, period, self._times)
        return None


def loops(treads: Iterable[Tread], *, times: int = 3) -> tuple[Loop, ...]:
    """Every step of a trail that closes a loop."""
    detector = LoopDetector(times=times)
    return tuple(found for found in map(detector.add, treads) if found is not None)
