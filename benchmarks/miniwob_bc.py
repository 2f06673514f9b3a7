"""MiniWoB++ from ten human demonstrations a task: behaviour cloning alone, one policy, the 56 published tasks.

Real Chromium, greedy, a raw reward of 1 counts. `--quick` judges the policy in the checkout, on fewer episodes.
BELAY_MINIWOB_DEMOS names the folder of recordings (github.com/stanfordnlp/miniwob-plusplus-demos).
"""

import multiprocessing
import os
import tempfile
import time
from pathlib import Path

from benchmarks import Result
from learning.miniwob import TEST_SEEDS

BAR, GOAL = 0.77, 0.85
SEEDS = (0, 1, 2)
EPISODES = 50
QUICK_EPISODES = 3
LONGEST_S = 600.0  # of one training
CORES = 2

Judged = tuple[int, dict[str, list[bool]]]  # seed, episodes of each task


def run(*, quick: bool) -> Result:
    """The mean over tasks and seeds of the share of solved episodes."""
    from learning import miniwob
    from sandbox.worlds.miniwob.catalogue import published

    with tempfile.TemporaryDirectory(prefix="belay-miniwob-bc-") as work:
        jobs = [] if quick else [(seed, Path(work) / str(seed)) for seed in SEEDS]
        tasks = published()
        parts = [tasks[core::CORES] for core in range(CORES)]
        with multiprocessing.get_context("spawn").Pool(min(CORES, os.cpu_count() or 1)) as pool:
            trained = pool.starmap(_train, jobs, chunksize=1)
            folders = [(0, miniwob.SHIPPED)] if quick else jobs
            episodes = QUICK_EPISODES if quick else EPISODES
            asked = [(seed, folder, part, episodes) for seed, folder in folders for part in parts]
            judged: list[Judged] = pool.starmap(_judge, asked, chunksize=1)
    for seed, seconds in trained:
        print(f"seed {seed}: trained in {seconds:.0f} s")
    means = []
    for seed, _ in folders:
        found = {name: each for of, part in judged if of == seed for name, each in part.items()}
        means.append(miniwob.mean(found))
        print(f"seed {seed}: mean {means[-1]:.3f}, {sum(all(each) for each in found.values())} tasks without a miss")
    for name in tasks:
        each = [hit for _, part in judged for hit in part.get(name, [])]
        print(f"{name:30} {sum(each):4}/{len(each):<4} {sum(each) / len(each):5.0%}")
    value = sum(means) / len(means)
    count = sum(len(each) for _, part in judged for each in part.values())
    return Result(value=round(value, 4), unit="mean share", bar=f">= {BAR} (goal {GOAL})", holds=value >= BAR, n=count)


def _train(seed: int, folder: Path) -> tuple[int, float]:
    from learning import miniwob

    began = time.monotonic()
    miniwob.make(folder, seed=seed, budget_s=LONGEST_S)
    return seed, time.monotonic() - began


def _judge(seed: int, folder: Path, tasks: tuple[str, ...], episodes: int) -> Judged:
    from learning import artefact, miniwob

    return seed, miniwob.judge(artefact.load(folder), tasks=tasks, episodes=episodes, first_seed=TEST_SEEDS)
