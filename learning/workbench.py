"""The workbench learnt by PPO from nothing: no demonstration, no parent, a reward for every move that brings it nearer.

Run: python -m learning.workbench --work .belay/workbench [--budget-s 3000]; goes on where it was stopped.
"""

import argparse
import logging
import shutil
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import numpy as np
import torch
from msgspec import Struct

from learning import acting, artefact, bc, devices, features, ppo
from learning.acting import Acting, Pages
from learning.arrays import KINDS, Arrays
from learning.beside import RENAMED, Beside, Here
from learning.checkpoints import kept_step
from learning.collecting import SegmentCollector, World
from learning.curriculum import Curriculum
from learning.metrics import Stream
from learning.networks import ElementSetPolicy, Shape
from learning.phases import Phase
from learning.ppo import Recipe, Rollout, Trained
from learning.progress import Progress
from learning.segments import Segment
from learning.tickets import EVERY, TITLE, Ended, judged
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import tasks

log = logging.getLogger("learning.workbench")  # the same when run as a program

SHAPE = Shape(width=64, layers=2, heads=4)
# What a move brings nearer is paid and kept, up to a cap. As a potential (rewards.yaml) it would be taken back when the
# episode ends: a critic that has learnt this sees no difference between moves until some ticket is done. The planner
# says of every move at once whether it was right, so hardly anything is gained by looking further ahead than that.
REWARD = """
reward: workbench
gamma: 0.1
success: 1.0
failure: -0.5
step: -0.02
danger: {reward: -0.5, terminates: true}
auxiliary:
  - {name: nearer, reward: 3 * gained}
auxiliary_cap: 3
penalties:
  repeating: -0.05
"""
RECIPE = Recipe(
    clip=0.2,
    stop_kl=1.0,  # what was played is an update old already, and imitation goes further
    entropy_share=0.02,
    imitation_share=0.3,
    gamma=0.1,
    lam=0.0,
    epochs=2,
    batch=64,
    learning_rate=1e-3,
    updates=100_000,
    keep_every=10,
    seed=7,
)
PHASES = (Phase("explore", (), most=1_000_000, even=0.2, starts=0.2),)
# Before anything is learnt, what ends an episode and what does nothing here is tried seldom.
FIRST_LEANING = {
    "finish": -3.0,
    "answer": -5.0,
    "give_up": -5.0,
    "press": -4.0,
    "wait": -4.0,
    "scroll": -2.0,
    "select": -2.0,
}
KEPT, HIGH = 0.4, 0.9  # templates done more often than HIGH are played in a share of the updates
NEARER, FEWEST, REMEMBERED = 0.05, 400, 6_000  # reward of a decision imitated again; how many are kept for that
FIRST, ENOUGH = 6, 0.5  # kinds of ticket at the beginning; their success before there are more


POLICY, JUDGED = "policy", 306  # 18 held-out tasks of each template


class Plan(Struct, frozen=True):
    """How much of everything."""

    templates: tuple[str, ...] = EVERY
    decisions: int = 1_024  # of each update
    slots: int = 16
    beside: bool = True  # play in a process beside the learner's; else in it, the same twice
    budget_s: float = 3_000.0


def untaught(seed: int) -> ElementSetPolicy:
    """First weights: every element alike, endings seldom."""
    network = bc.fresh(SHAPE, seed=seed)
    with torch.no_grad():
        for head in (network.kind, network.pointer, network.option, network.source_match):
            head[-1].weight.mul_(0.1)  # type: ignore[operator]  # the last layer of a Sequential
        bias = network.kind[-1].bias
        assert isinstance(bias, torch.Tensor)
        for name, leaning in FIRST_LEANING.items():
            bias[KINDS.index(name)] = leaning
    return network


class Ladder(Curriculum):
    """The shortest kinds of ticket first; two longer ones more whenever those within reach are mostly done."""

    def chosen(self, templates: Sequence[str], rng: np.random.Generator) -> list[str]:
        """See Curriculum."""
        ordered = sorted(templates, key=lambda name: (length_of(name), name))
        reach = min(FIRST, len(ordered))
        while reach < len(ordered) and fmean(self.success(name) for name in ordered[:reach]) >= ENOUGH:
            reach += 2
        return super().chosen(ordered[:reach], rng)


@cache
def length_of(template: str) -> float:
    """Steps that a ticket of this kind takes, mean over a few."""
    bench, found = Workbench(), []
    for task in islice((each for each in tasks("train", 10_000) if each.template == template), 5):
        bench.reset(task)
        found.append(bench.optimal_steps)
    return fmean(found)


class Collector(SegmentCollector):
    """Collects from a player of this module: beside the learner, or in its process."""

    beside = False

    def __init__(self, world: World, recipe: Recipe, *, curriculum: Curriculum) -> None:
        super().__init__(world, recipe, curriculum=curriculum)
        self.remembered: deque[tuple[Arrays, dict[str, int]]] = deque(maxlen=REMEMBERED)

    def nearer(self) -> Pages | None:
        """Decisions of late that brought a ticket nearer to done, whatever became of it; None while they are few."""
        if len(self.remembered) < FEWEST:
            return None
        actions = {name: torch.tensor([each[name] for _, each in self.remembered]) for name in acting.NAMES}
        return Pages(
            [page for page, _ in self.remembered], actions, torch.zeros(len(self.remembered), dtype=torch.long)
        )

    def _rollout(self, segments: Sequence[Segment]) -> Rollout:
        for each in segments:
            for at in np.flatnonzero(each.rewards > NEARER):
                chosen = {name: int(each.actions[name][at]) for name in acting.NAMES}
                self.remembered.append((each.pages[at], chosen))
        return super()._rollout(segments)

    def _hire(self, network: Acting) -> None:
        if not self._players:
            self._players = [Beside(network) if self.beside else Here(network)]  # type: ignore[list-item]  # answers as those of collecting do

    def heard(self, points: Mapping[str, float]) -> str:
        """Never ends a training: success falls for a while whenever harder tickets come into reach."""
        super().heard(points)
        return ""


def learn(
    plan: Plan, work: Path, *, report: Callable[[Progress], None], recipe: Recipe = RECIPE
) -> tuple[ElementSetPolicy, Trained, Collector]:
    """PPO from nothing, or on from the checkpoint in `work`, where its curves are too."""
    network = Acting(untaught(recipe.seed), 1, seed=recipe.seed)
    torch.nn.init.zeros_(network.critic.linear.weight)  # what it says before it knows anything would be noise
    world = World(plan.templates, decisions=plan.decisions, slots=plan.slots, reward=REWARD, phases=PHASES)
    collector = Collector(world, recipe, curriculum=Ladder(kept=KEPT, low=0.0, high=HIGH))
    collector.beside = plan.beside
    with Stream(work, first_step=kept_step(work) + 1) as stream:

        def told(progress: Progress) -> None:
            stream.write(progress.step, progress.values)
            report(progress)

        try:
            trained = ppo.train(
                network,
                collector,
                recipe,
                work=work,
                budget_s=plan.budget_s,
                report=told,
                successes=collector.nearer,
            )
        finally:
            collector.close()
            network.policy.hasten(on=False)  # it will be exported
    return network.policy, trained, collector


def write(folder: Path, policy: ElementSetPolicy, plan: Plan, trained: Trained, evaluation: Mapping[str, Any]) -> None:
    """The policy as an artefact."""
    bench = Workbench()
    firsts = islice(tasks("train", 8), 8)
    examples = [features.scene(bench.reset(task), task.goal, ()).arrays for task in firsts]
    receipt = {
        "algorithm": "ppo",
        "parent": None,
        "plan": msgspec.to_builtins(plan),
        "recipe": asdict(RECIPE),
        "reward": REWARD,
        "renamed": RENAMED,
        "trained": asdict(trained),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    artefact.write(
        partial,
        policy,
        examples=examples,
        templates=dict.fromkeys(plan.templates, 0),
        evaluation=evaluation,
        receipt=receipt,
        title=TITLE,
    )
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def make(plan: Plan, work: Path, *, count: int = JUDGED) -> list[Ended]:
    """Train, write `work`/policy, judge it on held-out tasks and write what came of that beside it."""
    policy, trained, _ = learn(plan, work / "training", report=_say)
    folder = work / POLICY
    write(folder, policy, plan, trained, {})
    return judged(folder, count=count)


def _say(progress: Progress) -> None:
    if progress.step % 10 == 0:
        values = progress.values
        few = ("reward", "success", "length", "entropy", "kl", "explained", "steps_per_s")
        said = " ".join(f"{name} {values[name]:.3f}" for name in few)
        by = " ".join(f"{name.rpartition('/')[2]} {share:.2f}" for name, share in values.items() if "success/" in name)
        log.info("%3.0f %% update %d %s | %s", 100 * progress.progress, progress.step, said, by)


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".belay/workbench"), help="where everything is kept")
    parser.add_argument("--budget-s", type=float, default=Plan().budget_s, help="of training, all goes together")
    parser.add_argument("--templates", nargs="+", default=Plan().templates)
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("learning").setLevel(logging.INFO)  # others would drown it
    devices.chosen()
    ended = make(Plan(templates=tuple(asked.templates), budget_s=asked.budget_s), asked.work)
    log.info("%d of %d held-out tasks verified", sum(each.verified for each in ended), len(ended))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
