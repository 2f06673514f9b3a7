"""Behaviour cloning with corrections, top to bottom: weigh, split, train, judge; `learning.jobs.improve` runs it."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learning import batches, devices, flat, losses, shared_words, together
from learning.arrays import KINDS
from learning.begun import Begun
from learning.checkpoints import Checkpoint
from learning.networks import ElementSetPolicy, Shape, run, tensors
from learning.progress import Progress, Stopped
from learning.samples import Sample, held_out

REPORT_EVERY = 10  # steps between two points of the loss curve; the first step is one too


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a training depends on besides its samples and first weights."""

    steps: int = 4000
    batch: int = 32
    learning_rate: float = 1e-3
    warmup: int = 50
    weight_decay: float = 0.01
    clip: float = 1.0
    change_share: float = 0.1
    success_share: float = 0.05
    held_out_one_in: int = 10
    session_share: float = 0.5  # of every batch, where there are sessions beside demonstrations
    judge_every: int = 400
    renamed: float = 0.0  # share of states whose rare words read as others (batches.renamed)
    rare: int = 5  # words of fewer trajectories are rare
    things: bool = False  # what one console has and another has not (shared_words.things) counts as rare
    flat: bool = False  # one list of all actions instead of kind, then element, then text: for comparison
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trained:
    """What came out."""

    network: ElementSetPolicy
    steps: int
    held_out_accuracy: float  # 0 where nothing was held out
    by_template: dict[str, tuple[int, int]]  # right, all of held-out actions
    train_samples: int
    held_out_samples: int
    seconds: float


def train(
    samples: Sequence[Sample],
    network: ElementSetPolicy,
    recipe: Recipe,
    *,
    work: Path,
    budget_s: float,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> Trained:
    """Train in place; goes on from the checkpoint in `work` if there is one. Raises Stopped, Diverged, ValueError."""
    kept = held_out(samples, one_in=recipe.held_out_one_in)
    learnt, judged = list(compress(samples, ~kept)), list(compress(samples, kept))
    if not learnt:
        raise ValueError(
            f"nothing is left to learn from: all {len(samples)} samples are held out to judge by "
            f"(held_out_one_in={recipe.held_out_one_in}); give more trajectories, or hold fewer out"
        )
    begun = Begun.of(recipe, [network], [samples, [(each.trajectory, each.template) for each in samples]])
    device = devices.chosen()
    devices.compiled(network.to(device), device)
    lengths = np.array([len(sample.arrays.element_kinds) for sample in learnt], np.int64)
    chances = probabilities(learnt, session_share=recipe.session_share)
    common = batches.common_words(learnt, least=recipe.rare) if recipe.renamed else None
    if common is not None and recipe.things:
        common[shared_words.things()] = False
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=(0.9, 0.98)
    )
    checkpoint = Checkpoint(work, begun)
    resumed = checkpoint.resume(network, optimizer)
    step, began = resumed.step, time.monotonic() - resumed.spent_s
    network.train()
    network.hasten(on=not devices.compiles(device))
    while step < recipe.steps:
        elapsed = time.monotonic() - began
        through, stop = together.agreed(max(step / recipe.steps, elapsed / budget_s), float(should_stop()))
        if through >= 1.0:
            break
        if stop:
            checkpoint.keep(network, optimizer, step=step, spent_s=elapsed)
            devices.released(network).hasten(on=False)
            raise Stopped(f"stopped at step {step} of {recipe.steps}")
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * _warm(step, recipe.warmup) * _cosine(through)
        batch = [learnt[i] for i in batches.draw(lengths, chances, step=step, size=recipe.batch, seed=recipe.seed)]
        loss = update(network, optimizer, batch, recipe, step=step, common=common)
        step += 1
        losses.finite({"loss": loss}, step=step)
        if step == 1 or step % REPORT_EVERY == 0:
            report(Progress("train", through, step, {"loss": loss}))
        if step % recipe.judge_every == 0:
            checkpoint.keep(network, optimizer, step=step, spent_s=time.monotonic() - began)
            if judged and step < recipe.steps:
                some = judged[:: max(1, len(judged) // 300)]
                report(Progress("train", through, step, {"held_out_accuracy": _share(accuracy(network, some))}))
    devices.released(network).hasten(on=False)
    by_template = accuracy(network, judged)
    report(Progress("judge", 1.0, step, {"held_out_accuracy": _share(by_template)}))
    checkpoint.keep(network, optimizer, step=step, spent_s=time.monotonic() - began)
    seconds = time.monotonic() - began
    return Trained(network, step, _share(by_template), by_template, len(learnt), len(judged), seconds)


def update(
    network: ElementSetPolicy,
    optimizer: torch.optim.Optimizer,
    batch: Sequence[Sample],
    recipe: Recipe,
    *,
    step: int,
    common: NDArray[np.bool_] | None = None,  # (VOCABULARY,) words that are never renamed
) -> float:
    """One step of gradient descent on one batch, of which several learners take their parts; the loss of its actions.

    All of them vary the whole batch, so that they do together what one would.
    """
    arrays = batches.inputs_of([sample.arrays for sample in batch])
    wanted = batches.labels_of(batch, arrays["element_there"].shape[1], arrays["option_there"].shape[1])
    arrays = batches.varied(arrays, wanted, step=step, seed=recipe.seed, common=common, renaming=recipe.renamed)
    device = next(network.parameters()).device
    (inputs, share), (mine, _) = together.split(arrays), together.split(wanted)
    labels = devices.moved(tensors(mine), device)
    with devices.precision(device):
        outputs = devices.whole(run(network, devices.moved(tensors(inputs), device)))
    nll = flat.action_nll if recipe.flat else losses.action_nll
    total = torch.from_numpy(wanted["weight"]).sum().to(device)
    action = losses.weighted_mean(nll(outputs, labels), labels["weight"], total=total)
    change = losses.change_nll(outputs["change"], labels["elements"], labels["changed"]).mean() * share
    success = losses.success_nll(outputs["value"], labels["succeeded"]).mean() * share
    loss = action + recipe.change_share * change + recipe.success_share * success
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    points = together.added(network.parameters(), {"loss": action.detach()})
    torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
    optimizer.step()
    return float(points["loss"])


def probabilities(samples: Sequence[Sample], *, session_share: float) -> NDArray[np.float64]:
    """How often each sample is drawn: templates alike within sessions, within demonstrations and within free play.

    Sessions are few and are what is new; demonstrations keep what is known from being forgotten; free play, half of
    what is left for the two where there is any, is what nobody had to show.
    """
    count: dict[tuple[str, str], int] = defaultdict(int)
    for sample in samples:
        count[(_source(sample), sample.template)] += 1
    templates = Counter(source for source, _ in count)
    others = [source for source in templates if source != "session"]
    of_sessions = 0.0 if "session" not in templates else session_share if others else 1.0
    share = {source: (1.0 - of_sessions) / len(others) for source in others} | {"session": of_sessions}
    by_source = {source: share[source] / templates[source] for source in templates}
    chances = np.array([by_source[_source(s)] / count[(_source(s), s.template)] for s in samples], np.float64)
    return np.asarray(chances / chances.sum())


def _source(sample: Sample) -> str:
    return "session" if sample.session else "free" if sample.free else "demonstration"


@torch.no_grad()
def accuracy(network: ElementSetPolicy, samples: Sequence[Sample]) -> dict[str, tuple[int, int]]:
    """Held-out actions that the greedy choice gets right in every head, by template: (right, all)."""
    network.eval()
    device = next(network.parameters()).device
    ordered = sorted(samples, key=lambda sample: len(sample.arrays.element_kinds))
    found: dict[str, tuple[int, int]] = {}
    for start in range(0, len(ordered), 64):
        batch = ordered[start : start + 64]
        arrays = batches.inputs_of([sample.arrays for sample in batch])
        labels = tensors(batches.labels_of(batch, arrays["element_there"].shape[1], arrays["option_there"].shape[1]))
        outputs = run(network, devices.moved(tensors(arrays), device))
        right = greedy_right({name: each.cpu() for name, each in outputs.items()}, labels)
        for sample, good in zip(batch, right.tolist(), strict=True):
            before = found.get(sample.template, (0, 0))
            found[sample.template] = (before[0] + int(good), before[1] + 1)
    network.train()
    return dict(sorted(found.items()))


def greedy_right(outputs: dict[str, Tensor], labels: dict[str, Tensor]) -> Tensor:
    """(B,) bool: kind, and every argument that this kind takes, are the likeliest and right."""
    kind = labels["kind"]
    right = outputs["kind"].argmax(-1) == kind
    for name in ("click", "type", "answer"):
        said = kind == KINDS.index(name)
        hit = labels["elements"].gather(1, outputs[name].argmax(-1, keepdim=True))[:, 0]
        right &= hit | ~said
    typed = kind == KINDS.index("type")
    at = outputs["type"].argmax(-1)
    source = outputs["source"][torch.arange(len(at)), at].argmax(-1, keepdim=True)
    right &= labels["sources"].gather(1, source)[:, 0] | ~typed
    chosen = labels["options"].gather(1, outputs["option"].argmax(-1, keepdim=True))[:, 0]
    right &= chosen | (kind != KINDS.index("select"))
    for head, kind_name in (("key", "press"), ("direction", "scroll")):
        right &= (outputs[head].argmax(-1) == labels[head]) | (kind != KINDS.index(kind_name))
    return right


def _share(by_template: dict[str, tuple[int, int]]) -> float:
    total = sum(count for _, count in by_template.values())
    return sum(right for right, _ in by_template.values()) / total if total else 0.0


def _warm(step: int, warmup: int) -> float:
    return min(1.0, (step + 1) / warmup)


def _cosine(through: float) -> float:
    return float(0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * through)))


def fresh(shape: Shape, *, seed: int) -> ElementSetPolicy:
    """A network with its first weights: the same for the same seed."""
    torch.manual_seed(seed)
    return ElementSetPolicy(shape)
