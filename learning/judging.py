"""The whole judgement of a policy: success, conduct, ground, consistency, causes, and another policy beside it."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from learning import artefact, consistency, kinds, report
from learning.consistency import Consistency
from learning.evaluate import Evaluation, evaluate
from learning.measures import Cause, Conduct, Ground, causes, conduct, ground
from learning.pairing import Pairing, by_template, pair
from learning.policy import BadPolicy
from learning.rollouts import Episode, Played, play_all
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Split
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import UnknownEnvironment, UnknownTemplate, find_environment, find_template

SEED = 6_000_000  # apart from those that anything was learnt from


class Plan(Struct, frozen=True):
    """What a policy is asked to do."""

    templates: tuple[str, ...]
    episodes: int = 20  # of each template and split
    splits: tuple[Split, ...] = ("test",)
    seed: int = SEED
    variants: int = 0  # ways in which each task's console differs from the plain one, at most
    in_browser: bool = True
    workers: int = 0
    consistency: int = 5  # tasks of each template that are asked in two looks; 0 = none


class Against(Struct, frozen=True):
    """The same tasks by another policy."""

    policy: str
    evaluations: tuple[Evaluation, ...]
    pairing: Pairing
    p_value: float
    templates: dict[str, Pairing]
    same_actions: Consistency | None


class Judgement(Struct, frozen=True):
    """All that is said of a policy."""

    policy: str
    evaluations: tuple[Evaluation, ...]  # one a split
    conduct: Conduct
    ground: Ground
    causes: tuple[Cause, ...]
    variants: Consistency | None
    against: Against | None
    receipt: dict[str, Any]


def judge(folder: Path, plan: Plan, *, against: Path | None = None) -> tuple[Judgement, list[Trajectory]]:
    """Play, measure, and compare; with the trajectories that were played. Raises BadPolicy."""
    name = folder.resolve().name
    evaluations, played = _played(folder, plan, name)
    trajectories = [each.trajectory for each in played if each.trajectory is not None]
    simulated = [each for each in plan.templates if _has_simulator(each)]
    asked = plan.consistency if simulated else 0
    policy = kinds.open_policy(folder, name=name) if asked else None
    judgement = Judgement(
        policy=name,
        evaluations=evaluations,
        conduct=conduct(trajectories, optimal(played)),
        ground=ground(trajectories),
        causes=causes(trajectories),
        variants=_in_two_looks(policy, simulated, plan) if policy else None,
        against=_against(evaluations, against, plan, folder) if against else None,
        receipt={
            "plan": msgspec.to_builtins(plan),
            "spec": artefact.spec_of(folder),
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
    )
    return judgement, trajectories


def _in_two_looks(policy: Policy, templates: Sequence[str], plan: Plan) -> Consistency:
    changed = max(1, plan.variants)
    return consistency.between_variants(
        policy, templates=templates, tasks=plan.consistency, seed=plan.seed, changed=changed
    )


def optimal(played: Sequence[Played]) -> dict[str, int]:
    """The oracle's number of steps for each task that was verified and has a simulator, by the trajectory's id."""
    wanted = [each for each in played if each.trajectory is not None and _has_simulator(each.episode.template)]
    shown = [msgspec.structs.replace(each.episode, mode="demonstrate", in_browser=False) for each in wanted]
    steps: dict[Episode, int] = {}
    for each in play_all(shown):
        if each.trajectory is not None:
            steps[each.episode] = len(each.trajectory.steps)
    return {
        each.trajectory.id: steps[episode]
        for each, episode in zip(wanted, shown, strict=True)
        if each.trajectory is not None and episode in steps
    }


def _played(folder: Path, plan: Plan, name: str) -> tuple[tuple[Evaluation, ...], list[Played]]:
    played: list[Played] = []
    evaluations = tuple(
        evaluate(
            folder,
            templates=plan.templates,
            episodes=plan.episodes,
            seed=plan.seed,
            split=split,
            workers=plan.workers,
            name=name,
            in_browser=plan.in_browser,
            variants=plan.variants,
            heard=played.append,
        )
        for split in plan.splits
    )
    return evaluations, played


def _against(ours: tuple[Evaluation, ...], folder: Path, plan: Plan, mine: Path) -> Against:
    name = folder.resolve().name
    theirs, _ = _played(folder, plan, name)
    one = [each for evaluation in ours for each in evaluation.episodes]
    other = [each for evaluation in theirs for each in evaluation.episodes]
    whole = pair(one, other)
    simulated = [each for each in plan.templates if _has_simulator(each)]
    same = None
    if plan.consistency and simulated:
        policies = kinds.open_policy(mine, name="one"), kinds.open_policy(folder, name="other")
        same = consistency.between_versions(*policies, templates=simulated, tasks=plan.consistency, seed=plan.seed)
    return Against(name, theirs, whole, whole.p_value, by_template(one, other), same)


def _learnt(folder: Path) -> Sequence[str]:
    """The templates that a policy says it has learnt. Raises BadPolicy."""
    kinds.kind_of(folder)
    return tuple(artefact.spec_of(folder).get("templates", {}))


def _has_simulator(template: str) -> bool:
    return find_environment(template.partition("/")[0]).make_simulator is not None


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m learning.evaluate", description=__doc__)
    parser.add_argument("policy", type=Path, help="folder of a policy of any kind")
    parser.add_argument("--out", type=Path, required=True, help="folder for the report, replays and trajectories")
    parser.add_argument("--against", type=Path, help="folder of another policy, judged on the same tasks")
    parser.add_argument("--templates", nargs="+", default=[], metavar="ID", help="such as cloud/create-disk")
    parser.add_argument("--environments", nargs="+", default=[], metavar="ID", help="all templates of these")
    parser.add_argument("--splits", nargs="+", default=["test"], choices=["train", "validation", "test"])
    parser.add_argument("--episodes", type=int, default=20, help="of each template and split (20)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--variants", type=int, default=0, metavar="WAYS", help="each task in a console that differs in so many ways"
    )
    parser.add_argument("--no-browser", action="store_true", help="in simulators, where there are any: much sooner")
    parser.add_argument("--consistency", type=int, default=5, help="tasks of each template asked in two looks (5)")
    parser.add_argument("--workers", type=int, default=0, help="Ray actors (0: here)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    given = _arguments(arguments)
    try:
        templates = list(given.templates)
        for each in given.environments:
            templates += find_environment(each).templates
        for each in templates:
            find_template(each)
        plan = Plan(
            templates=tuple(templates or _learnt(given.policy)),
            episodes=given.episodes,
            splits=tuple(given.splits),
            seed=given.seed,
            variants=given.variants,
            in_browser=not given.no_browser,
            workers=given.workers,
            consistency=given.consistency,
        )
        if not plan.templates:
            raise ValueError("say what is to be tried, by --templates or --environments")
        judgement, trajectories = judge(given.policy, plan, against=given.against)
    except (UnknownTemplate, UnknownEnvironment, BadPolicy, OSError, ValueError) as problem:
        print(str(problem), file=sys.stderr)
        return 2
    report.write(judgement, trajectories, given.out)
    print(report.markdown(judgement))
    print(f"The report is {given.out / 'report.html'}.")
    return 0
