"""Return per sample on CartPole, an identity environment and a masked toy: ours, a plain loop, Stable-Baselines3.

The same environments, networks, numbers and samples for all three, and for each the learning rate that suits it best
of those tried; what is compared is what is learnt: the mean, over a training, of the return that is had by then.
Stable-Baselines3 runs in an environment of its own.
"""

import json
import math
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias

import gymnasium
import torch

from benchmarks import Result
from benchmarks.peers import borrowed, plain_ppo
from benchmarks.peers.plain_ppo import Setting
from learning import ppo, toys
from learning.vectors import Several, SmallActorCritic, VectorCollector

SETTINGS = {
    "CartPole-v1": Setting(8, 32, 256, 20, 1e-3, 0.98, 0.8, 0.0, total=40_960),
    "Identity": Setting(16, 32, 128, 6, 4e-3, 0.99, 0.9, 0.005, total=15_360),
    "Doors": Setting(16, 32, 128, 6, 4e-3, 0.99, 0.9, 0.005, total=15_360),
}
RATES = {"CartPole-v1": (1e-3, 3e-3), "Identity": (4e-3, 8e-3), "Doors": (4e-3, 8e-3)}
BEST = {"CartPole-v1": 500.0, "Identity": 20.0, "Doors": 8.0}
SEEDS, QUICK_SEEDS = 4, 2
POINTS = 40  # of a curve
SB3_SCRIPT = Path(borrowed.__file__).with_name("sb3_returns.py")

Ended: TypeAlias = list[tuple[int, float]]
Learner: TypeAlias = Callable[[str, Sequence[Setting]], list[Ended]]


def run(*, quick: bool) -> Result:
    """The lowest ratio of ours to the better of the two others, over the environments."""
    torch.set_num_threads(1)
    learners = {"ours": _ours, "plain loop": _plain, "SB3": _sb3}
    seeds = range(QUICK_SEEDS if quick else SEEDS)
    ratios, holds = list[float](), True
    for name in SETTINGS:
        found = {who: _areas(learner, name, seeds) for who, learner in learners.items()}
        for who, areas in found.items():
            print(f"{name:12} {who:10} {fmean(areas):7.2f} +- {_error(areas):.2f} of {BEST[name]:g}, n={len(areas)}")
        rival = max((found["plain loop"], found["SB3"]), key=fmean)
        margin = 2 * math.hypot(_error(found["ours"]), _error(rival))
        ratios.append(fmean(found["ours"]) / fmean(rival))
        holds = holds and fmean(found["ours"]) >= fmean(rival) - margin
    bar = ">= 1 within two standard errors, against the better of the two"
    return Result(value=round(min(ratios), 3), unit="times the return per sample", bar=bar, holds=holds, n=len(seeds))


def _areas(learner: Learner, name: str, seeds: Sequence[int]) -> list[float]:
    """What was had by the learning rate that suits this learner best, for each seed."""
    tried = []
    for rate in RATES[name]:
        settings = [SETTINGS[name]._replace(seed=seed, learning_rate=rate) for seed in seeds]
        tried.append([_area(ended, SETTINGS[name]) for ended in learner(name, settings)])
        print(f"    {name} {learner.__name__} {rate:g}: {fmean(tried[-1]):.2f}", flush=True)
    return max(tried, key=fmean)


def _ours(name: str, settings: Sequence[Setting]) -> list[Ended]:
    return [_our(name, each) for each in settings]


def _plain(name: str, settings: Sequence[Setting]) -> list[Ended]:
    return [plain_ppo.returns(_maker(name), each) for each in settings]


def _our(name: str, setting: Setting) -> Ended:
    recipe = ppo.Recipe(
        clip=setting.clip,
        stop_kl=math.inf,  # as the others have no such stop
        entropy_share=setting.entropy,
        gamma=setting.gamma,
        lam=setting.lam,
        epochs=setting.epochs,
        batch=setting.batch,
        learning_rate=setting.learning_rate,
        least_rate=0.0,
        updates=setting.total // (setting.envs * setting.steps),
        keep_every=10**9,
        seed=setting.seed,
    )
    envs = Several(_maker(name), setting.envs, seed=setting.seed)
    collector = VectorCollector(envs, recipe, steps=setting.steps)
    network = SmallActorCritic(envs.reset()[0].shape[1], envs.actions, seed=setting.seed)
    with tempfile.TemporaryDirectory() as work:
        ppo.train(network, collector, recipe, work=Path(work), budget_s=math.inf, report=lambda _: None)
    return collector.ended


def _maker(name: str) -> Callable[[], gymnasium.Env[Any, Any]]:
    toy: Callable[[], gymnasium.Env[Any, Any]] | None = getattr(toys, name, None)
    return toy if toy is not None else lambda: gymnasium.make(name)


def _sb3(name: str, settings: Sequence[Setting]) -> list[Ended]:
    lines = [json.dumps({"env": name, **each._asdict()}) for each in settings]
    done = subprocess.run(
        [str(borrowed.python(*borrowed.SB3)), str(SB3_SCRIPT), str(Path(toys.__file__))],
        input="\n".join(lines),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    return [[(int(step), float(value)) for step, value in json.loads(line)] for line in done.stdout.splitlines()]


def _area(ended: Ended, setting: Setting) -> float:
    """Mean over evenly spaced moments of the training: the mean return of the last 20 episodes by then, 0 before."""
    found = []
    for point in range(1, POINTS + 1):
        by_then = [value for step, value in ended if step <= setting.total * point / POINTS]
        found.append(fmean(by_then[-20:]) if by_then else 0.0)
    return fmean(found)


def _error(areas: Sequence[float]) -> float:
    return stdev(areas) / math.sqrt(len(areas))
