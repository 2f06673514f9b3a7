"""MiniWoB++ from people's demonstrations: what is learnt from, how long, and how well it does in Chromium.

Run: python -m learning.miniwob OUT_FOLDER [--seed 0]; BELAY_MINIWOB_DEMOS names the folder of the recordings.
"""

import argparse
import copy
import math
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from learning import artefact, bc, ppo, sentences
from learning.acting import Acting
from learning.bc import Recipe, Trained
from learning.checkpoints import kept_step
from learning.frame_rollouts import FrameCollector, Table
from learning.frames import play, seats_of
from learning.imitate import Plan, Played, practise
from learning.metrics import Stream
from learning.networks import ElementSetPolicy, Shape
from learning.progress import Progress
from learning.restored import restored
from learning.samples import Lessons, Sample, lessons
from sandbox.arguments import count, whole
from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.worlds.miniwob.catalogue import published
from sandbox.worlds.miniwob.demos import NotMapped, recordings, trajectory

FOLDER = "BELAY_MINIWOB_DEMOS"  # names the folder of people's recordings
SHAPE = Shape(width=64, layers=3, heads=4, word_width=32, sentences=1, relations=1)
RECIPE = Recipe(steps=2400, batch=32, learning_rate=2e-3, held_out_one_in=10**9, judge_every=200, renamed=0.8)
AGAIN = replace(RECIPE, steps=1200, learning_rate=5e-4)  # after a round of practice
PRACTICE_SEEDS = 10_000  # of the pages that are practised on
VALIDATION_SEEDS = 950_000  # of the pages that trials during play are made on
TEST_SEEDS = 1_000_000  # of the pages that are judged on
PLAY = ppo.Recipe(
    clip=0.1,
    gamma=0.97,
    leash=0.1,
    imitation_share=0.3,
    learning_rate=2e-4,
    batch=64,
    updates=1_000,
    keep_every=4,
    judge_every=8,
    patience=6,
)
TRIED = 3  # episodes of each task in a trial
SHIPPED = Path(__file__).parent / "miniwob_policy"  # made by this program; what `miniwob-bc --quick` judges
PRACTISED = Path(__file__).parent / "miniwob_practised"  # from it, by self-imitation; `miniwob-ppo --quick` goes on


class NoDemonstrations(RuntimeError):
    """The recordings are not there; the message says where to get them."""


def demonstrations(folder: Path | None = None) -> list[Trajectory]:
    """People's solved recordings, as trajectories of the pages of the published tasks. Raises NoDemonstrations."""
    folder = folder or Path(os.environ.get(FOLDER, ""))
    files = sorted(folder.glob("*.jsonl.xz")) if folder != Path() else []
    if not files:
        raise NoDemonstrations(
            f"No recordings (<task>.jsonl.xz) in {folder}. Get github.com/stanfordnlp/miniwob-plusplus-demos "
            f"and name its folder by {FOLDER}."
        )
    found = []
    for file in files:
        task = file.name.removesuffix(".jsonl.xz")
        for number, recording in enumerate(recordings(file)):
            if isinstance(recording, NotMapped):
                continue
            try:
                done = trajectory(recording, task, number, unsaid=True)
            except NotMapped:
                continue
            if done.verification.outcome is Outcome.VERIFIED:
                found.append(done)
    return restored(found)


def learn(
    learnt_from: Sequence[Trajectory],
    *,
    seed: int,
    work: Path,
    shape: Shape = SHAPE,
    recipe: Recipe = RECIPE,
    budget_s: float = 600.0,
    report: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """Behaviour cloning alone, one network for all tasks."""
    found = lessons(learnt_from, reading=sentences.scene)
    return _learn(found, seed=seed, work=work, shape=shape, recipe=recipe, budget_s=budget_s, report=report)


def make(
    out: Path,
    *,
    seed: int,
    demos: Path | None = None,
    recipe: Recipe = RECIPE,
    budget_s: float = math.inf,
    work: Path | None = None,
    report: Callable[[Progress], None] = lambda _: None,
) -> Trained:
    """A policy's folder from people's recordings alone; goes on from what is in `work`. Raises NoDemonstrations."""
    busy = time.process_time()
    shown = demonstrations(demos)
    found = lessons(shown, reading=sentences.scene)
    with tempfile.TemporaryDirectory(prefix="belay-miniwob-") as passing:
        trained = _learn(
            found, seed=seed, work=work or Path(passing), shape=SHAPE, recipe=recipe, budget_s=budget_s, report=report
        )
    artefact.write(
        out,
        trained.network,
        examples=[each.arrays for each in found.samples[:: max(1, len(found.samples) // 8)][:8]],
        templates=dict(Counter(each.task.template for each in shown)),
        evaluation={},
        receipt={
            "algorithm": "bc",
            "command": f"python -m learning.miniwob {out.name} --seed {seed} --steps {recipe.steps}",
            "recordings": "github.com/stanfordnlp/miniwob-plusplus-demos (MIT)",
            "dataset_files_sha256": artefact.dataset_hash([storage.address(storage.pack(each)) for each in shown]),
            "environments": ["miniwob"],
            "recipe": asdict(replace(recipe, seed=seed)),
            "seconds": round(trained.seconds, 1),
            "processor_seconds": round(time.process_time() - busy, 1),
            "steps": trained.steps,
            "seed": seed,
            "parent": None,
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
        title="MiniWoB++ policy",
    )
    return trained


def _learn(
    found: Lessons,
    *,
    seed: int,
    work: Path,
    shape: Shape,
    recipe: Recipe,
    budget_s: float,
    report: Callable[[Progress], None],
) -> Trained:
    network = bc.fresh(shape, seed=seed)
    return bc.train(
        found.samples,
        network,
        replace(recipe, seed=seed),
        work=work,
        budget_s=budget_s,
        report=report,
        should_stop=lambda: False,
    )


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of practice brought, and the network that learnt from it."""

    network: ElementSetPolicy
    played: Played


def practised(
    work: Path,
    *,
    rounds: int,
    tasks: Sequence[str],
    budget_s: float,
    demos: Path | None = None,
    recipe: Recipe = RECIPE,
    again: Recipe = AGAIN,
    seed: int = 0,
) -> Iterator[Round]:
    """Clone, then round by round: play, keep what was solved, learn all of it from the weights so far.

    The mean of the weights before and after goes on: of what was known before, a round alone forgets a little.
    """
    found = lessons(demonstrations(demos), reading=sentences.scene)
    network = _learn(
        found, seed=seed, work=work / "clone", shape=SHAPE, recipe=recipe, budget_s=budget_s, report=_unheard
    ).network
    for number in range(rounds):
        plan = Plan(first_seed=PRACTICE_SEEDS + 1_000 * number, seed=seed + number)
        played = practise(network, tasks, plan)
        found.samples.extend(lessons(played.successes, reading=sentences.scene).samples)
        before = {name: each.clone() for name, each in network.state_dict().items()}
        bc.train(
            found.samples,
            network,
            replace(again, seed=seed + number + 1),
            work=work / f"round-{number}",
            budget_s=budget_s,
            report=_unheard,
            should_stop=lambda: False,
        )
        network.load_state_dict({name: (each + before[name]) / 2 for name, each in network.state_dict().items()})
        yield Round(network, played)


def improved(
    network: ElementSetPolicy,
    work: Path,
    *,
    table: Table,
    budget_s: float,
    shown: Sequence[Sample] = (),
    recipe: ppo.Recipe = PLAY,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> ppo.Trained:
    """PPO in Chromium, in place, leashed to what it came from; goes on from the checkpoint in `work`. Raises Stopped.

    What is kept did best on fixed pages, the first trial before anything is learnt. Its curves are in `work` too.
    """
    player = Acting(network, len(table.tasks), bins=recipe.bins, seed=recipe.seed)
    reference = copy.deepcopy(player).eval()
    collector, about = FrameCollector(table, recipe, shown=shown), [table]
    with Stream(work, first_step=kept_step(work, ppo.begun(player, recipe, reference, about=about)) + 1) as stream:

        def heard(progress: Progress) -> None:
            stream.write(progress.step, progress.values)
            report(progress)

        try:
            return ppo.train(
                player,
                collector,
                recipe,
                work=work,
                budget_s=budget_s,
                report=heard,
                should_stop=should_stop,
                reference=reference,
                judge=lambda: mean(judge(network, tasks=table.tasks, episodes=TRIED, first_seed=VALIDATION_SEEDS)),
                successes=collector.successes,
                about=about,
            )
        finally:
            network.hasten(on=False)  # it will be exported


def _unheard(_: Progress) -> None:
    """Nobody listens."""


def judge(
    network: ElementSetPolicy, *, tasks: Sequence[str] = (), episodes: int, first_seed: int = TEST_SEEDS
) -> dict[str, list[bool]]:
    """Whether each episode of each task ended with a raw reward of 1: the network alone, greedily, in Chromium."""
    found: dict[str, list[bool]] = {task: [] for task in tasks or published()}
    seats = seats_of(tuple(found), range(first_seed, first_seed + episodes))
    for each in play(network, seats, name="judged"):
        found[each.task.template.partition("/")[2]].append(each.verification.outcome is Outcome.VERIFIED)
    return found


def mean(found: Mapping[str, Sequence[bool]]) -> float:
    """The mean of the tasks' shares."""
    return sum(sum(each) / len(each) for each in found.values()) / len(found)


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=whole, default=0)
    parser.add_argument("--demos", type=Path, help=f"the folder of the recordings, if {FOLDER} does not name it")
    parser.add_argument("--steps", type=count, default=RECIPE.steps)
    parser.add_argument("--work", type=Path, help="a folder that it goes on from where it was stopped")
    asked = parser.parse_args(arguments)

    def told(progress: Progress) -> None:
        if progress.step % 100 == 0:
            print(f"{progress.phase} {progress.progress:4.0%} step {progress.step} {dict(progress.values)}", flush=True)

    try:
        recipe = replace(RECIPE, steps=asked.steps)
        made = make(asked.out, seed=asked.seed, demos=asked.demos, recipe=recipe, work=asked.work, report=told)
    except NoDemonstrations as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{made.steps} steps in {made.seconds:.0f} s, to {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
