"""The trainings besides cloning: with mid-training before it, mixed work by its rewards, a smaller student."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from msgspec import structs

from learning import artefact, cloning, distill, hindsight, midtrain, offline, playing, pricing
from learning.bc import Trained
from learning.cloning import Taught, first_weights, told
from learning.hindsight import Wandered
from learning.networks import ElementSetPolicy, sizes
from learning.progress import Progress, Stopped
from learning.readings import reading_of
from learning.requests import ImproveRequest
from learning.samples import may_be_held_out
from sandbox.contracts.trajectories import Trajectory

ONE_IN = 10  # trajectories is held out
WANDERED = 100  # free episodes of each template that has a simulator, MOST_WANDERED of each environment
MOST_WANDERED = 1_500
TOLD_EVERY = 50  # episodes
FORESEEN = 120  # of those, episodes of each environment whose every transition is learnt from
WALKS = 4  # tasks of each template that a student walks by itself
FINE = 0.4  # of a learning rate, for weights that know something already


def midtrained(
    request: ImproveRequest,
    every: Sequence[Trajectory],
    rejected: Sequence[Trajectory],
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Taught:
    """What actions change, from all transitions there are and free ones of simulators; then cloning. Raises Stopped.

    Half of the budget goes to each. What free play happened to do is cloned beside what people accepted; what cloning
    may hold out to judge by is not foreseen either.
    """
    began = time.monotonic()
    free = wandered(every, seed=request.seed, report=report, should_stop=should_stop)
    network = first_weights(request)
    reading = reading_of(sizes(network.shape))
    found = midtrain.experience((), retold=free.retold, reading=reading)
    learnt = [each for each in every if not may_be_held_out(each.id, one_in=ONE_IN)] or every
    for trajectory in told([*learnt, *rejected, *free.played], report, should_stop):
        more = midtrain.experience([trajectory], reading=reading)
        found.transitions.extend(more.transitions)
        found.told.extend(more.told)
    if not found.transitions:
        raise ValueError("there is nothing to foresee: no trajectory has two steps that follow each other")
    recipe = midtrain.Recipe(seed=request.seed)
    if request.parent:
        recipe = replace(recipe, learning_rate=FINE * recipe.learning_rate)
    half = structs.replace(request, budget_s=cloning.left_of(request.budget_s, began) / 2)
    foreseen = midtrain.train(
        found,
        network,
        recipe,
        work=request.work / "midtrain",
        budget_s=half.budget_s,
        report=report,
        should_stop=should_stop,
    )
    taught = cloning.cloned(half, every, foreseen.network, None, report, should_stop, beside=free.retold)
    values: dict[str, Any] = {
        "steps": foreseen.steps,
        "transitions": len(found.transitions),
        "retold": len(free.retold),
    }
    values |= foreseen.values
    return replace(taught, recipe={"midtrain": asdict(recipe), "bc": taught.recipe}, values={"midtrain": values})


def wandered(
    every: Sequence[Trajectory],
    *,
    seed: int,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Wandered:
    """Free play in the simulators of what these are about, and what it happened to do. Raises Stopped."""
    by_environment: dict[str, list[str]] = {}
    for each in playing.playable(sorted({each.task.template for each in every})):
        by_environment.setdefault(each.partition("/")[0], []).append(each)
    found = Wandered([], [])
    for templates in by_environment.values():
        episodes = min(MOST_WANDERED, WANDERED * len(templates))
        for number in range(episodes):
            if should_stop():
                raise Stopped("stopped while it played freely")
            if number % TOLD_EVERY == 0:
                report(Progress("wander", number / episodes, number, {}))
            more = hindsight.wandered(templates, episodes=1, seed=seed + number)
            found.retold.extend(more.retold)
            if number < FORESEEN:
                found.played.extend(more.played)
    return found


def from_mixed_work(
    request: ImproveRequest,
    every: Sequence[Trajectory],
    rejected: Sequence[Trajectory],
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Taught:
    """Implicit Q-learning on good and bad alike, but for what is held out. Raises Stopped."""
    began = time.monotonic()
    network = first_weights(request)
    reading = reading_of(sizes(network.shape))
    found = cloning.featurised(every, report, should_stop, reading=reading)
    away = cloning.away(found, one_in=ONE_IN)
    shown = [each for each in (*every, *rejected) if each.id not in away]
    deals, left_out = pricing.priced(told(shown, report, should_stop), pricing.earned_in_its_world, reading=reading)
    if not deals:
        raise ValueError("there is nothing to learn from: no step of these trajectories led anywhere")
    recipe = offline.Recipe(seed=request.seed)
    if request.parent:
        recipe = replace(recipe, learning_rate=FINE * recipe.learning_rate)
    learnt = offline.train(
        deals,
        network,
        recipe,
        work=request.work,
        budget_s=cloning.left_of(request.budget_s, began),
        report=report,
        should_stop=should_stop,
    )
    trained = _trained(learnt.network, learnt.steps, len(deals), learnt.seconds)
    bad = {each.id for each in rejected}
    values = {
        "actions": len(deals),
        "unpriced": left_out,  # trajectories
        "rejected_actions": sum(each.sample.trajectory in bad for each in deals),
        **learnt.values,
    }
    judged = cloning.judged(trained, found, one_in=ONE_IN)
    return Taught(judged, found, every, asdict(recipe), {"offline": values}, ONE_IN)


def a_student(
    request: ImproveRequest,
    every: Sequence[Trajectory],
    rejected: Sequence[Trajectory],
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Taught:
    """The parent's whole distributions into a network with a share of its parameters. Raises Stopped, ValueError."""
    if request.parent is None:
        raise ValueError("a distillation needs a teacher: choose the policy version that the student learns from")
    began, teacher = time.monotonic(), artefact.load(request.parent)
    reading = reading_of(sizes(teacher.shape))
    found = cloning.featurised(every, report, should_stop, reading=reading)
    away = cloning.away(found, one_in=ONE_IN)
    shape = distill.smaller(teacher.shape, share=request.share)
    recipe = distill.Recipe(seed=request.seed)
    done = distill.distilled(
        distill.states_of(told([each for each in every if each.id not in away], report, should_stop), reading=reading),
        teacher,
        recipe,
        shape=shape,
        templates=playing.playable(sorted({each.task.template for each in every})),
        walks=WALKS,
        work=request.work,
        budget_s=cloning.left_of(request.budget_s, began),
        report=report,
        should_stop=should_stop,
    )
    trained = _trained(done.network, done.steps, len(found.samples), done.seconds)
    values = {"distill": {"divergence_nats": done.divergence, "teacher_parameters": distill.parameters(teacher)}}
    return Taught(cloning.judged(trained, found, one_in=ONE_IN), found, every, asdict(recipe), values, ONE_IN)


def _trained(network: ElementSetPolicy, steps: int, samples: int, seconds: float) -> Trained:
    """Not yet judged."""
    return Trained(network, steps, 0.0, {}, samples, 0, seconds)


KINDS = {"midtrain": midtrained, "offline": from_mixed_work, "distill": a_student}
