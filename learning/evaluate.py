"""Verified success of a policy on tasks it has not seen, with intervals; two policies on the same tasks.

Run: python -m learning.evaluate POLICY_FOLDER --out FOLDER [--against OTHER_POLICY_FOLDER]
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct

from learning.intervals import wilson
from learning.pairing import Pairing, pair
from learning.rollouts import Episode, Played, play_all, verified
from sandbox.contracts.tasks import Split
from sandbox.registry import find_environment
from sandbox.variants import VariantGenerator


class Ended(Struct, frozen=True):
    """One task and how it ended."""

    template: str
    seed: int
    outcome: str  # verified, failed, unverified, lost
    steps: int
    detail: str = ""
    split: Split = "test"
    variant: str = ""  # id of the environment with its recipe; "" = the plain one
    trajectory: str = ""  # its id, "" where it was lost

    @property
    def task(self) -> tuple[str, ...]:
        """What makes it the same task for another policy."""
        return self.template, self.split, str(self.seed), self.variant


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


def evaluate(
    folder: Path,
    *,
    templates: Sequence[str],
    episodes: int,
    seed: int,
    split: Split = "test",
    workers: int = 0,
    name: str = "policy",
    in_browser: bool = True,
    variants: int = 0,
    report: Callable[[int, int, int], None] = lambda done, all_, verified: None,
    heard: Callable[[Played], None] = lambda _: None,
    go_on: Callable[[], bool] = lambda: True,
) -> Evaluation:
    """`episodes` tasks of each template, seeds from `seed`; nobody corrects. Reports (done, all, verified).

    variants: each task in a console that differs from the plain one in at most so many ways that the split may meet;
    the same for every policy. `go_on` is asked after each: where it says no, the rest is not tried.
    """
    began = time.monotonic()
    asked = [
        Episode(each, seed + n, split, "try", in_browser=in_browser, variant=_variant(each, seed + n, split, variants))
        for n in range(episodes)
        for each in templates
    ]
    counts = [0, 0]

    def count(played: Played) -> None:
        counts[0] += 1
        counts[1] += verified(played)
        report(counts[0], len(asked), counts[1])
        heard(played)

    played = play_all(asked, policy_folder=folder, name=name, workers=workers, heard=count, go_on=go_on)
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
    """Two policies on the tasks that ended for both."""
    return pair(one.episodes, other.episodes)


def _variant(template: str, seed: int, split: Split, changed: int) -> str:
    if not changed:
        return ""
    generator = VariantGenerator.of(find_environment(template.partition("/")[0]))
    rng = random.Random(f"variant:{template}:{seed}")  # noqa: S311  # not a secret
    return generator.draw(rng, split, changed=changed)


def _ended(played: Played) -> Ended:
    episode, trajectory = played.episode, played.trajectory
    if trajectory is None:
        return Ended(episode.template, episode.seed, "lost", 0, played.lost, episode.split, episode.variant)
    wrong = ", ".join(check.name for check in trajectory.verification.checks if not check.holds)
    outcome, steps = str(trajectory.verification.outcome), len(trajectory.steps)
    return Ended(episode.template, episode.seed, outcome, steps, wrong, episode.split, episode.variant, trajectory.id)


if __name__ == "__main__":
    from learning.judging import main  # the whole judgement stands on this module

    sys.exit(main())
