"""How many demonstrated steps a policy needs to do 90 % of held-out console tasks, mid-trained beforehand or not.

Both are cloned from the same demonstrations with as many steps of gradient descent in all. The mid-trained one spends
the first of them on random play, which no oracle and no person had to label, and keeps the tickets that this happened
to do (the world's verifier says which) as half of what it clones. Every demonstration, every task and every episode of
random play is in a console of another look (words, menus, lists, forms, defaults, pop-ups).
"""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import Result
from benchmarks.tree_tasks import SMALL, TEMPLATES, cloned, demonstrated, look, success
from learning import bc, hindsight, midtrain
from learning.networks import ElementSetPolicy
from learning.samples import Sample, lessons

BAR, GOAL, ENOUGH = 0.7, 0.5, 0.9
SIZES = (1, 2, 4)  # demonstrations of each template
SEEDS, EPISODES = (0,), 8  # of training; of judging, for each template
WANDERED, FORESEEN = 1_500, 30  # episodes of random play; those of them whose every transition is learnt from
BEFORE, AFTER = 150, 550  # steps of mid-training, of cloning


def run(*, quick: bool) -> Result:
    """The ratio of samples with and without, from the mean curves of all seeds."""
    sizes, seeds = (SIZES[:2], SEEDS[:1]) if quick else (SIZES, SEEDS)
    wandered, before, after = (60, 30, 30) if quick else (WANDERED, BEFORE, AFTER)
    episodes = 2 if quick else EPISODES
    play = hindsight.wandered(TEMPLATES, episodes=wandered, seed=1_000_000, variant=look)
    found = midtrain.experience(play.played[:FORESEEN], retold=play.retold)
    print(f"{len(found.transitions)} transitions of random play, {len(found.told)} told as goals;")
    print(f"{len(play.retold)} of {wandered} episodes told as tickets, {len(found.retold)} steps")
    curves: dict[str, dict[int, list[float]]] = {"with": {}, "without": {}}
    for seed in seeds:
        trunk = _midtrained(found, before, seed)
        for size in sizes:
            first = 1_000 * seed
            samples = lessons(demonstrated(TEMPLATES, range(first, first + size), drawn=True)).samples
            arms: list[tuple[str, ElementSetPolicy | None, list[Sample], int]] = [
                ("with", trunk, found.retold, after),
                ("without", None, [], before + after),
            ]
            for name, began, more, steps in arms:
                network = bc.fresh(SMALL, seed=seed)
                if began is not None:
                    network.load_state_dict(began.state_dict())
                clock = time.monotonic()
                cloned([*samples, *more], network, steps=steps, seed=seed)
                rate = success(network, episodes=episodes, drawn=True)
                curves[name].setdefault(len(samples), []).append(rate)
                print(f"seed {seed} {name:8} {size:3} a template, {len(samples):4} samples: {rate:4.0%}", end="")
                print(f" ({time.monotonic() - clock:.0f} s)", flush=True)
    needed = {name: samples_to(ENOUGH, _by_size(curve, len(seeds))) for name, curve in curves.items()}
    print(f"samples to {ENOUGH:.0%}: {needed['with']:.0f} with, {needed['without']:.0f} without")
    most = 2.0 * max(curves["with"])  # stands for a curve that never gets there
    ratio = min(needed["with"], most) / min(needed["without"], most)
    tried = len(seeds) * len(sizes) * 2 * episodes * len(TEMPLATES)
    bar = f"<= {BAR} (goal {GOAL})"
    return Result(value=round(ratio, 3), unit="samples with / without", bar=bar, holds=ratio <= BAR, n=tried)


def _midtrained(found: midtrain.Experience, steps: int, seed: int) -> ElementSetPolicy:
    network, clock = bc.fresh(SMALL, seed=seed), time.monotonic()
    with TemporaryDirectory() as work:
        done = midtrain.train(found, network, midtrain.Recipe(steps=steps, seed=seed), work=Path(work))
    values = " ".join(f"{name} {value:.2f}" for name, value in done.values.items())
    print(f"seed {seed} mid-trained: {values} ({time.monotonic() - clock:.0f} s)", flush=True)
    return network


def _by_size(curve: Mapping[int, Sequence[float]], seeds: int) -> list[tuple[float, float]]:
    """Mean samples and mean success of each size, the seeds together."""
    points = sorted((count, rate) for count, rates in curve.items() for rate in rates)
    groups = [points[start : start + seeds] for start in range(0, len(points), seeds)]
    return [(sum(c for c, _ in group) / len(group), sum(r for _, r in group) / len(group)) for group in groups]


def samples_to(wanted: float, curve: Sequence[tuple[float, float]]) -> float:
    """Where the curve first reaches `wanted`: between two sizes by the logarithm of the samples; inf where never."""
    last_count, last_rate = curve[0][0], 0.0
    for count, rate in curve:
        if rate >= wanted:
            through = (wanted - last_rate) / (rate - last_rate)
            return math.exp(math.log(last_count) + through * (math.log(count) - math.log(last_count)))
        last_count, last_rate = count, rate
    return math.inf
