"""The workbench learnt by PPO from nothing: no demonstration, no parent, each move paid by what it brings nearer.

Run: python -m learning.workbench --work .belay/workbench [--budget-s 3000]; goes on where it was stopped.
"""

import argparse
import logging
import random
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from msgspec import Struct, structs, to_builtins

from learning import artefact, bench_policy, devices, ppo
from learning.bench_net import BenchNet, Sheets
from learning.bench_play import Ended, Guise, Played, play
from learning.bench_words import Vocabulary, goal_words
from learning.checkpoints import kept_step
from learning.metrics import Stream
from learning.ppo import ActorCritic, Recipe, Rollout, Trained
from learning.progress import Progress
from learning.tickets import EVERY, TITLE, judged
from learning.tickets import Ended as Judged
from sandbox.arguments import positive
from sandbox.contracts.tasks import Task
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import tasks

log = logging.getLogger("learning.workbench")  # the same when run as a program

WIDTH, TASKS = 64, 7_000
# The planner says of every move at once whether it was right, so nothing is gained by looking further ahead: no
# discounted future, and an advantage is what a move earned less what the critic had expected of the state.
RECIPE = Recipe(
    clip=0.2,
    stop_kl=1.0,  # imitation goes further
    entropy_share=0.05,
    imitation_share=0.2,
    gamma=0.0,
    lam=0.0,
    epochs=3,
    batch=128,
    learning_rate=2e-3,
    max_norm=1.0,
    updates=100_000,
    keep_every=10,
    seed=7,
)
LEAST_EVEN, MOST_EVEN = 0.02, 0.1  # share of the decisions tried just to see, when all succeeds and when nothing does
NEARER, UNLIKELY, FEWEST = (
    0.5,
    -0.7,
    100,
)  # reward and log-probability of a decision imitated again; how many are enough
IMITATED = 0.7  # success up to which that is done: later it would favour now one, now the other of two good moves
RATE = 0.05  # of an episode in its template's running success
SURE = 1.05  # templates are dealt by how far their success is below this
EXAMPLES = 60  # tasks of a template whose words are learnt
POLICY, JUDGED = "policy", 306  # 18 held-out tasks of each template


class Plan(Struct, frozen=True):
    """How much of everything."""

    templates: tuple[str, ...] = EVERY
    tasks: int = TASKS  # of the training split
    seats: int = 32  # benches that are played at once
    rounds: int = 48  # decisions on each of an update
    budget_s: float = 3_500.0
    recurrent: bool = False  # a memory that is learnt instead of notes


@cache
def pool(count: int) -> Mapping[str, Sequence[Task]]:
    """So many tasks of the training split, by template."""
    found: dict[str, list[Task]] = defaultdict(list)
    for task in tasks("train", count):
        found[task.template].append(task)
    return found


def vocabulary(plan: Plan) -> Vocabulary:
    """Words of goals and tools in some training tasks of each template."""
    told: set[str] = set()
    tools: set[str] = set()
    for name in EVERY:
        for task in pool(plan.tasks)[name][:EXAMPLES]:
            told.update(goal_words(task.goal))
            for element in Workbench().reset(task).elements:
                if element.role in ("button", "textbox", "combobox"):
                    tools.update(element.name.lower().split(), element.options)
    return Vocabulary(sorted(told | tools), tools)


class Collector:
    """See ppo.Collector: fresh episodes for every update, templates that fail dealt more often than others."""

    def __init__(self, plan: Plan, recipe: Recipe, words: Vocabulary) -> None:
        if recipe.gamma or recipe.lam:
            raise ValueError("episodes are cut wherever an update ends: make gamma and lam 0")
        self._plan, self._recipe, self._words = plan, recipe, words
        self.success: dict[str, float] = dict.fromkeys(plan.templates, 0.0)
        self._lucky: Sheets | None = None

    def __call__(self, network: ActorCritic, number: int) -> Rollout:
        """See ppo.Collector."""
        assert isinstance(network, BenchNet)
        seed = int(np.random.default_rng([self._recipe.seed, number]).integers(2**62))
        played = play(
            network,
            self._dealt(number),
            self._words,
            seats=self._plan.seats,
            rounds=self._plan.rounds,
            generator=torch.Generator().manual_seed(seed),
            even=MOST_EVEN - (MOST_EVEN - LEAST_EVEN) * fmean(self.success.values()),
        )
        done = fmean(self.success.values())
        self._lucky = lucky(played) if done < IMITATED else None
        for each in played.ended:
            self.success[each.template] += RATE * (each.verified - self.success[each.template])
        value = torch.tensor(played.value)
        return Rollout(
            rows=Sheets(played.sheets, torch.tensor(played.row)),
            environment=torch.zeros(len(value), dtype=torch.long),
            log_prob=torch.tensor(played.log_prob),
            value=value,
            advantage=torch.tensor(played.reward) - value,
            metrics=self._measured(played),
        )

    def lucky(self) -> Sheets | None:
        """See the function; of the last rollout alone, so that nothing of it has to be kept."""
        return self._lucky

    def heard(self, points: Mapping[str, float]) -> str:
        """See ppo.Collector; never ends a training."""
        return ""

    def noted(self) -> dict[str, Any]:
        """See ppo.Collector."""
        return {"success": self.success}

    def recall(self, noted: Mapping[str, Any]) -> None:
        """See ppo.Collector."""
        self.success.update(noted.get("success", {}))

    def _dealt(self, number: int) -> Iterator[tuple[Task, Guise]]:
        chance = random.Random(f"deal:{self._recipe.seed}:{number}")  # noqa: S311  # not a secret
        names = list(self._plan.templates)
        weights = [SURE - self.success[name] for name in names]
        known = pool(self._plan.tasks)
        while True:
            (name,) = chance.choices(names, weights)
            task = chance.choice(known[name])
            yield task, Guise(chance, task)

    def _measured(self, played: Played) -> dict[str, float]:
        ended: Sequence[Ended] = played.ended
        return {
            "decisions": float(len(played.row)),
            "episodes": float(len(ended)),
            "reward": fmean(played.reward),  # of a move; 0.95 where each brings its ticket nearer
            "success": fmean(each.verified for each in ended) if ended else 0.0,
            "length": fmean(each.steps for each in ended) if ended else 0.0,
            **{f"success/{name}": share for name, share in sorted(self.success.items())},
        }


def lucky(played: Played) -> Sheets | None:
    """Decisions that brought a ticket nearer and were not likely; None where they are too few to learn from."""
    told = zip(played.reward, played.log_prob, strict=True)
    found = [index for index, (reward, chance) in enumerate(told) if reward > NEARER and chance < UNLIKELY]
    if len(found) < FEWEST:
        return None
    return Sheets([played.sheets[index] for index in found], torch.tensor([played.row[index] for index in found]))


def learn(
    plan: Plan, work: Path, *, report: Callable[[Progress], None], recipe: Recipe = RECIPE
) -> tuple[BenchNet, Vocabulary, Trained]:
    """PPO from nothing, or on from the checkpoint in `work`, where its curves are too."""
    devices.chosen()  # one thread: several wait for each other where others work too
    words = vocabulary(plan)
    network = BenchNet(len(words), width=WIDTH, recalls=plan.recurrent, bins=recipe.bins, seed=recipe.seed)
    collector = Collector(plan, recipe, words)
    about = [structs.replace(plan, budget_s=0.0)]  # a training may be given more time
    with Stream(work, first_step=kept_step(work, ppo.begun(network, recipe, about=about)) + 1) as stream:

        def told(progress: Progress) -> None:
            stream.write(progress.step, progress.values)
            report(progress)

        trained = ppo.train(
            network,
            collector,
            recipe,
            work=work,
            budget_s=plan.budget_s,
            report=told,
            successes=collector.lucky,
            about=about,
        )
    return network, words, trained


def write(folder: Path, network: BenchNet, words: Vocabulary, plan: Plan, trained: Trained) -> None:
    """The policy as an artefact, in place of what was there."""
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    weights = {name: each.numpy() for name, each in network.state_dict().items() if not name.startswith("critic.")}
    bench_policy.write(partial, weights, words, dict.fromkeys(plan.templates, 0))
    receipt = {
        "algorithm": "ppo",
        "parent": None,
        "plan": to_builtins(plan),
        "recipe": asdict(RECIPE),
        "trained": asdict(trained),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }
    artefact.rewrite(partial, evaluation={}, receipt=receipt, title=TITLE)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def make(plan: Plan, work: Path, *, count: int = JUDGED) -> list[Judged]:
    """Train, write `work`/policy, judge it on held-out tasks and write what came of that beside it."""
    network, words, trained = learn(plan, work / "training", report=_say)
    folder = work / POLICY
    write(folder, network, words, plan, trained)
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
    parser.add_argument("--budget-s", type=positive, default=Plan().budget_s, help="of training, all goes together")
    parser.add_argument("--templates", nargs="+", choices=EVERY, metavar="NAME", default=Plan().templates)
    parser.add_argument("--recurrent", action="store_true", help="a memory that is learnt instead of notes")
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("learning").setLevel(logging.INFO)  # others would drown it
    plan = Plan(templates=tuple(asked.templates), budget_s=asked.budget_s, recurrent=asked.recurrent)
    ended = make(plan, asked.work)
    log.info("%d of %d held-out tasks verified", sum(each.verified for each in ended), len(ended))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
