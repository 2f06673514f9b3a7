"""Verified success of a policy on held-out tasks in Chromium, with intervals; two policies on the same tasks."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct

from learning.intervals import wilson
from learning.rollouts import Episode, Played, play_all, verified
from sandbox.contracts.tasks import Split


class Ended(Struct, frozen=True):
    """One held-out task and how it ended."""

    template: str
    seed: int
    outcome: str  # verified, failed, unverified, lost
    steps: int
    detail: str = ""


class Rate(Struct, frozen=True):
    """A template's share of verified tasks."""

    episodes: int
    verified: int
    rate: float
    interval: tuple[float, float]
    mean_steps: float


class Evaluation(Struct, frozen=True):
    """What came of it. Episodes whose console died are counted as `lost`, and not as the policy's failures."""

    policy: str
    split: Split
    seed: int
    templates: dict[str, Rate]
    overall: Rate
    lost: int
    proposing_ms: float
    seconds: float
    episodes: tuple[Ended, ...]

    def as_data(self) -> dict[str, Any]:
        """Plain data for evaluation.json and the card; of the episodes, those that were not verified."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data["failures"] = [each for each in data.pop("episodes") if each["outcome"] != "verified"]
        return data


class Pairing(Struct, frozen=True):
    """The same tasks by two policies."""

    tasks: int
    both: int
    only_one: int
    only_other: int
    neither: int


def evaluate(
    folder: Path,
    *,
    templates: Sequence[str],
    episodes: int,
    seed: int,
    split: Split = "test",
    workers: int = 0,
    name: str = "policy",
    report: Callable[[int, int, int], None] = lambda done, all_, verified: None,
    heard: Callable[[Played], None] = lambda _: None,
) -> Evaluation:
    """`episodes` tasks of each template, seeds from `seed`; nobody corrects. Reports (done, all, verified)."""
    began = time.monotonic()
    asked = [Episode(each, seed + n, split, "try", in_browser=True) for n in range(episodes) for each in templates]
    counts = [0, 0]

    def count(played: Played) -> None:
        counts[0] += 1
        counts[1] += verified(played)
        report(counts[0], len(asked), counts[1])
        heard(played)

    played = play_all(asked, policy_folder=folder, name=name, workers=workers, heard=count)
    ended = tuple(_ended(each) for each in played)
    counted = [each for each in ended if each.outcome != "lost"]
    return Evaluation(
        policy=name,
        split=split,
        seed=seed,
        templates={each: rate([e for e in counted if e.template == each]) for each in sorted(templates)},
        overall=rate(counted),
        lost=len(ended) - len(counted),
        proposing_ms=median([each.proposing_ms for each in played if not each.lost] or [0.0]),
        seconds=time.monotonic() - began,
        episodes=ended,
    )


def rate(ended: Sequence[Ended]) -> Rate:
    """Share of verified tasks among those that ended."""
    good = sum(each.outcome == "verified" for each in ended)
    steps = sum(each.steps for each in ended) / len(ended) if ended else 0.0
    return Rate(len(ended), good, good / len(ended) if ended else 0.0, wilson(good, len(ended)), steps)


def compare(one: Evaluation, other: Evaluation) -> Pairing:
    """Count tasks that both, one or none did; only tasks that ended for both count."""
    theirs = {(e.template, e.seed): e.outcome == "verified" for e in other.episodes if e.outcome != "lost"}
    pairs = [
        (each.outcome == "verified", theirs[(each.template, each.seed)])
        for each in one.episodes
        if each.outcome != "lost" and (each.template, each.seed) in theirs
    ]
    return Pairing(
        tasks=len(pairs),
        both=pairs.count((True, True)),
        only_one=pairs.count((True, False)),
        only_other=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )


def _ended(played: Played) -> Ended:
    episode, trajectory = played.episode, played.trajectory
    if trajectory is None:
        return Ended(episode.template, episode.seed, "lost", 0, played.lost)
    wrong = [check.name for check in trajectory.verification.checks if not check.holds]
    outcome = str(trajectory.verification.outcome)
    return Ended(episode.template, episode.seed, outcome, len(trajectory.steps), ", ".join(wrong))
