"""How many demonstrated steps a policy needs to do 90 % of held-out console tasks, mid-trained beforehand or not.

Both are cloned from the same demonstrations with as many steps of gradient descent in all. The mid-trained one spends
the first of them on random play, which no oracle and no person had to label, and clones the tickets that this happened
to do (the world's verifier says which) beside the demonstrations. Every demonstration, every task and every episode of
random play is in a console of another look (words, menus, lists, forms, defaults, pop-ups).
"""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import Result
from benchmarks.tree_tasks import SMALL, TEMPLATES, cloned, demonstrated, look, success
from learning import bc, hindsight, midtrain
from learning.networks import ElementSetPolicy
from learning.samples import Sample, lessons

BAR, GOAL, ENOUGH = 0.7, 0.5, 0.9
SIZES = (1, 2, 4, 8)  # demonstrations of each template
SEEDS, EPISODES = (0, 1), 16  # of training; of judging, for each template
WANDERED, FORESEEN = 10_000, 30  # episodes of random play; those of them whose every transition is learnt from
BEFORE, AFTER = 300, 3_000  # steps of mid-training, of cloning


class Sizes(NamedTuple):
    """How large the comparison is."""

    demonstrations: Sequence[int]
    seeds: Sequence[int]
    episodes: int
    wandered: int
    before: int
    after: int


WHOLE = Sizes(SIZES, SEEDS, EPISODES, WANDERED, BEFORE, AFTER)
QUICK = Sizes(SIZES[:2], SEEDS[:1], 2, 60, 30, 30)


def run(*, quick: bool) -> Result:
    """The ratio of samples with and without, from the mean curves of all seeds."""
    asked = QUICK if quick else WHOLE
    found = _experience(asked.wandered)
    trunks = {seed: _midtrained(found, asked.before, seed) for seed in asked.seeds}
    needed = {
        "with": samples_to(ENOUGH, _curve("with", trunks, found.retold, asked.after, asked)),
        "without": samples_to(ENOUGH, _curve("without", {}, [], asked.before + asked.after, asked)),
    }
    print(f"samples to {ENOUGH:.0%}: {needed['with']:.0f} with, {needed['without']:.0f} without")
    most = float(2 * len(_samples(asked.demonstrations[-1], 0)))  # stands for a curve that never gets there
    ratio = min(needed["with"], most) / min(needed["without"], most)
    tried = len(asked.seeds) * asked.episodes * len(TEMPLATES)
    bar = f"<= {BAR} (goal {GOAL})"
    return Result(value=round(ratio, 3), unit="samples with / without", bar=bar, holds=ratio <= BAR, n=tried)


def _experience(wandered: int) -> midtrain.Experience:
    clock = time.monotonic()
    play = hindsight.wandered(TEMPLATES, episodes=wandered, seed=1_000_000, variant=look)
    found = midtrain.experience(play.played[:FORESEEN], retold=play.retold)
    print(f"{len(found.transitions)} transitions of random play, {len(found.told)} told as goals;")
    print(f"{len(play.retold)} of {wandered} episodes told as tickets, {len(found.retold)} steps", end="")
    print(f" ({time.monotonic() - clock:.0f} s)", flush=True)
    return found


def _samples(size: int, seed: int) -> list[Sample]:
    first = 1_000 * seed
    return lessons(demonstrated(TEMPLATES, range(first, first + size), drawn=True)).samples


def _curve(
    name: str, trunks: Mapping[int, ElementSetPolicy], more: Sequence[Sample], steps: int, asked: Sizes
) -> list[tuple[float, float]]:
    """Mean samples and mean success of each size, the seeds together, up to the first that is enough."""
    curve: list[tuple[float, float]] = []
    for size in asked.demonstrations:
        counts, rates = list[int](), list[float]()
        for seed in asked.seeds:
            samples, network = _samples(size, seed), bc.fresh(SMALL, seed=seed)
            if trunks:
                network.load_state_dict(trunks[seed].state_dict())
            clock = time.monotonic()
            cloned([*samples, *more], network, steps=steps, seed=seed)
            counts.append(len(samples))
            rates.append(success(network, episodes=asked.episodes, drawn=True))
            print(f"seed {seed} {name:8} {size:3} a template, {len(samples):4} samples: {rates[-1]:4.0%}", end="")
            print(f" ({time.monotonic() - clock:.0f} s)", flush=True)
        curve.append((fmean(counts), fmean(rates)))
        if curve[-1][1] >= ENOUGH:
            break
    return curve


def _midtrained(found: midtrain.Experience, steps: int, seed: int) -> ElementSetPolicy:
    network, clock = bc.fresh(SMALL, seed=seed), time.monotonic()
    with TemporaryDirectory() as work:
        done = midtrain.train(found, network, midtrain.Recipe(steps=steps, seed=seed), work=Path(work))
    values = " ".join(f"{name} {value:.2f}" for name, value in done.values.items())
    print(f"seed {seed} mid-trained: {values} ({time.monotonic() - clock:.0f} s)", flush=True)
    return network


def samples_to(wanted: float, curve: Sequence[tuple[float, float]]) -> float:
    """Where the curve first reaches `wanted`: between two sizes by the logarithm of the samples; inf where never."""
    last_count, last_rate = curve[0][0], 0.0
    for count, rate in curve:
        if rate >= wanted:
            through = (wanted - last_rate) / (rate - last_rate)
            return math.exp(math.log(last_count) + through * (math.log(count) - math.log(last_count)))
        last_count, last_rate = count, rate
    return math.inf
