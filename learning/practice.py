"""A policy from demonstrations and practice: oracles show each template a few times, it clones them, then plays.

Run: python -m learning.practice --work .belay/practice [--quick]; goes on where it was stopped, part by part.
"""

import argparse
import logging
import random
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from learning import bc, jobs
from learning.improve import improve
from learning.progress import Progress
from learning.rollouts import Episode, Played, play_all
from sandbox.contracts import storage
from sandbox.registry import find_environment
from sandbox.variants import VariantGenerator

log = logging.getLogger("learning.practice")  # the same when run as a program

FEW_CHANGES = 4  # dimensions that differ in every second demonstration; in the others all may
SLIPS = 0.1


class Plan(msgspec.Struct, frozen=True):
    """How much of everything."""

    environments: tuple[str, ...] = ("cloud",)
    demonstrations: int = 20  # of each template
    cloning_s: float = 20 * 60
    cloning_steps: int = 12_000
    practice_s: float = 35 * 60
    decisions: int = 2_048  # of each update
    workers: int = 2  # Ray actors; 0 = in this process
    seed: int = 7


def templates_of(environments: Sequence[str]) -> list[str]:
    """Every template of these environments."""
    return [name for base in environments for name in sorted(find_environment(base).templates)]


def shown(plan: Plan) -> list[Episode]:
    """The demonstrations of a plan: names of the training split, in variants that training may meet."""
    found = []
    for template in templates_of(plan.environments):
        variants = VariantGenerator.of(find_environment(template.partition("/")[0]))
        for seed in range(plan.demonstrations):
            rng = random.Random(f"shown:{template}:{seed}:{plan.seed}")  # noqa: S311  # not a secret
            variant = variants.draw(rng, "train", changed=FEW_CHANGES if seed % 2 else None)
            found.append(Episode(template, seed, "train", "demonstrate", SLIPS, variant=variant))
    return found


def demonstrate(plan: Plan, folder: Path) -> list[Path]:
    """Files of the demonstrations that were verified; plays those that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    episodes = shown(plan)

    def keep(played: Played) -> None:
        if played.trajectory is not None:
            path = _file(folder, played.episode)
            path.with_suffix(".partial").write_bytes(storage.pack(played.trajectory))
            path.with_suffix(".partial").rename(path)

    play_all([each for each in episodes if not _file(folder, each).is_file()], workers=plan.workers, heard=keep)
    files = [path for each in episodes if (path := _file(folder, each)).is_file()]
    kept = [path for path in files if storage.unpack(path.read_bytes()).verification.outcome == "verified"]
    log.info("%d of %d demonstrations verified", len(kept), len(episodes))
    return kept


def _file(folder: Path, episode: Episode) -> Path:
    return folder / f"{episode.template.replace('/', '-')}-{episode.seed}.belay"


def clone(plan: Plan, files: Sequence[Path], out: Path, work: Path) -> None:
    """Behaviour cloning of the demonstrations, from nothing; writes `out`."""
    partial = out.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    request = jobs.ImproveRequest(
        parent=None,
        trajectories=files,
        out=partial,
        work=work,
        seed=plan.seed,
        budget_s=plan.cloning_s,
        lineage={"title": "Cloned policy", "parent": None, "algorithm": "bc", "seed": plan.seed},
    )
    recipe = bc.Recipe(steps=plan.cloning_steps, learning_rate=1e-3, judge_every=500, seed=plan.seed)
    improve(request, report=_say, should_stop=lambda: False, recipe=recipe)
    partial.rename(out)


def _say(progress: Progress) -> None:
    if progress.step % 50 == 0 or "held_out_accuracy" in progress.values:
        values = " ".join(f"{name}={value:.3f}" for name, value in progress.values.items())
        log.info("%s %3.0f %% step %d %s", progress.phase, 100 * progress.progress, progress.step, values)


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".belay/practice"), help="where everything is kept")
    parser.add_argument("--workers", type=int, default=Plan().workers)
    parser.add_argument("--cloning-s", type=float, default=Plan().cloning_s)
    asked = parser.parse_args(arguments)
    plan = Plan(workers=asked.workers, cloning_s=asked.cloning_s)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("learning").setLevel(logging.INFO)  # others would drown it
    files = demonstrate(plan, asked.work / "demonstrations")
    if not (asked.work / "cloned").is_dir():
        clone(plan, files, asked.work / "cloned", asked.work / "cloning")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
