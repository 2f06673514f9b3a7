"""Suspicious mappings: small rules over what an adapter said of many episodes, each with its finding in words."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.contracts.actions import ActOutcome
from sandbox.semantics.rules import Adapter
from sandbox.semantics.trails import Tread, ended

Severity: TypeAlias = Literal["fault", "note"]

WRITES = frozenset({"CREATED", "CHANGED", "DELETED"})
STANDING = frozenset({"FORM_OPEN", "LIST_SHOWN", "DETAIL_SHOWN", "DIALOG_OPEN"})  # what may be said at every step
CONTRADICTIONS = (
    ("NOTHING_HAPPENED", "CREATED"),
    ("NOTHING_HAPPENED", "DELETED"),
    ("NOTHING_HAPPENED", "SCREEN_CHANGED"),
    ("DIALOG_OPEN", "DIALOG_CLOSED"),
    ("FINISHED", "GAVE_UP"),
    ("UNUSABLE", "FIELD_FILLED"),
    ("UNUSABLE", "CREATED"),
)
_ENDS = {"finish": "FINISHED", "give_up": "GAVE_UP"}
_ENOUGH = 30  # steps, below which nothing can be said


class Finding(Struct, frozen=True):
    """One suspicion about a mapping. A fault fails the calibration, a note is for people to look at."""

    check: str
    severity: Severity
    sentence: str


class Seen(Struct, frozen=True):
    """What the checks look at."""

    adapter: Adapter
    trails: Sequence[Sequence[Tread]]

    @property
    def treads(self) -> Iterator[Tread]:
        """All steps of all episodes."""
        return (tread for trail in self.trails for tread in trail)


Check: TypeAlias = Callable[[Seen], Iterator[Finding]]


def suspicious(adapter: Adapter, trails: Sequence[Sequence[Tread]]) -> tuple[Finding, ...]:
    """Everything that looks wrong about how this adapter read these episodes, faults first."""
    seen = Seen(adapter, trails)
    found = [finding for check in CHECKS for finding in check(seen)]
    return tuple(sorted(found, key=lambda finding: finding.severity != "fault"))


def silent_steps(seen: Seen) -> Iterator[Finding]:
    """Steps of which no rule says anything."""
    counts = [not tread.tokens for tread in seen.treads]
    share = sum(counts) / max(len(counts), 1)
    if share > 0.2:
        yield Finding("silent_steps", "fault", f"no rule says anything of {share:.0%} of the steps")


def says_always_the_same(seen: Seen) -> Iterator[Finding]:
    """Tokens that are said at every step tell nothing."""
    treads = list(seen.treads)
    said = Counter(token for tread in treads for token in tread.tokens)
    for token, count in sorted(said.items()):
        if len(treads) >= _ENOUGH and count == len(treads) and token not in STANDING:
            yield Finding("says_always_the_same", "fault", f"{token} is said of every one of {count} steps")


def contradicts_itself(seen: Seen) -> Iterator[Finding]:
    """Tokens that cannot both be true of one step."""
    for one, other in CONTRADICTIONS:
        count = sum({one, other} <= tread.tokens for tread in seen.treads)
        if count:
            yield Finding("contradicts_itself", "fault", f"{one} and {other} are both said of {count} steps")


def writes_without_change(seen: Seen) -> Iterator[Finding]:
    """Something is said to have been made or gone, and the screen is the same as before."""
    wrong: Counter[str] = Counter()
    for trail in seen.trails:
        for before, after in pairwise(trail):
            refused = after.result is not None and after.result.outcome is not ActOutcome.DONE
            if before.fingerprint == after.fingerprint or refused:
                wrong.update(after.tokens & WRITES)
    for token, count in sorted(wrong.items()):
        yield Finding("writes_without_change", "fault", f"{token} is said of {count} steps that changed nothing")


def ends_unsaid(seen: Seen) -> Iterator[Finding]:
    """An episode ends by a word of the agent, and the adapter does not say so."""
    for end, token in _ENDS.items():
        missed = sum(ended(trail) == end and token not in trail[-1].tokens for trail in seen.trails)
        if missed:
            yield Finding("ends_unsaid", "fault", f"{token} is not said at the end of {missed} episodes")


def always_together(seen: Seen) -> Iterator[Finding]:
    """Two tokens that are never said apart may be one meaning under two names."""
    treads = list(seen.treads)
    said = Counter(token for tread in treads for token in tread.tokens)
    pairs = Counter((a, b) for tread in treads for a in tread.tokens for b in tread.tokens if a < b)
    for (one, other), count in sorted(pairs.items()):
        if count >= _ENOUGH and count == said[one] == said[other]:
            yield Finding("always_together", "note", f"{one} and {other} are said together in all of {count} steps")


def never_said(seen: Seen) -> Iterator[Finding]:
    """Rules that no episode has made speak."""
    said = {token for tread in seen.treads for token in tread.tokens}
    silent = sorted({rule.token for rule in seen.adapter.rules} - said)
    if silent:
        yield Finding("never_said", "note", f"not met in these episodes: {', '.join(silent)}")


CHECKS: tuple[Check, ...] = (
    silent_steps,
    says_always_the_same,
    contradicts_itself,
    writes_without_change,
    ends_unsaid,
    always_together,
    never_said,
)
