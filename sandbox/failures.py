"""Why trajectories failed: alike ones are put together by their tokens, and each cluster gets its likeliest cause."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.coverage import loops
from sandbox.semantics.rules import Adapter, vocabulary
from sandbox.semantics.trails import Tread, ended, trail

MOST = 300  # trajectories that are compared with each other; the rest join the nearest cluster

# What speaks for a cause, by feature: tokens, how it ended, and what was found on the way.
CAUSES: Mapping[str, Mapping[str, float]] = {
    "time_out": {"TIMED_OUT": 3, "LOADING": 1, "end:cut": 0.8},
    "refused_input": {"REFUSED_INPUT": 3, "QUOTA_EXCEEDED": 3, "CONFLICT": 3},
    "not_found": {"NOT_FOUND": 3, "EMPTY_RESULT": 2},
    "wrong_target": {"wrote:failed": 2, "UNUSABLE": 2},
    "gave_up": {"end:give_up": 2.5},
    "loop": {"loop": 3.5},
    "blocked_by_policy": {"BLOCKED": 3.5, "FORBIDDEN": 3},
    "signed_out": {"SIGNED_OUT": 2},
    "server_failed": {"SERVER_FAILED": 3},
    "too_much_asked": {"RATE_LIMITED": 3},
    "interrupted": {"INTERRUPTED": 1},
    "stopped_early": {"idle:finish": 1.5},
}
_WRITES = frozenset({"CREATED", "CHANGED", "DELETED"})
_LATE = 0.5  # what happens in the second half weighs more


class Cluster(Struct, frozen=True):
    """Failures that are alike."""

    cause: str
    confidence: float  # 0 to 1: how far the cause is ahead of the next one
    trajectories: tuple[str, ...]  # ids, the most typical first
    share: float  # of all failures
    marks: tuple[str, ...]  # what sets it apart from the other failures, strongest first


def clusters(
    trajectories: Sequence[Trajectory], *, adapter: Adapter | None = None, threshold: float = 0.35
) -> tuple[Cluster, ...]:
    """The failed ones among these, largest cluster first. `threshold` is the cosine distance that keeps two apart."""
    failed = [each for each in trajectories if each.verification.outcome is not Outcome.VERIFIED]
    if not failed:
        return ()
    table = np.stack([features(trail(each, adapter), each) for each in failed])  # (N, F)
    labels = _grouped(table, threshold)
    made = [
        _cluster([failed[n] for n in np.flatnonzero(labels == label)], table, labels == label) for label in set(labels)
    ]
    return tuple(sorted(made, key=lambda each: (-len(each.trajectories), each.cause)))


def names() -> tuple[str, ...]:
    """What the columns of `features` mean."""
    ends = ("end:finish", "end:give_up", "end:cut", "loop", "wrote:failed", "idle:finish")
    return (*sorted(vocabulary()), *ends)


def features(treads: Sequence[Tread], trajectory: Trajectory) -> NDArray[np.float64]:
    """(F,) one trajectory: how present each token was, late ones more so, then how it ended."""
    found = dict.fromkeys(names(), 0.0)
    for place, tread in enumerate(treads):
        weight = 1.0 if place >= _LATE * (len(treads) - 1) else 0.5
        for token in tread.tokens & found.keys():
            found[token] = max(found[token], weight)
    end = ended(treads)
    wrote = any(tread.tokens & _WRITES for tread in treads)
    found[f"end:{end}"] = 1.0
    found["loop"] = float(bool(loops(treads)))
    found["wrote:failed"] = float(wrote and end == "finish")
    found["idle:finish"] = float(not wrote and end == "finish")
    return np.array([found[name] for name in names()])


def cause_of(row: NDArray[np.float64]) -> tuple[str, float]:
    """The likeliest cause of one row of features (F,), and how far it is ahead, 0 to 1."""
    column = {name: place for place, name in enumerate(names())}
    scores = {
        cause: sum(weight * float(row[column[name]]) for name, weight in table.items())
        for cause, table in CAUSES.items()
    }
    first, second = sorted(scores.values(), reverse=True)[:2]
    if first <= 0:
        return "unknown", 0.0
    return max(scores, key=lambda cause: scores[cause]), (first - second) / first


def _cluster(members: Sequence[Trajectory], table: NDArray[np.float64], mine: NDArray[np.bool_]) -> Cluster:
    own = table[mine]  # (M, F)
    centre = own.mean(axis=0)
    cause, confidence = cause_of(centre)
    typical = np.argsort(np.linalg.norm(own - centre, axis=1), kind="stable")
    others = table[~mine].mean(axis=0) if not mine.all() else np.zeros_like(centre)
    lift = centre - others
    marks = tuple(names()[place] for place in np.argsort(-lift, kind="stable")[:4] if lift[place] > 0.1)
    return Cluster(cause, confidence, tuple(members[n].id for n in typical), len(members) / len(table), marks)


@cache
def _telling() -> NDArray[np.float64]:
    """(F,) how much a feature tells of a cause: what happens on any way tells little."""
    weights = [max(table.get(name, 0.0) for table in CAUSES.values()) for name in names()]
    return np.maximum(np.array(weights) / max(weights), 0.05)


def _grouped(table: NDArray[np.float64], threshold: float) -> NDArray[np.int64]:
    """(N,) a label for each row: average linkage on cosine distance, cut at the threshold."""
    informative = table * _telling()
    rows = informative / np.maximum(np.linalg.norm(informative, axis=1, keepdims=True), 1e-9)
    first = rows[:MOST]
    groups = [[n] for n in range(len(first))]
    apart = 1 - first @ first.T  # (M, M)
    np.fill_diagonal(apart, np.inf)
    while len(groups) > 1:
        one, other = sorted(np.unravel_index(int(np.argmin(apart)), apart.shape))
        if apart[one, other] > threshold:
            break
        sizes = len(groups[one]), len(groups[other])
        merged = (apart[one] * sizes[0] + apart[other] * sizes[1]) / sum(sizes)
        merged[one] = np.inf
        apart[one], apart[:, one] = merged, merged
        apart = np.delete(np.delete(apart, other, axis=0), other, axis=1)
        groups[one] += groups.pop(other)
    labels = np.zeros(len(rows), dtype=np.int64)
    for label, group in enumerate(groups):
        labels[group] = label
    centres = np.stack([first[group].mean(axis=0) for group in groups])
    labels[MOST:] = np.argmax(rows[MOST:] @ centres.T, axis=1)
    return labels
