"""State to state, before any task is learnt: what an action changes, and which action leads from one state to another.

Three losses on the policy's trunk, from any transitions, failed ones and a simulator's free random ones too:
- forward: which elements go or alter, which roles come, what the page does, given the action (foresight.change_loss);
- inverse: the kind of the action and the element it used, given both states (foresight.inverse_loss);
- told: the policy's own heads, with a later state told as the goal of what led there (losses.action_nll).
The heads of the first two stand beside the policy and are dropped. Run: python -m learning.midtrain --out FOLDER.
"""

import argparse
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learning import arrays as f
from learning import artefact, batches, foresight, hindsight, losses, readings, starter
from learning.bc import fresh
from learning.begun import Begun
from learning.candidates import LOW, Label, label
from learning.checkpoints import Checkpoint
from learning.deeds import Deed, Reader, Reading
from learning.features import scene
from learning.foresight import APPEARED, PAGE, Change
from learning.networks import ElementSetPolicy, Shape, run, scorer, tensors
from learning.progress import Progress, Stopped, say
from learning.samples import Sample, lessons
from sandbox.arguments import count, whole
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import NoSuchFace, UnknownEnvironment, UnknownTemplate, find_template

REPORT_EVERY = 10
SPAN = 4  # steps between a state and the latest one that is told as its goal


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a mid-training depends on besides its transitions and first weights."""

    steps: int = 1500
    batch: int = 32
    learning_rate: float = 1e-3
    warmup: int = 50
    weight_decay: float = 0.01
    clip: float = 1.0
    forward_share: float = 1.0
    inverse_share: float = 0.5
    told_share: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Transition:
    """One action, the state it was done in, and what came of it."""

    sample: Sample  # the state before, with the action that was done
    after: f.Arrays  # the state after, as it is seen by somebody who does not know what was done
    change: Change


@dataclass(frozen=True, slots=True)
class Experience:
    """What there is to foresee, the same told as goals, and told as tickets that it did (learning.hindsight)."""

    transitions: list[Transition]
    told: list[Sample]
    retold: list[Sample] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What came out, with the losses of the last batches by name."""

    network: ElementSetPolicy
    steps: int
    values: dict[str, float]
    seconds: float


def experience(
    trajectories: Iterable[Trajectory], *, retold: Iterable[Trajectory] = (), reading: readings.Reading = scene
) -> Experience:
    """Every transition of these, and every action told as leading to states up to SPAN steps later."""
    found = Experience([], [], lessons(retold, reading=reading).samples)
    for trajectory in trajectories:
        steps = trajectory.steps
        remembered = tuple(past(step.observation, step.action, step.result) for step in steps)
        for index in range(len(steps) - 1):
            step, after = steps[index], steps[index + 1].observation
            if isinstance(step.action, Finish | GiveUp):
                break
            known = remembered[:index]
            seen = reading(step.observation, trajectory.task.goal, known)
            done = label(seen, step.action)
            if done is None:
                continue
            change = foresight.changed(step.observation, after, seen.elements, step.result.outcome)
            later = reading(after, trajectory.task.goal, known).arrays
            found.transitions.append(Transition(_sample(trajectory, seen.arrays, done), later, change))
            found.told.extend(_told(trajectory, index, known, reading))
    return found


def _told(trajectory: Trajectory, index: int, known: Sequence[Past], reading: readings.Reading) -> list[Sample]:
    """This step as the first one towards the next state and the last one in reach, if every state up to it was new."""
    steps, found = trajectory.steps, []
    step, met, reached = steps[index], {steps[index].observation.fingerprint}, list[Observation]()
    for later in steps[index + 1 : index + 1 + SPAN]:
        if later.observation.fingerprint in met:
            break
        met.add(later.observation.fingerprint)
        reached.append(later.observation)
    for after in (*reached[:1], *reached[1:][-1:]):
        goal = foresight.told(step.observation, after)
        seen = reading(step.observation, goal, known) if goal else None
        done = label(seen, step.action) if seen else None
        if seen is not None and done is not None:
            found.append(_sample(trajectory, seen.arrays, done))
    return found


def _sample(trajectory: Trajectory, arrays: f.Arrays, done: Label) -> Sample:
    unknown = (-1.0, -1.0, -1.0)
    return Sample(arrays, done, 1.0, trajectory.task.template, trajectory.id, False, -1.0, unknown)


class Foresight(nn.Module):
    """The heads beside the policy; dropped when it is done."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.deed = Deed(width)
        self.element = scorer(3 * width, 2)
        self.page = scorer(3 * width, len(PAGE) + APPEARED)
        self.kind = scorer(4 * width, len(f.KINDS))
        self.query = scorer(4 * width, width)

    def forward(self, before: Reading, deed: Tensor) -> tuple[Tensor, Tensor]:
        """What the action will do: logits of the elements (B, E, 2) and of the page (B, PAGE + APPEARED)."""
        count = before.elements.shape[1]
        beside = torch.stack([deed, before.state], 1).flatten(1)[:, None].expand(-1, count, -1)
        elements = self.element(torch.cat([before.elements, beside], -1))
        return elements, self.page(torch.cat([deed, before.state, before.page], -1))

    def between(self, before: Reading, after: Reading) -> tuple[Tensor, Tensor]:
        """What was done between two states: logits of the kind (B, KINDS) and of the element before (B, E)."""
        both = torch.cat([before.state, before.page, after.state, after.page], -1)
        pointed = before.elements @ self.query(both)[..., None]
        return self.kind(both), pointed[..., 0] / math.sqrt(before.state.shape[-1])


def train(
    found: Experience,
    network: ElementSetPolicy,
    recipe: Recipe,
    *,
    work: Path,
    budget_s: float = math.inf,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Foreseen:
    """Train the trunk in place; goes on from the checkpoint in `work` if there is one. Raises Stopped, Diverged."""
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    heads = Foresight(network.shape.width)
    both = nn.ModuleDict({"policy": network, "heads": heads})
    optimizer = torch.optim.AdamW(
        both.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=(0.9, 0.98), fused=True
    )
    checkpoint = Checkpoint(work, Begun.of(recipe, [both], [found]))
    resumed = checkpoint.resume(both, optimizer)
    step, began = resumed.step, time.monotonic() - resumed.spent_s
    values: dict[str, float] = dict(resumed.more.get("values", {}))
    kinds = [each for each in (found.told, found.retold) if each]  # of what is told
    lengths, told_lengths = _lengths([each.sample for each in found.transitions]), [_lengths(each) for each in kinds]

    def keep() -> None:
        checkpoint.keep(both, optimizer, step=step, spent_s=time.monotonic() - began, more={"values": values})

    both.train()
    network.hasten()
    with Reader(network) as reader:
        while (through := max(step / recipe.steps, (time.monotonic() - began) / budget_s)) < 1:
            if should_stop():
                keep()
                network.hasten(on=False)
                raise Stopped(f"stopped at step {step} of {recipe.steps}")
            optimizer.param_groups[0]["lr"] = recipe.learning_rate * _rate(step, through, recipe)
            seen = [found.transitions[i] for i in _draw(lengths, recipe, step=step, size=recipe.batch, stream=0)]
            told = _telling(kinds, told_lengths, recipe, step=step)
            values = update(reader, heads, optimizer, seen, told, recipe, step=step)
            step += 1
            losses.finite(values, step=step)
            if step == 1 or step % REPORT_EVERY == 0:
                report(Progress("midtrain", through, step, values))
            if step % 500 == 0:
                keep()
    network.hasten(on=False)
    keep()
    return Foreseen(network, step, values, time.monotonic() - began)


def update(
    reader: Reader,
    heads: Foresight,
    optimizer: torch.optim.Optimizer,
    seen: Sequence[Transition],
    told: Sequence[Sample],
    recipe: Recipe,
    *,
    step: int,
) -> dict[str, float]:
    """One step of gradient descent; returns the losses by name."""
    parts = foreseeing(reader, heads, seen)
    loss = recipe.forward_share * parts["forward"] + recipe.inverse_share * parts["inverse"]
    if told and recipe.told_share > 0:
        parts["told"] = telling(reader.network, told, step=step, seed=recipe.seed)
        loss = loss + recipe.told_share * parts["told"]
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    torch.nn.utils.clip_grad_norm_([*reader.network.parameters(), *heads.parameters()], recipe.clip)
    optimizer.step()
    return {name: float(value.detach()) for name, value in parts.items()}


def foreseeing(reader: Reader, heads: Foresight, seen: Sequence[Transition]) -> dict[str, Tensor]:
    """Mean losses of a batch: what the actions change, and which actions they were."""
    arrays = batches.inputs_of([each.sample.arrays for each in seen])
    elements, options = arrays["element_there"].shape[1], arrays["option_there"].shape[1]
    inputs = tensors(arrays)
    labels = tensors(batches.labels_of([each.sample for each in seen], elements, options))
    labels["parents"] = _parents(labels["options"], inputs["option_parents"], elements)
    happened = tensors(_happened([each.change for each in seen], elements))
    before = reader.read(inputs)
    after = reader.read(tensors(batches.inputs_of([each.after for each in seen])))
    of_elements, of_page = heads(before, heads.deed(before, inputs, labels))
    kinds, pointer = heads.between(before, after)
    pointer = pointer.masked_fill(~inputs["element_there"], LOW)
    return {
        "forward": foresight.change_loss(of_elements, of_page, happened, inputs["element_there"]).mean(),
        "inverse": foresight.inverse_loss(kinds, pointer, labels).mean(),
    }


def telling(network: ElementSetPolicy, told: Sequence[Sample], *, step: int, seed: int) -> Tensor:
    """Mean loss of the policy's own heads, with later states told as goals."""
    arrays = batches.inputs_of([each.arrays for each in told])
    wanted = batches.labels_of(told, arrays["element_there"].shape[1], arrays["option_there"].shape[1])
    outputs = run(network, tensors(batches.varied(arrays, wanted, step=step, seed=seed)))
    return losses.action_nll(outputs, tensors(wanted)).mean()


def _happened(changes: Sequence[Change], elements: int) -> dict[str, NDArray[np.generic]]:
    def padded(masks: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        return np.stack([np.pad(mask, (0, elements - len(mask))) for mask in masks])

    return {
        "gone": padded([each.gone for each in changes]),
        "altered": padded([each.altered for each in changes]),
        "appeared": np.stack([each.appeared for each in changes]),
        "page": np.stack([each.page for each in changes]),
    }


def _parents(options: Tensor, parents: Tensor, elements: int) -> Tensor:
    """(B, O) chosen, (B, O) the select of each -> (B, E) bool: the select that was chosen from."""
    found = torch.zeros(options.shape[0], elements, dtype=torch.int64)
    return found.scatter_add(1, parents, options.to(torch.int64)) > 0


def _lengths(samples: Sequence[Sample]) -> NDArray[np.int64]:
    return np.array([len(each.arrays.element_kinds) for each in samples], np.int64)


def _telling(
    kinds: Sequence[Sequence[Sample]], lengths: Sequence[NDArray[np.int64]], recipe: Recipe, *, step: int
) -> list[Sample]:
    """Of what is told as goals and as tickets half a batch each, where there are both."""
    size = recipe.batch // max(len(kinds), 1)
    return [
        each[index]
        for stream, (each, long) in enumerate(zip(kinds, lengths, strict=True), 1)
        for index in _draw(long, recipe, step=step, size=size, stream=stream)
    ]


def _draw(lengths: NDArray[np.int64], recipe: Recipe, *, step: int, size: int, stream: int) -> NDArray[np.int64]:
    alike = np.full(len(lengths), 1 / max(len(lengths), 1))
    return batches.draw(lengths, alike, step=step, size=size, seed=3 * recipe.seed + stream)


def _rate(step: int, through: float, recipe: Recipe) -> float:
    warm = min(1.0, (step + 1) / recipe.warmup)
    return warm * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * through)))


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Mid-train a fresh policy on random play in a simulator.")
    parser.add_argument("--out", type=Path, required=True, help="the policy's folder, to be trained on from")
    parser.add_argument("--work", type=Path, default=Path(".belay/midtrain"), help="where the checkpoint is kept")
    parser.add_argument("--templates", nargs="+", default=starter.trained_templates("cloud"))
    parser.add_argument("--episodes", type=count, default=400)
    parser.add_argument("--steps", type=count, default=Recipe().steps)
    parser.add_argument("--seed", type=whole, default=0)
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        for each in asked.templates:
            find_template(each)
        if len(worlds := {each.partition("/")[0] for each in asked.templates}) > 1:
            raise ValueError(f"free play is in one environment, these templates are of {', '.join(sorted(worlds))}")
        played = hindsight.wandered(asked.templates, episodes=asked.episodes, seed=asked.seed)
    except (UnknownTemplate, UnknownEnvironment, NoSuchFace, ValueError) as problem:
        parser.error(str(problem))
    found = experience(played.played, retold=played.retold)
    recipe = Recipe(steps=asked.steps, seed=asked.seed)
    network = fresh(Shape(), seed=asked.seed)
    done = train(found, network, recipe, work=asked.work, report=say)
    artefact.write(
        asked.out,
        network,
        examples=[each.sample.arrays for each in found.transitions[:8]],
        templates={},
        evaluation={"midtrain": done.values},
        receipt={
            "algorithm": "midtrain",
            "parent": None,
            "recipe": asdict(recipe),
            "steps": done.steps,  # done, where the recipe has those planned
            "environments": sorted({each.partition("/")[0] for each in asked.templates}),
            "episodes": asked.episodes,
            "transitions": len(found.transitions),
            "told": len(found.told),
            "retold": len(found.retold),
            "seconds": round(done.seconds, 1),
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
        title="Mid-trained trunk",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
