"""A policy from demonstrations and practice: oracles show each template a few times, it clones them, then plays.

Run: python -m learning.practice --work .belay/practice; goes on where it was stopped, part by part.
"""

import argparse
import logging
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from learning import artefact, bc, filed, plans, playing, together
from learning.collecting import World
from learning.curriculum import Curriculum
from learning.intervals import wilson
from learning.networks import ElementSetPolicy, Shape, sizes
from learning.phases import Condition, Phase, Settled
from learning.progress import Progress
from learning.readings import reading_of
from learning.rollouts import Episode
from learning.samples import Sample, lessons
from sandbox.arguments import amount, count, environment_name, positive, whole
from sandbox.contracts import storage
from sandbox.registry import find_environment
from sandbox.semantics.thesaurus import shipped_sha256
from sandbox.variants import VariantGenerator, environment_id

log = logging.getLogger("learning.practice")  # the same when run as a program

SHIPPED = Path(__file__).parent / "console_policy"  # what `python -m benchmarks console --quick` judges
FEW_CHANGES = 4  # dimensions that differ in every second demonstration; in the others all may
SLIPS = 0.1
IMITATED = 8  # demonstrations of each template that are imitated again while it plays
JUDGED = 1_200  # decisions of a trial
HIGH = 0.97  # success of a template up to which it is played as often as others
PHASES = (
    Phase(
        "calibrate", (Condition("explained", at_least=0.3, updates=2),), most=2, changed=FEW_CHANGES, critic_only=True
    ),
    Phase("refine", (Settled("success", gain=0.01, updates=20),), most=400, even=0.02, starts=0.1),
    Phase("stress", (), most=400),
)
PRACTISE = replace(
    playing.PLAY, clip=0.15, kl_target=0.06, leash=0.05, stop_kl=0.05, learning_rate=3e-4, imitation_share=0.5
)
CLONE = bc.Recipe(batch=32, learning_rate=1.5e-3, judge_every=500, renamed=0.25, things=True)


LOG = "practice.log"  # of several learners


WHO = ("workers", "learners", "central")  # of a plan: makes no other policy


class Plan(msgspec.Struct, frozen=True):
    """How much of everything."""

    environments: tuple[str, ...] = ("cloud",)
    only: tuple[str, ...] = ()  # templates; none: all of the environments
    demonstrations: int = 20  # of each template
    cloning_s: float = 17 * 60
    cloning_steps: int = 12_000
    practice_s: float = 35 * 60
    decisions: int = 1_024  # of each update
    workers: int = 2  # Ray actors; 0 = in this process
    learners: int = 1  # processes that learn, on a GPU each where there are any
    central: bool | None = None  # see collecting.World
    shared: int = 1  # 1: words of consoles are read as shared ones; 0: as they are
    width: int = 64
    seed: int = 7

    @property
    def templates(self) -> tuple[str, ...]:
        """What is learnt."""
        return self.only or tuple(templates_of(self.environments))

    @property
    def shape(self) -> Shape:
        """Of the network."""
        return Shape(width=self.width, shared=self.shared)


def templates_of(environments: Sequence[str]) -> list[str]:
    """Every template of these environments."""
    return [name for base in environments for name in sorted(find_environment(base).templates)]


def shown(plan: Plan) -> list[Episode]:
    """The demonstrations of a plan: names of the training split, in variants that training may meet."""
    found = []
    for template in plan.templates:
        variants = VariantGenerator.of(find_environment(template.partition("/")[0]))
        for seed in range(plan.demonstrations):
            rng = random.Random(f"shown:{template}:{seed}:{plan.seed}")  # noqa: S311  # not a secret
            variant = variants.draw(rng, "train", changed=FEW_CHANGES if seed % 2 else None)
            found.append(Episode(template, seed, "train", "demonstrate", SLIPS, variant=variant))
    return found


def demonstrate(plan: Plan, folder: Path) -> list[Path]:
    """Files of the demonstrations that were verified; plays those that are not there yet."""
    episodes = shown(plan)
    kept = filed.verified(filed.played_into(folder, episodes, workers=plan.workers))
    log.info("%d of %d demonstrations verified", len(kept), len(episodes))
    return kept


def clone(plan: Plan, files: Sequence[Path], out: Path, work: Path) -> None:
    """Behaviour cloning of the demonstrations, from nothing; writes `out`."""
    samples = _read(plan, files)
    recipe = replace(CLONE, steps=plan.cloning_steps, seed=plan.seed)
    trained = bc.train(
        samples,
        bc.fresh(plan.shape, seed=plan.seed),
        recipe,
        work=work,
        budget_s=plan.cloning_s,
        report=_say,
        should_stop=lambda: False,
    )
    judged = trained.by_template.values()  # none where so few were shown that none is held out
    right, count = sum(each for each, _ in judged), sum(each for _, each in judged)
    held_out = {"right": right, "all": count, "interval": wilson(right, count)}
    receipt = {"algorithm": "bc", "recipe": asdict(recipe), "steps": trained.steps}
    _write(plan, trained.network, samples, out, {"held_out": held_out}, receipt, "Cloned policy")


def _read(plan: Plan, files: Sequence[Path], *, seeds: int = sys.maxsize) -> list[Sample]:
    """What the demonstrations teach, those of the first seeds."""
    shown = (each for _, each in storage.read(files))
    reading = reading_of(sizes(plan.shape))
    return lessons((each for each in shown if each.task.seed < seeds), reading=reading).samples


def _write(
    plan: Plan,
    network: ElementSetPolicy,
    samples: Sequence[Sample],
    out: Path,
    evaluation: Mapping[str, Any],
    receipt: Mapping[str, Any],
    title: str,
) -> None:
    words = shipped_sha256() if plan.shared else ""
    made = {
        "words_sha256": words,
        "plan": msgspec.to_builtins(plan),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }
    with together.written(out) as folder:
        artefact.write(
            folder,
            network,
            examples=[each.arrays for each in samples[:: max(1, len(samples) // 8)][:8]],
            templates=dict.fromkeys(plan.templates, plan.demonstrations),
            evaluation=evaluation,
            receipt={**receipt, **made},
            title=title,
        )


def practise(plan: Plan, files: Sequence[Path], cloned: Path, out: Path, work: Path) -> None:
    """PPO from the cloned policy on, on a leash to it, some demonstrations imitated beside; writes `out`."""
    policy = artefact.load(cloned)
    shown = _read(plan, files, seeds=IMITATED)
    recipe = replace(PRACTISE, seed=plan.seed)
    began = time.monotonic()
    played = playing.play(
        policy,
        World(
            plan.templates,
            decisions=plan.decisions,
            judged=JUDGED,
            workers=plan.workers,
            central=plan.central,
            phases=PHASES,
        ),
        recipe,
        work=work,
        budget_s=plan.practice_s,
        report=_say,
        shown=shown,
        ways=playing.ways_of([each for _, each in storage.read(files)]),
        curriculum=Curriculum(high=HIGH),
    )
    log.info("practised %d updates: %s, best trial %s", played.updates, played.ended, played.best)
    receipt = {
        "algorithm": "bc, ppo",
        "parent": artefact.spec_of(cloned)["weights_sha256"],
        "recipe": asdict(recipe),
        "played": asdict(played),
        "seconds": round(time.monotonic() - began, 1),
    }
    _write(plan, policy, shown, out, {"trial": played.best}, receipt, "Practised policy")


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
    parser.add_argument("--workers", type=whole, default=Plan().workers)
    parser.add_argument(
        "--learners", type=count, default=1, help="processes that learn, on a GPU each if there are any"
    )
    parser.add_argument("--central", action="store_true", help="one process answers for all players, also on a CPU")
    parser.add_argument("--cloning-s", type=positive, default=Plan().cloning_s)
    parser.add_argument("--practice-s", type=amount, default=Plan().practice_s)
    parser.add_argument("--decisions", type=count, default=Plan().decisions)
    environments = Plan().environments
    parser.add_argument("--environments", nargs="+", type=environment_name, metavar="ID", default=environments)
    parser.add_argument("--templates", nargs="+", metavar="ID", default=(), help="of these environments; none = all")
    parser.add_argument("--demonstrations", type=count, default=Plan().demonstrations, help="of each template")
    asked = parser.parse_args(arguments)
    if unknown := sorted(set(asked.templates) - set(templates_of(asked.environments))):
        parser.error(f"no templates of {', '.join(asked.environments)}: {', '.join(unknown)}")
    plan = Plan(
        environments=tuple(asked.environments),
        only=tuple(asked.templates),
        demonstrations=asked.demonstrations,
        workers=asked.workers,
        learners=asked.learners,
        central=asked.central or None,
        cloning_s=asked.cloning_s,
        practice_s=asked.practice_s,
        decisions=asked.decisions,
    )
    work = asked.work.absolute()
    if plan.learners > 1:
        print(f"how far it is stands in {work / LOG}", flush=True)
    try:
        settle(plan, work)
    except plans.AnotherPlan as problem:
        parser.error(str(problem))
    together.run(partial(carry_out, plan, work), work, learners=plan.learners, cores=plan.workers)
    return 0


def settle(plan: Plan, work: Path) -> None:
    """Note the plan of a folder. Raises plans.AnotherPlan where what lies there is of another one.

    Who plays and learns may change, and how long it practises until it has.
    """
    plans.settle(plan, work, free=WHO if (work / "practised").is_dir() else (*WHO, "practice_s"))


def carry_out(plan: Plan, work: Path) -> None:
    """Whatever of a plan is not done yet, in one learner or several. Raises plans.AnotherPlan."""
    if together.first():
        settle(plan, work)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")  # libraries would drown ours
    said = logging.getLogger("learning")
    said.setLevel(logging.INFO if together.first() else logging.WARNING)
    if together.first() and together.count() > 1:  # in a process of Ray's
        work.mkdir(parents=True, exist_ok=True)
        said.addHandler(logging.FileHandler(work / LOG))
    files = together.told(demonstrate(plan, work / "demonstrations") if together.first() else [])
    cloned, practised = work / "cloned", work / "practised"
    if not together.told(cloned.is_dir()):
        clone(plan, files, cloned, work / "cloning")
    if plan.practice_s and not together.told(practised.is_dir()):
        practise(plan, files, cloned, practised, work / "practising")


if __name__ == "__main__":
    from learning import practice  # under its own name, by which other processes know it

    sys.exit(practice.main(sys.argv[1:]))
