"""Two policies on the same tasks, with the same seeds: an exact test of whether one is better."""

from collections.abc import Sequence
from math import comb
from typing import Protocol

from msgspec import Struct


class End(Protocol):
    """How one task ended."""

    @property
    def template(self) -> str:
        """What kind of task it was."""
        ...

    @property
    def task(self) -> tuple[str, ...]:
        """What makes it the same task."""
        ...

    @property
    def outcome(self) -> str:
        """verified, failed, unverified or lost."""
        ...


class Pairing(Struct, frozen=True):
    """The same tasks by two policies."""

    tasks: int
    both: int
    only_one: int
    only_other: int
    neither: int

    @property
    def p_value(self) -> float:
        """How likely so uneven a split, or a more uneven one, is by chance where both are equally good (two-sided)."""
        return sign_test(self.only_one, self.only_other)


def sign_test(one: int, other: int) -> float:
    """Exact two-sided binomial test of so many against so many; 1 where there is nothing to go by."""
    count, fewer = one + other, min(one, other)
    tail = sum(comb(count, n) for n in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << count))  # of whole numbers: more than a thousand tasks are beyond a float's range


def pair(one: Sequence[End], other: Sequence[End]) -> Pairing:
    """Count tasks that both, one or none did; only tasks that ended for both count."""
    theirs = {each.task: each.outcome == "verified" for each in other if each.outcome != "lost"}
    pairs = [
        (each.outcome == "verified", theirs[each.task])
        for each in one
        if each.outcome != "lost" and each.task in theirs
    ]
    return Pairing(
        tasks=len(pairs),
        both=pairs.count((True, True)),
        only_one=pairs.count((True, False)),
        only_other=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )


def by_template(one: Sequence[End], other: Sequence[End]) -> dict[str, Pairing]:
    """The same for each template that both had."""
    names = sorted({each.template for each in one} & {each.template for each in other})
    return {
        name: pair([each for each in one if each.template == name], [each for each in other if each.template == name])
        for name in names
    }
