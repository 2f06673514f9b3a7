"""Learning from trajectories of mixed quality with their rewards, and from nothing else: implicit Q-learning.

A value V(s) is drawn to an upper expectile of Q(s, a) over the actions that the data hold, Q(s, a) to the reward and
the value of the state reached; then the policy imitates each action by exp(sharpness * (Q - V)). Nothing is ever asked
about actions that nobody took, so nothing is overrated. Beside it, to compare: `awr`, whose advantage is the return
less its mean, and `bc`, which imitates everything alike.
Run: python -m learning.offline --out FOLDER TRAJECTORY...
"""

import argparse
import logging
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from learning import artefact, batches, expectiles, losses
from learning.bc import fresh
from learning.begun import Begun
from learning.checkpoints import Checkpoint, Resumed
from learning.deeds import Deed, Reader, Reading
from learning.networks import ElementSetPolicy, Shape, run, scorer, tensors
from learning.policy import BadPolicy
from learning.pricing import GAMMA, Deal, earned_in_its_world, priced
from learning.progress import Progress, Stopped, say
from sandbox.arguments import count, whole
from sandbox.contracts import storage

Method: TypeAlias = Literal["iql", "awr", "bc"]
REPORT_EVERY = 10
WEIGHED = 64  # actions at once


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything an offline training depends on besides its data and first weights."""

    method: Method = "iql"
    critic_steps: int = 800  # first: advantages of a critic that knows nothing teach nothing
    steps: int = 1000  # of the policy, on advantages that stand
    batch: int = 32
    learning_rate: float = 1e-3
    warmup: int = 20
    weight_decay: float = 0.01
    clip: float = 1.0
    gamma: float = GAMMA
    expectile: float = 0.8
    sharpness: float = 6.0
    largest: float = 20.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Learnt:
    """What came out, with the losses of the last batch by name."""

    network: ElementSetPolicy
    critic: "Critic"
    steps: int
    values: dict[str, float]
    seconds: float


class Critic(nn.Module):
    """Q of an action and V of a state, on a trunk of their own: the policy's is not pulled about by them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.trunk = ElementSetPolicy(shape)
        self.deed = Deed(width)
        self.first, self.second = scorer(3 * width, 1), scorer(3 * width, 1)
        self.state = scorer(2 * width, 1)

    def q(self, reading: Reading, inputs: dict[str, Tensor], labels: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Two estimates, each (B,)."""
        both = torch.cat([self.deed(reading, inputs, labels), reading.state, reading.page], -1)
        return self.first(both)[:, 0], self.second(both)[:, 0]

    def v(self, reading: Reading) -> Tensor:
        """(B,)"""
        return self.state(torch.cat([reading.state, reading.page], -1))[:, 0]  # type: ignore[no-any-return]  # Module.__call__ is Any


def train(
    found: Sequence[Deal],
    network: ElementSetPolicy,
    recipe: Recipe,
    *,
    work: Path,
    budget_s: float = math.inf,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Learnt:
    """Train in place; goes on from the checkpoint in `work` if there is one. Raises Stopped, Diverged.

    Where the budget is short of the steps, critic and policy have their shares of it; a critic's missing steps are
    passed over. Weighing the actions is of the critic's share; where it needs more, the training is that much longer,
    and the policy still has its own.
    """
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    critic = Critic(network.shape)
    both = nn.ModuleDict({"policy": network, "critic": critic})
    optimizer = _adam(both, recipe)
    checkpoint = Checkpoint(work, Begun.of(recipe, [both], found))
    resumed = checkpoint.resume(both, optimizer)
    step, clock = resumed.step, _Clock(budget_s, resumed)
    first = 0 if recipe.method == "bc" else recipe.critic_steps
    whole = first + recipe.steps
    lengths = np.array([len(each.sample.arrays.element_kinds) for each in found], np.int64)
    alike = np.full(len(found), 1 / len(found))
    values: dict[str, float] = dict(resumed.more.get("values", {}))
    weights: Tensor | None = None
    criticised = int(resumed.more.get("critic_steps", 0))

    def keep() -> None:
        more = {"critic_steps": criticised, "late_s": clock.late_s, "values": values}
        checkpoint.keep(both, optimizer, step=step, spent_s=clock.spent_s(), more=more)

    both.train()
    with Reader(critic.trunk) as reader:
        while step < whole and ((spent := clock.share()) < 1 or step < first):
            if should_stop():
                keep()
                raise Stopped(f"stopped at step {step} of {whole}")
            if 0 < step < first <= (spent + clock.share_of(math.ceil(len(found) / WEIGHED), per=step)) * whole:
                step = first  # the rest of the critic's share is for weighing
            if step >= first and weights is None:
                weights = weighed(critic, reader, found, recipe)
                clock.set_back(max(spent, first / whole))
                spent = clock.share()
            optimizer.param_groups[0]["lr"] = _rate(step, _through(step, spent, first, whole), recipe)
            drawn = batches.draw(lengths, alike, step=step, size=recipe.batch, seed=recipe.seed)
            batch = [found[i] for i in drawn]
            if weights is None:
                values = values | criticise(critic, reader, optimizer, batch, recipe)
                criticised += 1
            else:
                worth = weights[torch.from_numpy(drawn)]
                values = values | imitate(network, optimizer, batch, worth, recipe, step=step)
            step += 1
            losses.finite(values, step=step)
            if step == 1 or step % REPORT_EVERY == 0:
                report(Progress("offline", step / whole, step, values))
            if step % 500 == 0:
                keep()
    keep()
    values |= {"critic_steps": criticised, "policy_steps": max(0, step - first)}
    return Learnt(network, critic, criticised + max(0, step - first), values, clock.spent_s())


class _Clock:
    """How much of a training's budget is spent, over all its beginnings."""

    def __init__(self, budget_s: float, resumed: Resumed) -> None:
        self._budget_s = budget_s
        self._began = time.monotonic() - resumed.spent_s
        self.late_s = float(resumed.more.get("late_s", 0.0))  # beyond the budget

    def spent_s(self) -> float:
        return time.monotonic() - self._began

    def share(self) -> float:
        """Of the budget."""
        return (self.spent_s() - self.late_s) / self._budget_s

    def share_of(self, steps: int, *, per: int) -> float:
        """What so many steps will take, by the pace of those that were done."""
        return steps * self.share() / per

    def set_back(self, share: float) -> None:
        """No more than this is spent: what is, is beyond the budget."""
        if math.isfinite(self._budget_s):
            self.late_s = max(self.late_s, self.spent_s() - share * self._budget_s)


def criticise(
    critic: Critic, reader: Reader, optimizer: torch.optim.Optimizer, batch: Sequence[Deal], recipe: Recipe
) -> dict[str, float]:
    """One step of gradient descent on the critic; returns its loss by name."""
    loss, _ = judge(critic, reader, batch, recipe)
    _descend(loss, critic, optimizer, recipe)
    return {"critic": float(loss.detach())}


def imitate(
    network: ElementSetPolicy,
    optimizer: torch.optim.Optimizer,
    batch: Sequence[Deal],
    weights: Tensor,  # (B,)
    recipe: Recipe,
    *,
    step: int,
) -> dict[str, float]:
    """One step of gradient descent on the policy; returns its loss by name."""
    samples = [each.sample for each in batch]
    arrays = batches.inputs_of([each.arrays for each in samples])
    wanted = batches.labels_of(samples, arrays["element_there"].shape[1], arrays["option_there"].shape[1])
    outputs = run(network, tensors(batches.varied(arrays, wanted, step=step, seed=recipe.seed)))
    loss = losses.weighted_mean(losses.action_nll(outputs, tensors(wanted)), weights)
    _descend(loss, network, optimizer, recipe)
    return {"policy": float(loss.detach()), "weight": float(weights.mean())}


def _adam(module: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        module.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=(0.9, 0.98)
    )


def _descend(loss: Tensor, module: nn.Module, optimizer: torch.optim.Optimizer, recipe: Recipe) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    torch.nn.utils.clip_grad_norm_(module.parameters(), recipe.clip)
    optimizer.step()


@torch.no_grad()
def weighed(critic: Critic, reader: Reader, found: Sequence[Deal], recipe: Recipe) -> Tensor:
    """How much each action is to be imitated, by a critic that is done. (deals,)"""
    if recipe.method == "bc":
        return torch.ones(len(found))
    parts = [
        judge(critic, reader, found[start : start + WEIGHED], recipe)[1] for start in range(0, len(found), WEIGHED)
    ]
    return expectiles.advantage_weights(torch.cat(parts), sharpness=recipe.sharpness, largest=recipe.largest)


def judge(critic: Critic, reader: Reader, batch: Sequence[Deal], recipe: Recipe) -> tuple[Tensor, Tensor]:
    """The critic's loss, and how much better each action is than what is usual (awr) or good (iql) there: (B,)."""
    samples = [each.sample for each in batch]
    arrays = batches.inputs_of([each.arrays for each in samples])
    wanted = batches.labels_of(samples, arrays["element_there"].shape[1], arrays["option_there"].shape[1])
    inputs, labels = tensors(arrays), tensors(wanted)
    here = reader.read(inputs)
    value = critic.v(here)
    if recipe.method == "awr":
        difference = torch.tensor([each.to_go for each in batch]) - value
        return expectiles.expectile_loss(difference, expectile=0.5).mean(), difference.detach()
    one, other = critic.q(here, inputs, labels)
    least = torch.minimum(one, other).detach()
    rewards = torch.tensor([each.reward for each in batch])
    terminated = torch.tensor([each.after is None for each in batch])
    with torch.no_grad():
        reached = reader.read(tensors(batches.inputs_of([each.after or each.sample.arrays for each in batch])))
        target = expectiles.one_step_target(rewards, critic.v(reached), terminated, gamma=recipe.gamma)
    of_value = expectiles.expectile_loss(least - value, expectile=recipe.expectile).mean()
    of_actions = (one - target).square().mean() + (other - target).square().mean()
    return of_value + of_actions, least - value.detach()


def _through(step: int, spent: float, first: int, whole: int) -> float:
    """How far this part of the training is, the critic's or the policy's: by its steps, or by its time if that ends."""
    begin, end = (0, first) if step < first else (first, whole)
    return max(step - begin, spent * whole - begin) / (end - begin)


def _rate(step: int, through: float, recipe: Recipe) -> float:
    warm = recipe.learning_rate * min(1.0, (step + 1) / recipe.warmup)
    return warm * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * through)))


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Learn from good and bad trajectories by their rewards.")
    parser.add_argument("trajectories", type=Path, nargs="+", help="packed files")
    parser.add_argument("--out", type=Path, required=True, help="the policy's folder")
    parser.add_argument("--parent", type=Path, help="a policy's folder to go on from; else from nothing")
    parser.add_argument("--work", type=Path, default=Path(".belay/offline"), help="where the checkpoint is kept")
    parser.add_argument("--method", choices=("iql", "awr", "bc"), default="iql")
    parser.add_argument("--steps", type=count, default=Recipe().steps, help="of the policy")
    parser.add_argument("--critic-steps", type=count, default=Recipe().critic_steps, help="of the critic, before them")
    parser.add_argument("--seed", type=whole, default=0)
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        contents, every = zip(*storage.read(asked.trajectories), strict=True)
        network = artefact.load(asked.parent) if asked.parent else fresh(Shape(), seed=asked.seed)
    except (OSError, storage.BadTrajectory, BadPolicy) as problem:
        parser.error(str(problem))
    found, left_out = priced(every, earned_in_its_world)
    if not found:
        parser.error("there is nothing to learn from: no step of these trajectories led anywhere")
    recipe = Recipe(method=asked.method, steps=asked.steps, critic_steps=asked.critic_steps, seed=asked.seed)
    done = train(found, network, recipe, work=asked.work, report=say)
    artefact.write(
        asked.out,
        network,
        examples=[each.sample.arrays for each in found[:: math.ceil(len(found) / 8)]],
        templates=dict(Counter(each.task.template for each in every)),
        evaluation={"offline": done.values},
        receipt={
            "algorithm": recipe.method,
            "parent": artefact.spec_of(asked.parent)["weights_sha256"] if asked.parent else None,
            "recipe": asdict(recipe),
            "steps": done.steps,  # done, where the recipe has those planned
            "dataset_files_sha256": artefact.dataset_hash([storage.address(content) for content in contents]),
            "trajectories": len(every),
            "unpriced": left_out,
            "environments": sorted({each.task.environment for each in every}),
            "seconds": round(done.seconds, 1),
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
        title="Policy learnt offline",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
