"""From trajectory files to a policy's folder: read, rehearse, train, judge, write."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from learning import artefact, cloning, playing
from learning.bc import Recipe, Trained
from learning.cloning import Taught
from learning.collecting import World
from learning.curriculum import Path as Way
from learning.intervals import wilson
from learning.networks import sizes
from learning.playing import Played
from learning.progress import Progress
from learning.readings import words_of
from learning.requests import Improved, ImproveRequest
from learning.samples import Sample
from sandbox.contracts import storage
from sandbox.contracts.trajectories import Trajectory

DECISIONS, JUDGED = 1_024, 600  # of an update of practice, and of a trial


def improve(
    request: ImproveRequest,
    *,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
    recipe: Recipe | None = None,
) -> Improved:
    """Learn from the trajectories, from the parent's weights on; writes `out`.

    Raises Stopped, Diverged, BadPolicy, BadTrajectory (which says of which file), ValueError where nothing is taught.
    """
    report(Progress("read", 0.0, 0, {}))
    read = list(storage.read(request.trajectories))
    contents, every = [content for content, _ in read], [trajectory for _, trajectory in read]
    if request.kind == "bc":
        taught = cloning.cloned(request, every, None, recipe, report, should_stop)
    else:
        from learning import trainings  # some of them take their defaults from the starter, which stands on this module

        rejected = [trajectory for _, trajectory in storage.read(request.rejected)]
        taught = trainings.KINDS[request.kind](request, every, rejected, report, should_stop)
    trained = taught.trained
    played = practised(request, taught, report, should_stop)
    if played is not None:
        trained = cloning.judged(trained, taught.found, one_in=taught.one_in)
    report(Progress("export", 1.0, trained.steps, {}))
    evaluation = held_out(trained) | taught.values | ({"played": asdict(played)} if played is not None else {})
    practice = (
        {"practice": {"updates": played.updates, "kept": played.kept, "ended": played.ended}}
        if played is not None
        else {}
    )
    samples = taught.found.samples
    spec = artefact.write(
        request.out,
        trained.network,
        examples=[sample.arrays for sample in samples[:: max(1, len(samples) // 8)][:8]],
        templates=dict(Counter(each.task.template for each in taught.learnt_from)),
        evaluation=evaluation,
        receipt=_receipt(request, taught, contents, every) | practice,
        title=str(request.lineage.get("title", "Policy")),
    )
    card = (request.out / "card.md").read_text()
    return Improved(request.out, evaluation, card, spec, trained.held_out_accuracy)


def _receipt(
    request: ImproveRequest, taught: Taught, contents: Sequence[bytes], trajectories: Sequence[Trajectory]
) -> dict[str, Any]:
    """What somebody needs to make this policy again."""
    return {
        **request.lineage,
        "dataset_files_sha256": artefact.dataset_hash([storage.address(content) for content in contents]),
        "trajectories": len(trajectories),
        "rejected_trajectories": len(request.rejected),
        "environments": sorted({each.task.environment for each in trajectories}),
        "kind": request.kind,
        "recipe": taught.recipe,
        "steps": taught.trained.steps,  # done, where the recipe has those planned
        **words_of(sizes(taught.trained.network.shape)),
        "seconds": round(taught.trained.seconds, 1),
        "unsayable": dict(taught.found.unsayable),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }


def practised(
    request: ImproveRequest,
    taught: Taught,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Played | None:
    """PPO in place, in simulators of what was learnt from; None where there is no time for it or nothing to play.

    The leash is fastened to what cloning left of the parent: to the parent itself, it would pull corrections back.
    What was learnt from is imitated beside, old and new alike.
    """
    if request.practice_s <= 0:
        return None
    templates = playing.playable(sorted({each.task.template for each in taught.learnt_from}))
    if not templates:
        return None
    shown, ways = beside_play(taught)
    return playing.play(
        taught.trained.network,
        World(tuple(templates), decisions=DECISIONS, judged=JUDGED),
        replace(playing.PLAY, seed=request.seed),
        work=request.work / "playing",
        budget_s=request.practice_s,
        report=report,
        should_stop=should_stop,
        shown=shown,
        ways=ways,
    )


def beside_play(taught: Taught) -> tuple[list[Sample], list[Way]]:
    """What is imitated while it plays and ways to begin on: nothing that is held out to judge by, and no free play."""
    away = cloning.away(taught.found, one_in=taught.one_in)
    shown = [each for each in taught.found.samples if each.trajectory not in away and not each.free]
    return shown, playing.ways_of([each for each in taught.learnt_from if each.id not in away])


def held_out(trained: Trained) -> dict[str, Any]:
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
