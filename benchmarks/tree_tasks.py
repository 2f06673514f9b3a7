"""A few kinds of tickets of the simulated console, without a browser: demonstrated by oracles, tried by networks."""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from learning import bc
from learning.networks import ElementSetPolicy, Shape
from learning.rollouts import Episode, Mode, play
from learning.samples import Sample
from learning.unexported import Unexported
from sandbox import env, registry
from sandbox.contracts.tasks import Outcome, Split
from sandbox.contracts.trajectories import Trajectory
from sandbox.variants import environment_id

SMALL = Shape(width=48, layers=1, heads=4, word_width=16)
TEMPLATES = (
    "cloud/create-disk",
    "cloud/create-security-group",
    "cloud/stop-instance",
    "cloud/attach-disk",
    "cloud/delete-snapshot",
    "cloud/suspend-user",
)
LOOKS = ("words", "nav", "list", "form", "theme", "order", "defaults", "popups", "latency")
TESTED_FROM = 5_000_000  # seeds of the split `test`, whose names nobody was trained on


def look(seed: int) -> str:
    """The console in one of many looks: two dimensions other than plain, with values of the training split."""
    rng = random.Random(f"look:{seed}")  # noqa: S311  # a workload, not a secret
    known = {each.name: each for each in registry.find_environment("cloud").dimensions}
    recipe = {name: rng.choice(known[name].of("train")) for name in rng.sample(LOOKS, 2)}
    return environment_id("cloud", recipe)


def demonstrated(templates: Sequence[str], seeds: Sequence[int], *, drawn: bool = False) -> list[Trajectory]:
    """What the oracles do, one episode of each template and seed; `drawn`: each in a look of its own."""
    gym = env.player("cloud")
    asked = _episodes(templates, seeds, "train", "demonstrate", drawn=drawn)
    return [play(gym, each, None) for each in asked]


def tried(
    network: ElementSetPolicy, templates: Sequence[str], seeds: Sequence[int], *, drawn: bool = False
) -> list[bool]:
    """Whether a network does each held-out task to `verified` by itself; templates within seeds."""
    gym, policy = env.player("cloud"), Unexported(network, name="tried")
    asked = _episodes(templates, seeds, "test", "try", drawn=drawn)
    return [play(gym, each, policy).verification.outcome is Outcome.VERIFIED for each in asked]


def _episodes(
    templates: Sequence[str], seeds: Sequence[int], split: Split, mode: Mode, *, drawn: bool
) -> list[Episode]:
    numbered = ((seed, seed * len(templates) + n, name) for seed in seeds for n, name in enumerate(templates))
    return [Episode(name, seed, split, mode, variant=look(number) if drawn else "") for seed, number, name in numbered]


def success(network: ElementSetPolicy, *, episodes: int, drawn: bool = False) -> float:
    """Share of held-out tasks that are verified, `episodes` of each template."""
    found = tried(network, TEMPLATES, range(TESTED_FROM, TESTED_FROM + episodes), drawn=drawn)
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
