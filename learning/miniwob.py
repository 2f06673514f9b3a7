"""MiniWoB++ from people's demonstrations: what is learnt from, how long, and how well it does in Chromium."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from learning import bc, sentences
from learning.bc import Recipe, Trained
from learning.frames import Seat, play
from learning.networks import ElementSetPolicy, Shape
from learning.progress import Progress
from learning.restored import restored
from learning.samples import lessons
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.worlds.miniwob.catalogue import published
from sandbox.worlds.miniwob.demos import NotMapped, recordings, trajectory

FOLDER = "BELAY_MINIWOB_DEMOS"  # names the folder of people's recordings
SHAPE = Shape(width=64, layers=3, heads=4, word_width=32, sentences=1, relations=1)
RECIPE = Recipe(steps=4000, batch=32, learning_rate=1e-3, held_out_one_in=10**9, judge_every=1000, renamed=0.8)
TEST_SEEDS = 1_000_000  # of the pages that are judged on


class NoDemonstrations(RuntimeError):
    """The recordings are not there; the message says where to get them."""


def demonstrations(folder: Path | None = None) -> list[Trajectory]:
    """People's solved recordings, as trajectories of the pages of the published tasks. Raises NoDemonstrations."""
    folder = folder or Path(os.environ.get(FOLDER, ""))
    files = sorted(folder.glob("*.jsonl.xz")) if folder != Path() else []
    if not files:
        raise NoDemonstrations(
            f"No recordings (<task>.jsonl.xz) in {folder}. Get github.com/stanfordnlp/miniwob-plusplus-demos "
            f"and name its folder by {FOLDER}."
        )
    found = []
    for file in files:
        task = file.name.removesuffix(".jsonl.xz")
        for number, recording in enumerate(recordings(file)):
            if isinstance(recording, NotMapped):
                continue
            try:
                done = trajectory(recording, task, number, unsaid=True)
            except NotMapped:
                continue
            if done.verification.outcome is Outcome.VERIFIED:
                found.append(done)
    return restored(found)


def learn(
    learnt_from: Sequence[Trajectory],
    *,
    seed: int,
    work: Path,
    shape: Shape = SHAPE,
    recipe: Recipe = RECIPE,
    budget_s: float = 600.0,
    report: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """Behaviour cloning alone, one network for all tasks."""
    found = lessons(learnt_from, reading=sentences.scene)
    network = bc.fresh(shape, seed=seed)
    return bc.train(
        found.samples,
        network,
        replace(recipe, seed=seed),
        work=work,
        budget_s=budget_s,
        report=report,
        should_stop=lambda: False,
    )


def judge(
    network: ElementSetPolicy, *, tasks: Sequence[str] = (), episodes: int, first_seed: int = TEST_SEEDS
) -> dict[str, list[bool]]:
    """Whether each episode of each task ended with a raw reward of 1: the network alone, greedily, in Chromium."""
    found: dict[str, list[bool]] = {task: [] for task in tasks or published()}
    seats = [Seat(task, list(range(first_seed, first_seed + episodes))) for task in found]
    for each in play(network, seats, name="judged"):
        found[each.task.template.partition("/")[2]].append(each.verification.outcome is Outcome.VERIFIED)
    return found


def mean(found: Mapping[str, Sequence[bool]]) -> float:
    """The mean of the tasks' shares."""
    return sum(sum(each) / len(each) for each in found.values()) / len(found)
