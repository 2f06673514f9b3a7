"""A teacher's whole distributions into a smaller student: on known states, then on those the student walks into.

Run: python -m learning.distill --teacher learning/starter --out FOLDER.
"""

import argparse
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from msgspec import structs
from numpy.typing import NDArray
from torch import Tensor, nn

from learning import artefact, batches, divergence, jobs, losses, playing, starter
from learning.arrays import Arrays
from learning.bc import fresh
from learning.begun import Begun, hashed
from learning.checkpoints import Checkpoint
from learning.collecting import World
from learning.deeds import Reader
from learning.features import scene
from learning.networks import ElementSetPolicy, Shape, sizes, tensors
from learning.policy import BadPolicy
from learning.progress import Progress, Stopped, say
from learning.readings import Reading, reading_of
from learning.rollouts import Episode, play
from learning.unexported import Unexported
from sandbox.arguments import amount, count, whole
from sandbox.contracts import storage
from sandbox.contracts.policies import past
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import UnknownEnvironment, UnknownTemplate, find_template

REPORT_EVERY = 10
WALKED_FROM = 700_000  # seeds of the tasks that a student walks
SHARE = 0.25  # of the teacher's parameters, on the command line
QUARTER = Shape(width=40, layers=2, heads=4, word_width=8)  # of the starter, by parameters


def smaller(shape: Shape, *, share: float) -> Shape:
    """The widest shape of the same parts that has at most this share of the parameters; words shrink with it."""
    of = parameters(ElementSetPolicy(shape))
    for width in range(shape.width, 2 * shape.heads, -shape.heads):
        found = replace(shape, width=width, word_width=max(4, shape.word_width * width // (2 * shape.width)))
        if parameters(ElementSetPolicy(found)) <= share * of:
            return found
    raise ValueError(f"a network of {of:,} parameters has no student of {share:.0%} of it: choose a larger share")


def parameters(network: nn.Module) -> int:
    """How many numbers it has to learn."""
    return sum(each.numel() for each in network.parameters())


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a distillation depends on besides its states, its teacher and the student's first weights."""

    steps: int = 2000
    batch: int = 32
    learning_rate: float = 2e-3
    warmup: int = 50
    weight_decay: float = 0.01
    clip: float = 1.0
    temperature: float = 2.0
    value_share: float = 0.05
    feature_share: float = 0.0  # of matching the teacher's trunk
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Distilled:
    """What came out."""

    network: ElementSetPolicy
    steps: int
    divergence: float  # nats between teacher and student on the last batch, temperature 1
    seconds: float
    trial: float | None = None  # verified share of the best trial while it practised; None where it did not


def train(
    states: Sequence[Arrays],
    teacher: ElementSetPolicy,
    student: ElementSetPolicy,
    recipe: Recipe,
    *,
    work: Path,
    budget_s: float = math.inf,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Distilled:
    """Train the student in place; goes on from the checkpoint in `work` if there is one. Raises Stopped, Diverged."""
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    bridge = nn.Linear(student.shape.width, teacher.shape.width)
    both = nn.ModuleDict({"student": student, "bridge": bridge})
    optimizer = torch.optim.AdamW(
        both.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=(0.9, 0.98)
    )
    checkpoint = Checkpoint(work, Begun.of(recipe, [teacher, both], states))
    resumed = checkpoint.resume(both, optimizer)
    step, began = resumed.step, time.monotonic() - resumed.spent_s
    lengths = np.array([len(each.element_kinds) for each in states], np.int64)
    alike = np.full(len(states), 1 / len(states))
    nats = float(resumed.more.get("nats", 0.0))

    def keep() -> None:
        checkpoint.keep(both, optimizer, step=step, spent_s=time.monotonic() - began, more={"nats": nats})

    teacher.eval()
    student.train()
    with Reader(teacher) as theirs, Reader(student) as ours:
        while (through := max(step / recipe.steps, (time.monotonic() - began) / budget_s)) < 1:
            if should_stop():
                keep()
                raise Stopped(f"stopped at step {step} of {recipe.steps}")
            optimizer.param_groups[0]["lr"] = recipe.learning_rate * _rate(step, through, recipe)
            drawn = batches.draw(lengths, alike, step=step, size=recipe.batch, seed=recipe.seed)
            nats = update(theirs, ours, bridge, optimizer, [states[i] for i in drawn], recipe, step=step)
            step += 1
            losses.finite({"divergence": nats}, step=step)
            if step == 1 or step % REPORT_EVERY == 0:
                report(Progress("distill", through, step, {"divergence": nats}))
            if step % 500 == 0:
                keep()
    keep()
    return Distilled(student, step, nats, time.monotonic() - began)


def update(
    theirs: Reader,
    ours: Reader,
    bridge: nn.Linear,
    optimizer: torch.optim.Optimizer,
    states: Sequence[Arrays],
    recipe: Recipe,
    *,
    step: int,
) -> float:
    """One step of gradient descent; returns nats between teacher and student at temperature 1."""
    arrays = batches.inputs_of(states)
    nothing: dict[str, NDArray[np.generic]] = {"elements": np.zeros_like(arrays["element_there"])}
    inputs = tensors(batches.varied(arrays, nothing, step=step, seed=recipe.seed))
    with torch.no_grad():  # the teacher answers for the states as they were varied
        taught = theirs.read(inputs)
    read = ours.read(inputs)
    loss = divergence.action_kl(taught.outputs, read.outputs, temperature=recipe.temperature).mean()
    loss = loss + recipe.value_share * divergence.value_loss(taught.outputs["value"], read.outputs["value"]).mean()
    if recipe.feature_share > 0:
        there = inputs["element_there"]
        matched: Tensor = divergence.feature_loss(taught.elements, bridge(read.elements), there)
        loss = loss + recipe.feature_share * matched.mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    torch.nn.utils.clip_grad_norm_([*ours.network.parameters(), *bridge.parameters()], recipe.clip)
    optimizer.step()
    with torch.no_grad():
        return float(divergence.action_kl(taught.outputs, read.outputs).mean())


def _rate(step: int, through: float, recipe: Recipe) -> float:
    warm = min(1.0, (step + 1) / recipe.warmup)
    return warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * through)))


def states_of(trajectories: Iterable[Trajectory], *, reading: Reading = scene) -> list[Arrays]:
    """Every state that these walked through, as the policy would see it."""
    found = []
    for trajectory in trajectories:
        remembered = tuple(past(step.observation, step.action, step.result) for step in trajectory.steps)
        for index, step in enumerate(trajectory.steps):
            found.append(reading(step.observation, trajectory.task.goal, remembered[:index]).arrays)
    return found


def walked(student: ElementSetPolicy, templates: Sequence[str], seeds: range) -> list[Trajectory]:
    """What the student does by itself on tasks of the training split, without a browser."""
    from sandbox import env  # worlds only where something is played

    policy, gyms, played = Unexported(student, name="student"), {}, []
    try:
        for template in templates:
            environment = template.partition("/")[0]
            if environment not in gyms:
                gyms[environment] = env.player(environment)
            gym = gyms[environment]
            played += [play(gym, Episode(template, seed, "train", "try"), policy, name="student") for seed in seeds]
    finally:
        for gym in gyms.values():
            gym.close()
    return played


def distilled(  # collect, train, walk, train again
    known: Sequence[Arrays],
    teacher: ElementSetPolicy,
    recipe: Recipe,
    *,
    shape: Shape = QUARTER,
    templates: Sequence[str],
    walks: int,
    work: Path,
    budget_s: float = math.inf,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Distilled:
    """A student of this shape: half of the steps on known states, half on these and on those it walks into itself."""
    student = fresh(shape, seed=recipe.seed)
    half, each_s = replace(recipe, steps=max(1, recipe.steps // 2)), budget_s / 2

    def told(at: Progress, *, before: int, through: float) -> None:
        report(structs.replace(at, step=before + at.step, progress=through + at.progress / 2))

    heard = partial(told, before=0, through=0.0)
    first = train(
        known, teacher, student, half, work=work / "known", budget_s=each_s, report=heard, should_stop=should_stop
    )
    played = walked(student, templates, range(WALKED_FROM, WALKED_FROM + walks))
    met = states_of(played, reading=reading_of(sizes(student.shape)))
    both = [*known, *met]
    again = replace(half, learning_rate=recipe.learning_rate / 2, seed=recipe.seed + 1)
    heard = partial(told, before=first.steps, through=0.5)
    second = train(
        both, teacher, student, again, work=work / "walked", budget_s=each_s, report=heard, should_stop=should_stop
    )
    return replace(second, steps=first.steps + second.steps, seconds=first.seconds + second.seconds)


def practised(
    done: Distilled,
    world: World,
    *,
    updates: int = 1_000,
    work: Path,
    budget_s: float,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Distilled:
    """A short PPO in the world, on a leash to what was distilled; the best of its trials is kept. Raises Stopped."""
    recipe = replace(playing.PLAY, updates=updates)
    played = playing.play(
        done.network, world, recipe, work=work, budget_s=budget_s, report=report, should_stop=should_stop
    )
    return replace(done, seconds=done.seconds + played.seconds, trial=played.best)


def write(folder: Path, done: Distilled, teacher: Path, recipe: Recipe, *, examples: Sequence[Arrays]) -> None:
    """The student's folder; its lineage names the teacher's weights. Raises NotEqual where the export differs."""
    taught = artefact.spec_of(teacher)
    artefact.write(
        folder,
        done.network,
        examples=examples,
        templates=taught["templates"],
        evaluation={"divergence_nats": done.divergence, "trial": done.trial},
        receipt={
            "algorithm": "distill",
            "parent": taught["weights_sha256"],
            "recipe": asdict(recipe),
            "steps": done.steps,  # done, where the recipe has those planned
            "seconds": round(done.seconds, 1),
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
        title="Student",
    )


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Distil a policy into one of a quarter of its size.")
    parser.add_argument("--teacher", type=Path, default=jobs.STARTER)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(".belay/distill"), help="where checkpoints are kept")
    parser.add_argument("--templates", nargs="+", default=starter.trained_templates("cloud"))
    parser.add_argument("--steps", type=count, default=Recipe().steps)
    parser.add_argument("--walks", type=whole, default=4, help="episodes of each template that the student walks")
    parser.add_argument("--practise-s", type=amount, default=300.0, help="seconds of PPO afterwards; 0 = none")
    parser.add_argument("--seed", type=whole, default=0)
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        teacher = artefact.load(asked.teacher)
        for each in asked.templates:
            find_template(each)
    except (BadPolicy, OSError, ValueError, UnknownTemplate, UnknownEnvironment) as problem:
        parser.error(f"no teacher, or nothing to teach: {problem}")
    reading = reading_of(sizes(teacher.shape))
    known = states_of((storage.unpack(each) for each in jobs.starter_trajectories()), reading=reading)
    recipe = Recipe(steps=asked.steps, seed=asked.seed)
    done = distilled(
        known,
        teacher,
        recipe,
        shape=smaller(teacher.shape, share=SHARE),
        templates=asked.templates,
        walks=asked.walks,
        work=asked.work,
        report=say,
    )
    if asked.practise_s > 0:
        world = World(tuple(asked.templates))
        work = asked.work / f"practice-{hashed([done.network.state_dict(), asked.templates])[:12]}"  # of this student
        done = practised(done, world, work=work, budget_s=asked.practise_s, report=say)
    write(asked.out, done, asked.teacher, recipe, examples=known[:8])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
