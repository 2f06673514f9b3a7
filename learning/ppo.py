"""Proximal policy optimisation, top to bottom: collect, estimate, update, log; on a leash to the policy it came from.

What decides whether PPO works is in its details. Ours, each with where it is known from ("37" = Huang et al. 2022,
"The 37 implementation details of PPO", ICLR blog track; "matters" = Andrychowicz et al. 2021, arXiv:2006.05990):
clipped ratio (Schulman et al. 2017, arXiv:1707.06347); GAE, an end told from a cut (arXiv:1506.02438; Pardo et al.
2018, arXiv:1712.00378); orthogonal first weights, small in the policy's head (37, 2; matters, C3); Adam with epsilon
1e-5 (37, 3); learning rate annealed (37, 4), by default to a twentieth; several epochs of shuffled minibatches (37,
6); advantages standardised (37, 7), over the whole rollout and not each minibatch, since ours hold pages of like
length; value loss clipped as an option, off, as it helps nobody (37, 9; matters, C2); entropy bonus (37, 10);
gradient's norm clipped (37, 11); actions that cannot be done masked in the logits (Huang and Ontanon 2020,
arXiv:2006.14171); parts of one action independent given the part before, their log-probabilities added (37, 25);
returns scaled for each environment (PopArt, arXiv:1809.04474); stop of an update by the KL from the policy that
played, as estimated by (r - 1) - log r (Schulman 2020, "Approximating KL divergence"); penalty for the KL from a
reference, its weight adapted to a target (arXiv:1707.06347, section 4; Ziegler et al. 2019, arXiv:1909.08593);
successes imitated again (Oh et al. 2018, arXiv:1806.05635).
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from learning import devices, together
from learning.advantages import explained, standardised
from learning.begun import Begun
from learning.checkpoints import Best, Checkpoint, Resumed
from learning.critic import Binned
from learning.losses import finite
from learning.normalise import PopArt
from learning.progress import Progress, Stopped
from learning.rows import Lengths, Named, Rows, bucketed, pieces
from learning.surrogate import clipped, divergence, pulled, squared

PIECE = 2_400  # tokens that a core works on at a time: what it makes of them stays in its cache


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything an update depends on besides its rollout and first weights; written into the spec."""

    clip: float = 0.08
    kl_target: float = 0.015  # from the reference, for each decision
    leash: float = 0.2  # first weight of that KL; it is doubled and halved to meet the target
    stop_kl: float = 0.03  # from the policy that played: an update goes no further
    value_clip: float = 0.0  # in deviations of the returns; 0 = none
    value_share: float = 0.5
    bins: int = 0  # of a critic that says how likely each size of return is; 0 = it says one number
    entropy_share: float = 0.003
    imitation_share: float = 0.0  # weight of successes imitated again, where there are some
    gamma: float = 0.99
    lam: float = 0.95
    epochs: int = 2
    batch: int = 128
    learning_rate: float = 3e-4
    least_rate: float = 0.05  # share of the learning rate at the end
    max_norm: float = 0.5
    updates: int = 200
    keep_every: int = 10  # updates between two checkpoints
    judge_every: int = 0  # updates between two trials on fixed validation tasks; 0 = none
    patience: int = 5  # trials without a better one, after which training ends
    seed: int = 0


class Judged(NamedTuple):
    """What a network says of decisions."""

    log_prob: Tensor  # (B,) of what was done
    entropy: Tensor  # (B,) of what could have been done
    value: Tensor  # (B,) in units of the return
    sizes: Tensor | None = None  # (B, bins) logits of a critic by classification

    def to(self, dtype: torch.dtype) -> "Judged":
        """The same in numbers of another precision."""
        sizes = None if self.sizes is None else self.sizes.to(dtype)
        return Judged(self.log_prob.to(dtype), self.entropy.to(dtype), self.value.to(dtype), sizes)


class ActorCritic(nn.Module):
    """A network that PPO can train: called with inputs and actions, it returns what it has `Judged`.

    Inputs are padded tensors (B, ...) by name, with "environment" (B,); actions integers (B,), one a head that speaks.
    """

    critic: PopArt | Binned


@dataclass(frozen=True)
class Rollout:
    """N decisions of a policy and what came of them."""

    rows: Rows
    environment: Tensor  # (N,) index of the critic's scale
    log_prob: Tensor  # (N,) as it was played
    value: Tensor  # (N,)
    advantage: Tensor  # (N,)
    metrics: Mapping[str, float] = field(default_factory=dict)  # of playing it: steps, reward, success by task
    critic_only: bool = False  # a policy that can do something is kept until its critic knows what that is worth


@dataclass
class Leash:
    """The policy that this one must stay near, and how hard it is pulled back."""

    reference: ActorCritic | None
    weight: float


@torch.no_grad()
def log_probs(network: ActorCritic, rows: Rows, *, size: int = 256) -> Tensor:
    """(N,) of what was done, as this network would have; several learners work out their parts."""
    device = next(network.parameters()).device
    lengths = rows.lengths
    found = torch.zeros(len(lengths))
    order = np.argsort(lengths, kind="stable")[together.number() :: together.count()]
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        inputs, actions = (devices.moved(each, device) for each in rows.take(chosen))
        with devices.precision(device):
            said: Judged = network(inputs, actions)
        found[torch.from_numpy(chosen)] = said.log_prob.float().cpu()
    return together.summed(found)


@dataclass(frozen=True)
class Lesson:
    """A rollout as it is learnt from; every tensor (N,)."""

    rows: Rows
    played: Tensor  # log-probability with which it was played
    value: Tensor
    environment: Tensor
    returns: Tensor
    scale: Tensor  # deviation of the returns of its environment
    advantage: Tensor  # standardised
    reference: Tensor | None  # log-probability by the policy that the leash is fastened to


def lesson(network: ActorCritic, rollout: Rollout, reference: ActorCritic | None) -> Lesson:
    """What is worked out once for all epochs; moves the critic's scale."""
    device = next(network.parameters()).device
    returns = rollout.advantage + rollout.value
    network.critic.observe(returns.to(device), rollout.environment.to(device))
    scale = network.critic.scale().cpu()[rollout.environment]
    advantage = standardised(rollout.advantage / scale)
    away = None if reference is None else log_probs(reference, rollout.rows)
    return Lesson(rollout.rows, rollout.log_prob, rollout.value, rollout.environment, returns, scale, advantage, away)


def objective(
    network: ActorCritic, lesson: Lesson, chosen: Lengths, recipe: Recipe, leash: float
) -> tuple[Tensor, Named]:
    """The loss of one minibatch, from one forward pass, and what the curves show of it."""
    device = next(network.parameters()).device
    at = torch.from_numpy(chosen)
    inputs, actions = (devices.moved(each, device) for each in lesson.rows.take(chosen))
    with devices.precision(device):
        said: Judged = network(inputs, actions).to(lesson.played.dtype)
    played = lesson.played[at].to(device)
    policy = clipped(said.log_prob, played, lesson.advantage[at].to(device), recipe.clip).mean()
    before, returns, scale = (each[at].to(device) for each in (lesson.value, lesson.returns, lesson.scale))
    if said.sizes is None:
        value = squared(said.value, before, returns, scale, recipe.value_clip).mean()
    else:
        assert isinstance(network.critic, Binned)  # whose logits these are
        value = network.critic.loss(said.sizes, returns, lesson.environment[at].to(device)).mean()
    entropy = said.entropy.mean()
    loss = policy + recipe.value_share * value - recipe.entropy_share * entropy
    if lesson.reference is not None:
        loss = loss + leash * divergence(said.log_prob, lesson.reference[at].to(device)).mean()
    with torch.no_grad():
        beyond = ((said.log_prob - played).exp() - 1).abs() > recipe.clip
        kl = divergence(played, said.log_prob).mean()  # of the policy that played, whose decisions these are
    points = {"policy_loss": policy, "value_loss": value, "entropy": entropy, "kl": kl}
    return loss, {name: each.detach() for name, each in points.items()} | {"clipped_share": beyond.float().mean()}


def descended(
    network: ActorCritic, lesson: Lesson, chosen: Lengths, recipe: Recipe, leash: float, *, share: float = 1.0
) -> Named:
    """Add `share` of a minibatch's gradient to the network's; the points of its curves, as much of them."""
    most = PIECE if next(network.parameters()).device.type == "cpu" else sys.maxsize
    found: Named = {}
    for piece in pieces(lesson.rows.lengths, chosen, most=most):
        loss, points = objective(network, lesson, piece, recipe, leash)
        weight = share * len(piece) / len(chosen)
        (loss * weight).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        found = {name: found.get(name, torch.zeros_like(each)) + each * weight for name, each in points.items()}
    return found


def imitated(network: ActorCritic, successes: Rows, size: int, rng: np.random.Generator) -> Tensor:
    """Cross-entropy on decisions that led to success, () scalar: rows of like length, drawn at random.

    What several learners find adds up to it.
    """
    lengths = successes.lengths
    near = int(rng.integers(len(lengths)))
    order = np.argsort(lengths, kind="stable")
    start = max(0, min(near, len(order) - size))
    device = next(network.parameters()).device
    chosen, share = together.part(order[start : start + size])
    inputs, actions = (devices.moved(each, device) for each in successes.take(chosen))
    with devices.precision(device):
        said: Judged = network(inputs, actions)
    return -said.log_prob.float().mean() * share


def update(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    recipe: Recipe,
    *,
    number: int = 0,
    leash: Leash | None = None,
    successes: Rows | None = None,
) -> dict[str, float]:
    """Learn from one rollout, in place; the curves' points. Equal in, equal bits. Raises Diverged."""
    leash = leash or Leash(None, 0.0)
    learnt = lesson(network, rollout, leash.reference)
    rng = np.random.default_rng([recipe.seed, 3, number])
    seen: list[dict[str, float]] = []
    for _ in range(recipe.epochs):
        first = len(seen)
        for chosen in bucketed(rollout.rows.lengths, recipe.batch, rng):
            mine, share = together.part(chosen)
            optimizer.zero_grad(set_to_none=True)
            points = descended(network, learnt, mine, recipe, leash.weight, share=share)
            if successes is not None and recipe.imitation_share > 0:
                again = recipe.imitation_share * imitated(network, successes, recipe.batch, rng)
                again.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            if rollout.critic_only:
                _keep_to_critic(network)
            points = together.added(network.parameters(), points)
            points["gradient"] = nn.utils.clip_grad_norm_(network.parameters(), recipe.max_norm)
            optimizer.step()
            seen.append({name: float(each) for name, each in points.items()})
            finite({name: seen[-1][name] for name in ("policy_loss", "value_loss", "gradient")}, step=number)
        if fmean(each["kl"] for each in seen[first:]) > recipe.stop_kl:
            break
    found = {name: fmean(each[name] for each in seen) for name in seen[0]}
    found |= {"explained": explained(rollout.value, learnt.returns), "steps_of_descent": float(len(seen))}
    if learnt.reference is not None:
        kl = float(divergence(log_probs(network, rollout.rows), learnt.reference).mean())
        leash.weight = pulled(leash.weight, kl, recipe.kl_target)
        found |= {"leash_kl": kl, "leash": leash.weight}
    return found


def _keep_to_critic(network: ActorCritic) -> None:
    critic = {id(parameter) for parameter in network.critic.parameters()}
    for parameter in network.parameters():
        if id(parameter) not in critic:
            parameter.grad = None


class Collector(Protocol):
    """Plays a policy and hands its decisions over."""

    def __call__(self, network: ActorCritic, number: int) -> Rollout:
        """The rollout of this update."""
        ...

    def heard(self, points: Mapping[str, float]) -> str:
        """Hear the curves of the update; why training should end, "" while it should not."""
        ...

    def noted(self) -> dict[str, Any]:
        """Plain data by which it goes on as if it had never stopped."""
        ...

    def recall(self, noted: Mapping[str, Any]) -> None:
        """Take up what was noted; {} = a new beginning."""
        ...


@dataclass(frozen=True)
class Trained:
    """How a training ended; the network holds the weights that did best where they were judged, else the last."""

    updates: int
    seconds: float
    best: float | None  # of the trials; None where there were none
    ended: str  # "updates", "time", "patience", or what the collector said
    kept: int  # updates that the weights have behind them


def begun(
    network: ActorCritic, recipe: Recipe, reference: ActorCritic | None = None, *, about: Sequence[object] = ()
) -> Begun:
    """What a checkpoint must have been begun with to be gone on from; ask before anything is learnt.

    `about`: plain data that say what is played.
    """
    return Begun.of(recipe, [network, *([reference] if reference is not None else [])], about)


def train(
    network: ActorCritic,
    collect: Collector,
    recipe: Recipe,
    *,
    work: Path,
    budget_s: float,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool] = lambda: False,
    reference: ActorCritic | None = None,
    judge: Callable[[], float] | None = None,
    successes: Callable[[], Rows | None] = lambda: None,
    about: Sequence[object] = (),
) -> Trained:
    """Train in place; goes on from the checkpoint in `work` if there is one. Raises Stopped, Diverged."""
    optimizer = adam(network, recipe)
    checkpoint = Checkpoint(work, begun(network, recipe, reference, about=about))
    kept = checkpoint.resume(network, optimizer)
    collect.recall(kept.more.get("collector", {}))
    leash = Leash(reference, kept.more.get("leash", recipe.leash))
    best = Best(work, kept.more.get("trials", ()))
    began = time.monotonic() - kept.spent_s
    number, ended = kept.step, _ended(kept, budget_s)
    if judge is not None and recipe.judge_every and not best.trials:
        best.tried(network, judge(), step=number)  # what comes of it must be better than what was there
    while not ended and number < recipe.updates:
        spent_s = time.monotonic() - began
        through = max(number / recipe.updates, spent_s / budget_s)
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * max(recipe.least_rate, 1 - through)
        rollout, again = collect(network, number), successes()
        together.told(Lecture(number, optimizer.param_groups[0]["lr"], leash.weight, rollout, again))
        points = update(network, optimizer, rollout, recipe, number=number, leash=leash, successes=again)
        number += 1
        points["steps_per_s"] = len(rollout.value) / (time.monotonic() - began - spent_s)
        points["gpu_used"] = devices.used_share(next(network.parameters()).device)
        ended = collect.heard({**rollout.metrics, **points})
        if not ended and time.monotonic() - began >= budget_s:
            ended = "time"
        over = bool(ended) or number == recipe.updates  # then too: what was learnt since the last trial may be better
        if judge is not None and recipe.judge_every and (over or number % recipe.judge_every == 0):
            points["trial"] = best.tried(network, judge(), step=number)
        report(Progress("ppo", through, number, {**rollout.metrics, **points}))
        if not ended and best.stale(recipe.patience):
            ended = "patience"
        spent_s, stop = time.monotonic() - began, should_stop()
        if stop or ended or number % recipe.keep_every == 0 or number == recipe.updates:
            more = {"collector": collect.noted(), "leash": leash.weight, "trials": best.trials, "ended": ended}
            checkpoint.keep(network, optimizer, step=number, spent_s=spent_s, more=more)
        if stop and not ended:
            together.over(network)
            raise Stopped(f"stopped at update {number} of {recipe.updates}")
    best.restore(network)
    together.over(network)
    seconds, ended = time.monotonic() - began, ended or "updates"
    if best.step is None:
        return Trained(number, seconds, None, ended, kept=number)
    return Trained(number, seconds, best.value, ended, kept=best.step)


def _ended(kept: Resumed, budget_s: float) -> str:
    """How a training that is gone on with had ended already, "" where it had not or has more time now."""
    ended = str(kept.more.get("ended", ""))
    return "" if ended == "time" and kept.spent_s < budget_s else ended


@dataclass(frozen=True)
class Lecture:
    """What the first of several learners says to the others before an update."""

    number: int
    rate: float
    leash: float
    rollout: Rollout
    successes: Rows | None


def follow(
    network: ActorCritic,
    recipe: Recipe,
    *,
    work: Path,
    reference: ActorCritic | None = None,
    about: Sequence[object] = (),
) -> int:
    """Learn beside the first learner, in place: the same updates, each on its part; what was done in the last one."""
    optimizer, leash, number = adam(network, recipe), Leash(reference, 0.0), 0
    Checkpoint(work, begun(network, recipe, reference, about=about)).resume(network, optimizer)
    heard: Lecture | None = None
    while (lecture := together.told(heard)) is not None:
        optimizer.param_groups[0]["lr"], leash.weight = lecture.rate, lecture.leash
        update(
            network, optimizer, lecture.rollout, recipe, number=lecture.number, leash=leash, successes=lecture.successes
        )
        number = lecture.number + 1
    together.alike(network)
    return number


def adam(network: ActorCritic, recipe: Recipe) -> torch.optim.Optimizer:
    """Adam with PPO's epsilon, all parameters in one sweep."""
    return torch.optim.Adam(network.parameters(), lr=recipe.learning_rate, eps=1e-5, fused=True)
