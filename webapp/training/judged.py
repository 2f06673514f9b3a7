"""What an evaluation's report says, as the HTTP API gives it."""

import json
from typing import Any

from ninja import Schema

from learning.pairing import sign_test


class Share(Schema):
    """So many of so many, with Wilson's 95 % interval."""

    count: int
    of: int
    rate: float
    interval: tuple[float, float]


class TaskRate(Schema):
    """A template's share of verified tasks."""

    episodes: int
    verified: int
    rate: float
    interval: tuple[float, float]
    mean_steps: float


class SplitRates(Schema):
    """All templates of one split; consoles that died are `lost` and no failure of the policy."""

    split: str
    templates: dict[str, TaskRate]
    overall: TaskRate
    lost: int
    proposing_ms: float


class Failure(Schema):
    """A task that was not verified; `replay` is the name of its replay, "" where it was lost."""

    template: str
    split: str
    seed: int
    variant: str
    outcome: str
    detail: str
    steps: int
    replay: str


class Conduct(Schema):
    invalid_actions: Share
    idle_actions: Share
    gave_up: Share
    over_optimal: float | None
    approvals: dict[str, float]  # questions to people an episode, by what goes without asking


class Cause(Schema):
    """Failures that are alike; `trajectories` are names of replays, the most typical first."""

    environment: str
    cause: str
    confidence: float
    share: float
    marks: list[str]
    trajectories: list[str]


class Ground(Schema):
    met: dict[str, dict[str, float]]  # template -> token -> share of its episodes
    share: dict[str, float]
    unmet: dict[str, list[str]]


class Consistency(Schema):
    overall: Share
    templates: dict[str, Share]


class Pairing(Schema):
    """The same tasks by two versions; `p_value` is of an exact two-sided sign test."""

    tasks: int
    both: int
    only_one: int
    only_other: int
    neither: int
    p_value: float


class Against(Schema):
    policy: str
    evaluations: list[SplitRates]
    pairing: Pairing
    templates: dict[str, Pairing]
    same_actions: Consistency | None


class Judgement(Schema):
    evaluations: list[SplitRates]
    failures: list[Failure]
    conduct: Conduct
    ground: Ground
    causes: list[Cause]
    variants: Consistency | None
    against: Against | None


def judgement(report: bytes) -> dict[str, Any]:
    """A report.json as the page wants it: of the episodes, those that were not verified."""
    found: dict[str, Any] = json.loads(report)
    episodes = [each for evaluation in found["evaluations"] for each in evaluation["episodes"]]
    found["failures"] = [{**each, "replay": each["trajectory"]} for each in episodes if each["outcome"] != "verified"]
    if found["against"] is not None:
        for pairing in (found["against"]["pairing"], *found["against"]["templates"].values()):
            pairing["p_value"] = sign_test(pairing["only_one"], pairing["only_other"])
    return found
