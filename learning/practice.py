"""A policy from demonstrations and practice: oracles show each template a few times, it clones them, then plays.

Run: python -m learning.practice --work .belay/practice; goes on where it was stopped, part by part.
"""

import argparse
import logging
import random
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import msgspec

from learning import artefact, bc, jobs, playing
from learning.collecting import World
from learning.improve import improve
from learning.progress import Progress
from learning.rollouts import Episode, Played, play_all
from learning.samples import lessons
from sandbox.contracts import storage
from sandbox.registry import find_environment
from sandbox.variants import VariantGenerator, environment_id

log = logging.getLogger("learning.practice")  # the same when run as a program

FEW_CHANGES = 4  # dimensions that differ in every second demonstration; in the others all may
SLIPS = 0.1
IMITATED = 4  # demonstrations of each template that are imitated again while it plays


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
    recipe = bc.Recipe(steps=plan.cloning_steps, learning_rate=1e-3, judge_every=250, seed=plan.seed)
    improve(request, report=_say, should_stop=lambda: False, recipe=recipe)
    partial.rename(out)


def practise(plan: Plan, files: Sequence[Path], cloned: Path, out: Path, work: Path) -> None:
    """PPO from the cloned policy on, on a leash to it, some demonstrations imitated beside; writes `out`."""
    policy = artefact.load(cloned)
    trajectories = [storage.unpack(path.read_bytes()) for path in files]
    shown = lessons(each for each in trajectories if each.task.seed < IMITATED).samples
    templates = tuple(templates_of(plan.environments))
    began = time.monotonic()
    played = playing.play(
        policy,
        World(templates, decisions=plan.decisions, workers=plan.workers),
        replace(playing.PLAY, seed=plan.seed),
        work=work,
        budget_s=plan.practice_s,
        report=_say,
        shown=shown,
        ways=playing.ways_of(trajectories),
    )
    log.info("practised %d updates: %s, best trial %.3f", played.updates, played.ended, played.best)
    spec = artefact.spec_of(cloned)
    receipt = {
        "algorithm": "bc, ppo",
        "parent": spec["weights_sha256"],
        "plan": msgspec.to_builtins(plan),
        "recipe": asdict(playing.PLAY),
        "played": asdict(played),
        "seconds": round(time.monotonic() - began, 1),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }
    partial = out.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    artefact.write(
        partial,
        policy,
        examples=[each.arrays for each in shown[:: max(1, len(shown) // 8)][:8]],
        templates=dict.fromkeys(templates, plan.demonstrations),
        evaluation={"trial": played.best},
        receipt=receipt,
        title="Practised policy",
    )
    partial.rename(out)


def judged(
    episodes: int, seed: int, environments: Sequence[str], *, kept: Mapping[str, str], in_browser: bool = False
) -> list[Episode]:
    """Held-out episodes of every template: names of the test split, in a variant with these values and no others."""
    variants = [environment_id(base, kept) for base in environments]
    by_base = dict(zip(environments, variants, strict=True))
    return [
        Episode(name, seed + number, "test", "try", in_browser=in_browser, variant=by_base[name.partition("/")[0]])
        for number in range(episodes)
        for name in templates_of(environments)
    ]


def _say(progress: Progress) -> None:
    if progress.phase == "play" or progress.step % 50 == 0 or "held_out_accuracy" in progress.values:
        values = " ".join(f"{name}={value:.3f}" for name, value in progress.values.items())
        log.info("%s %3.0f %% step %d %s", progress.phase, 100 * progress.progress, progress.step, values)


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".belay/practice"), help="where everything is kept")
    parser.add_argument("--workers", type=int, default=Plan().workers)
    parser.add_argument("--cloning-s", type=float, default=Plan().cloning_s)
    parser.add_argument("--practice-s", type=float, default=Plan().practice_s)
    parser.add_argument("--decisions", type=int, default=Plan().decisions)
    parser.add_argument("--environments", nargs="+", default=Plan().environments)
    asked = parser.parse_args(arguments)
    plan = Plan(
        environments=tuple(asked.environments),
        workers=asked.workers,
        cloning_s=asked.cloning_s,
        practice_s=asked.practice_s,
        decisions=asked.decisions,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("learning").setLevel(logging.INFO)  # others would drown it
    files = demonstrate(plan, asked.work / "demonstrations")
    cloned, practised = asked.work / "cloned", asked.work / "practised"
    if not cloned.is_dir():
        clone(plan, files, cloned, asked.work / "cloning")
    if plan.practice_s and not practised.is_dir():
        practise(plan, files, cloned, practised, asked.work / "practising")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
