"""A few kinds of tickets of the simulated console, without a browser: demonstrated by oracles, tried by networks."""

import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from learning import bc
from learning.networks import ElementSetPolicy, Shape
from learning.rollouts import Episode, play
from learning.samples import Sample
from learning.unexported import Unexported
from sandbox import env
from sandbox.contracts.tasks import Outcome, Split
from sandbox.contracts.trajectories import Trajectory

SMALL = Shape(width=48, layers=1, heads=4, word_width=16)
TEMPLATES = (
    "cloud/create-disk",
    "cloud/create-security-group",
    "cloud/stop-instance",
    "cloud/attach-disk",
    "cloud/delete-snapshot",
    "cloud/suspend-user",
)
TESTED_FROM = 5_000_000  # seeds of the split `test`, whose names nobody was trained on


def demonstrated(templates: Sequence[str], seeds: Sequence[int], *, split: Split = "train") -> list[Trajectory]:
    """What the oracles do, one episode of each template and seed."""
    gym = env.player("cloud")
    return [play(gym, Episode(name, seed, split, "demonstrate"), None) for seed in seeds for name in templates]


def tried(network: ElementSetPolicy, templates: Sequence[str], seeds: Sequence[int], *, split: Split) -> list[bool]:
    """Whether a network does each task to `verified` by itself; templates within seeds."""
    gym, policy = env.player("cloud"), Unexported(network, name="tried")
    played = [play(gym, Episode(name, seed, split, "try"), policy) for seed in seeds for name in templates]
    return [each.verification.outcome is Outcome.VERIFIED for each in played]


def success(network: ElementSetPolicy, *, episodes: int, templates: Sequence[str] = TEMPLATES) -> float:
    """Share of held-out tasks that are verified, `episodes` of each template."""
    found = tried(network, templates, range(TESTED_FROM, TESTED_FROM + episodes), split="test")
    return sum(found) / len(found)


def cloned(samples: Sequence[Sample], network: ElementSetPolicy, *, steps: int, seed: int) -> ElementSetPolicy:
    """The network after so many steps of behaviour cloning; nothing is held out."""
    recipe = bc.Recipe(steps=steps, batch=32, held_out_one_in=10**9, judge_every=10**9, seed=seed)
    with TemporaryDirectory() as work:
        bc.train(
            samples,
            network,
            recipe,
            work=Path(work),
            budget_s=math.inf,
            report=lambda _: None,
            should_stop=lambda: False,
        )
    return network
