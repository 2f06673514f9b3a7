"""A training's first half: trajectories as lessons, and behaviour cloning of them from a parent or from nothing."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from typing import Any

from learning import artefact, bc
from learning.bc import Recipe, Trained
from learning.features import scene
from learning.networks import ElementSetPolicy, Shape, sizes
from learning.progress import Progress, Stopped
from learning.readings import Reading, reading_of
from learning.requests import ImproveRequest
from learning.samples import Lessons, held_out, is_session, lessons
from sandbox.contracts.trajectories import Trajectory

FROM_NOTHING = Recipe(batch=32, learning_rate=1e-3)
VISITS, MOST_STEPS = 40, 6000  # of each sample, in a training from nothing
FINE_TUNE = Recipe(steps=400, batch=32, learning_rate=4e-4, warmup=10, judge_every=200)
REHEARSED = 150  # demonstrations rehearsed beside real sessions; enough to keep what is known, few enough to be quick


@dataclass(frozen=True)
class Taught:
    """What a training of any kind made, before it plays."""

    trained: Trained
    found: Lessons  # what is imitated beside play, and what is held out of it
    learnt_from: Sequence[Trajectory]
    recipe: dict[str, Any]
    values: dict[str, Any]  # what else is to be said in its evaluation
    one_in: int  # trajectories is held out


def cloned(
    request: ImproveRequest,
    every: Sequence[Trajectory],
    network: ElementSetPolicy | None,
    recipe: Recipe | None,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
    *,
    beside: Sequence[Trajectory] = (),
) -> Taught:
    """Clone what these trajectories teach, from this network's weights on or else from the parent's. Raises Stopped.

    `beside`: what teaches too, but is none of the dataset.
    """
    began = time.monotonic()
    learnt_from = rehearsal(every, seed=request.seed) if request.parent else every
    network = network or first_weights(request)
    found = featurised([*learnt_from, *beside], report, should_stop, reading=reading_of(sizes(network.shape)))
    recipe = replace(
        recipe or (FINE_TUNE if request.parent else from_nothing(len(found.samples))),
        seed=request.seed,
    )
    trained = bc.train(
        found.samples,
        network,
        recipe,
        work=request.work,
        budget_s=left_of(request.budget_s, began),
        report=report,
        should_stop=should_stop,
    )
    return Taught(trained, found, learnt_from, asdict(recipe), {}, recipe.held_out_one_in)


def left_of(budget_s: float, began: float) -> float:
    """What reading has left of the seconds to learn in, since that moment of time.monotonic: half of them or more."""
    return max(budget_s / 2, budget_s - (time.monotonic() - began))


def first_weights(request: ImproveRequest) -> ElementSetPolicy:
    """The parent's, or fresh ones. Raises BadPolicy."""
    return artefact.load(request.parent) if request.parent else bc.fresh(Shape(), seed=request.seed)


def from_nothing(samples: int) -> Recipe:
    """A training as long as its samples are many."""
    return replace(FROM_NOTHING, steps=min(MOST_STEPS, max(1, VISITS * samples // FROM_NOTHING.batch)))


def rehearsal(trajectories: Sequence[Trajectory], *, seed: int) -> list[Trajectory]:
    """Every session, and a fair choice of demonstrations: as many of each template, REHEARSED in all."""
    sessions = [each for each in trajectories if is_session(each)]
    by_template: dict[str, list[Trajectory]] = {}
    for each in trajectories:
        if not is_session(each):
            by_template.setdefault(each.task.template, []).append(each)
    if not sessions:
        return list(trajectories)
    share = max(1, REHEARSED // max(1, len(by_template)))
    rng = random.Random(seed)  # noqa: S311  # not a secret
    chosen = [rng.sample(group, min(share, len(group))) for _, group in sorted(by_template.items())]
    return [*sessions, *(each for group in chosen for each in group)]


def away(found: Lessons, *, one_in: int) -> set[str]:
    """Trajectories that are held out to judge by."""
    return {sample.trajectory for sample in compress(found.samples, held_out(found.samples, one_in=one_in))}


def judged(trained: Trained, found: Lessons, *, one_in: int) -> Trained:
    """Held-out accuracy of a network that was trained otherwise, or went on learning after its cloning."""
    kept = held_out(found.samples, one_in=one_in)
    by_template = bc.accuracy(trained.network, list(compress(found.samples, kept)))
    right, count = (sum(each) for each in zip(*by_template.values(), strict=True)) if by_template else (0, 0)
    return replace(trained, by_template=by_template, held_out_accuracy=right / max(1, count), held_out_samples=count)


def featurised(
    trajectories: Sequence[Trajectory],
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
    *,
    reading: Reading = scene,
) -> Lessons:
    """What these teach, read one after another. Raises Stopped, or ValueError where nothing is taught."""
    found = Lessons([], {})
    for trajectory in told(trajectories, report, should_stop):
        more = lessons([trajectory], reading=reading)
        found.samples.extend(more.samples)
        for place, count in more.unsayable.items():
            found.unsayable[place] = found.unsayable.get(place, 0) + count
    if not found.samples:
        raise ValueError("there is nothing to learn from: no step of these trajectories has a right action to teach")
    return found


def told(
    trajectories: Sequence[Trajectory], report: Callable[[Progress], None], should_stop: Callable[[], bool]
) -> Iterator[Trajectory]:
    """One after another, saying how far it is. Raises Stopped."""
    for index, trajectory in enumerate(trajectories):
        if should_stop():
            raise Stopped("stopped while reading trajectories")
        if index % 50 == 0:
            report(Progress("featurise", index / len(trajectories), index, {}))
        yield trajectory
