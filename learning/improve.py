"""From trajectory files to a policy's folder: read, rehearse, train, judge, write."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import compress
from typing import Any

from learning import artefact, bc, playing
from learning.bc import Recipe, Trained
from learning.collecting import World
from learning.intervals import wilson
from learning.networks import ElementSetPolicy, Shape
from learning.playing import Played
from learning.progress import Progress, Stopped
from learning.requests import Improved, ImproveRequest
from learning.samples import Lessons, held_out, is_session, lessons
from sandbox.contracts import storage
from sandbox.contracts.trajectories import Trajectory

FROM_NOTHING = Recipe(batch=32, learning_rate=1e-3)
VISITS, MOST_STEPS = 40, 6000  # of each sample, in a training from nothing
FINE_TUNE = Recipe(steps=400, batch=32, learning_rate=4e-4, warmup=10, judge_every=200)
REHEARSED = 150  # demonstrations rehearsed beside real sessions; enough to keep what is known, few enough to be quick

DECISIONS, JUDGED = 1_024, 600  # of an update of practice, and of a trial


def improve(
    request: ImproveRequest,
    *,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
    recipe: Recipe | None = None,
) -> Improved:
    """Learn from the trajectories, from the parent's weights on; writes `out`. Raises Stopped, NotEqual, BadPolicy."""
    parent = request.parent
    report(Progress("read", 0.0, 0, {}))
    contents = [path.read_bytes() for path in request.trajectories]
    every = [storage.unpack(content) for content in contents]
    learnt_from = rehearsal(every, seed=request.seed) if parent else every
    found = _featurised(learnt_from, report, should_stop)
    network = artefact.load(parent) if parent else bc.fresh(Shape(), seed=request.seed)
    recipe = replace(
        recipe or (FINE_TUNE if parent else from_nothing(len(found.samples))),
        seed=request.seed,
    )
    trained = bc.train(
        found.samples,
        network,
        recipe,
        work=request.work,
        budget_s=request.budget_s,
        report=report,
        should_stop=should_stop,
    )
    played = practised(request, network, learnt_from, found, report, should_stop)
    if played is not None:
        trained = rejudged(trained, found, recipe)
    report(Progress("export", 1.0, trained.steps, {}))
    evaluation = offline(trained) | ({"played": asdict(played)} if played is not None else {})
    spec = artefact.write(
        request.out,
        network,
        examples=[sample.arrays for sample in found.samples[:: max(1, len(found.samples) // 8)][:8]],
        templates=dict(Counter(each.task.template for each in learnt_from)),
        evaluation=evaluation,
        receipt=_receipt(request, recipe, contents, every, seconds=trained.seconds, unsayable=found.unsayable),
        title=str(request.lineage.get("title", "Policy")),
    )
    card = (request.out / "card.md").read_text()
    return Improved(request.out, evaluation, card, spec, trained.held_out_accuracy)


def _receipt(
    request: ImproveRequest,
    recipe: Recipe,
    contents: Sequence[bytes],
    trajectories: Sequence[Trajectory],
    *,
    seconds: float,
    unsayable: Mapping[str, int],
) -> dict[str, Any]:
    """What somebody needs to make this policy again."""
    return {
        **request.lineage,
        "dataset_files_sha256": artefact.dataset_hash([storage.address(content) for content in contents]),
        "trajectories": len(trajectories),
        "environments": sorted({each.task.environment for each in trajectories}),
        "recipe": asdict(recipe),
        "seconds": round(seconds, 1),
        "unsayable": dict(unsayable),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }


def practised(
    request: ImproveRequest,
    network: ElementSetPolicy,
    trajectories: Sequence[Trajectory],
    found: Lessons,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Played | None:
    """PPO in place, in simulators of what was learnt from; None where there is no time for it or nothing to play.

    The leash is fastened to what cloning left of the parent: to the parent itself, it would pull corrections back.
    What was learnt from is imitated beside, old and new alike.
    """
    if request.practice_s <= 0:
        return None
    templates = playing.playable(sorted({each.task.template for each in trajectories}))
    if not templates:
        return None
    return playing.play(
        network,
        World(tuple(templates), decisions=DECISIONS, judged=JUDGED),
        replace(playing.PLAY, seed=request.seed),
        work=request.work / "playing",
        budget_s=request.practice_s,
        report=report,
        should_stop=should_stop,
        shown=found.samples,
        ways=playing.ways_of(trajectories),
    )


def rejudged(trained: Trained, found: Lessons, recipe: Recipe) -> Trained:
    """Held-out accuracy of a network that went on learning after its cloning."""
    kept = held_out(found.samples, one_in=recipe.held_out_one_in)
    by_template = bc.accuracy(trained.network, list(compress(found.samples, kept)))
    right, count = (sum(each) for each in zip(*by_template.values(), strict=True)) if by_template else (0, 0)
    return replace(trained, by_template=by_template, held_out_accuracy=right / max(1, count))


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


def offline(trained: Trained) -> dict[str, Any]:
    """Held-out action accuracy, as plain data for evaluation.json."""
    right = sum(each for each, _ in trained.by_template.values())
    count = sum(each for _, each in trained.by_template.values())
    return {
        "held_out": {
            "right": right,
            "all": count,
            "accuracy": trained.held_out_accuracy,
            "interval": wilson(right, count),
            "templates": {name: {"right": r, "all": n} for name, (r, n) in trained.by_template.items()},
        },
        "train_samples": trained.train_samples,
        "steps": trained.steps,
    }


def _featurised(
    trajectories: Sequence[Trajectory], report: Callable[[Progress], None], should_stop: Callable[[], bool]
) -> Lessons:
    found = Lessons([], {})
    for index, trajectory in enumerate(trajectories):
        if should_stop():
            raise Stopped("stopped while reading trajectories")
        more = lessons([trajectory])
        found.samples.extend(more.samples)
        for place, count in more.unsayable.items():
            found.unsayable[place] = found.unsayable.get(place, 0) + count
        if index % 50 == 0:
            report(Progress("featurise", index / len(trajectories), index, {}))
    if not found.samples:
        raise ValueError("there is nothing to learn from: no step of these trajectories has a right action to teach")
    return found
