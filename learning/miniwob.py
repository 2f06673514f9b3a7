"""MiniWoB++ from people's demonstrations: what is learnt from, how long, and how well it does in Chromium."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from learning import batches, bc, sentences
from learning.arrays import OUTPUTS
from learning.bc import Recipe, Trained
from learning.candidates import Candidate, Logits, ranked
from learning.features import Scene
from learning.networks import ElementSetPolicy, Shape, run, tensors
from learning.policy import leads_nowhere
from learning.progress import Progress
from learning.restored import restored
from learning.samples import lessons
from sandbox.contracts.actions import Action, ActResult, Finish, GiveUp, Scroll, Wait
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.worlds.miniwob.batch import Batch, Begin, Frame
from sandbox.worlds.miniwob.catalogue import published
from sandbox.worlds.miniwob.demos import NotMapped, recordings, trajectory

FOLDER = "BELAY_MINIWOB_DEMOS"  # names the folder of people's recordings
SHAPE = Shape(width=64, layers=3, heads=4, word_width=32, sentences=1, relations=1)
RECIPE = Recipe(steps=4000, batch=32, learning_rate=1e-3, held_out_one_in=10**9, judge_every=1000, renamed=0.8)
TEST_SEEDS = 1_000_000  # of the pages that are judged on
LONGEST = 30  # steps of an episode
_NEVER = (Finish, GiveUp, Wait, Scroll)  # a page ends by itself, at what it asks for


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


@dataclass(slots=True)
class _Seat:
    """One frame that plays one task, episode after episode."""

    task: str
    seeds: list[int]  # still to be played
    history: list[Past] = field(default_factory=list)
    solved: list[bool] = field(default_factory=list)


@torch.no_grad()
def logits_of(network: ElementSetPolicy, scenes: Sequence[Scene]) -> list[Logits]:
    """What a network says of several scenes, each without padding."""
    outputs = run(network, tensors(batches.inputs_of([each.arrays for each in scenes])))
    found = []
    for row, seen in enumerate(scenes):
        elements, goals, options = len(seen.elements), len(seen.texts), len(seen.options)
        sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("click", "type", "answer", "change"), (elements,))
        sizes |= {"source": (elements, goals), "option": (options,)}
        cut: dict[str, NDArray[np.float32]] = {}
        for name in OUTPUTS:
            whole = outputs[name][row].numpy()
            cut[name] = whole[tuple(slice(size) for size in sizes.get(name, ()))]
        found.append(cut)
    return found


def chosen(seen: Scene, logits: Logits, frame: Frame, history: Sequence[Past]) -> Candidate:
    """The likeliest action that is not known to lead nowhere and does not stop short of the page's own end."""
    every = [each for each in ranked(seen, logits) if not isinstance(each.action, _NEVER)]
    allowed = [each for each in every if not leads_nowhere(each.action, frame.observation, history)]
    return (allowed or every or ranked(seen, logits))[0]


def judge(
    network: ElementSetPolicy, *, tasks: Sequence[str] | None = None, episodes: int, first_seed: int = TEST_SEEDS
) -> dict[str, list[bool]]:
    """Whether each episode of each task ended with a raw reward of 1: the network alone, greedily, in Chromium."""
    torch.set_num_threads(1)
    network.eval()
    seats = [_Seat(name, list(range(first_seed, first_seed + episodes))) for name in tasks or published()]
    batch = Batch([(seat.task, seat.seeds[0]) for seat in seats])
    try:
        frames = batch.look()
        steps: list[Action | Begin | None] = [Begin(seat.seeds[0]) for seat in seats]  # images are there by now
        frames = batch.step(steps)
        while any(seat.seeds for seat in seats):
            steps = _decided(network, seats, frames)
            before, frames = frames, batch.step(steps)
            for seat, action, seen, frame in zip(seats, steps, before, frames, strict=True):
                if action is not None and not isinstance(action, Begin):
                    seat.history.append(past(seen.observation, action, ActResult(frame.outcome)))
    finally:
        batch.close()
    return {seat.task: seat.solved for seat in seats}


def _decided(network: ElementSetPolicy, seats: Sequence[_Seat], frames: Sequence[Frame]) -> list[Action | Begin | None]:
    """What each frame does next; ended episodes are noted, and the next one begun."""
    steps: list[Action | Begin | None] = [None] * len(seats)
    playing = []
    for number, (seat, frame) in enumerate(zip(seats, frames, strict=True)):
        if not seat.seeds:
            continue
        if frame.done or len(seat.history) >= LONGEST:
            seat.solved.append(frame.done and frame.raw == 1.0)
            seat.seeds.pop(0)
            seat.history.clear()
            steps[number] = Begin(seat.seeds[0]) if seat.seeds else None
        else:
            playing.append(number)
    if playing:
        scenes = [sentences.scene(frames[n].observation, frames[n].goal, seats[n].history) for n in playing]
        for number, seen, logits in zip(playing, scenes, logits_of(network, scenes), strict=True):
            steps[number] = chosen(seen, logits, frames[number], seats[number].history).action
    return steps
