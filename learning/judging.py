"""The whole judgement of a policy: success, conduct, ground, consistency, causes, and another policy beside it."""

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from learning import artefact, consistency, kinds, playing
from learning import report as writing
from learning.consistency import Consistency
from learning.evaluate import Evaluation, evaluate
from learning.failures import Hopeless
from learning.measures import Cause, Conduct, Ground, causes, conduct, ground
from learning.pairing import Pairing, by_template, pair
from learning.policy import BadPolicy
from learning.progress import Progress, Stopped
from learning.rollouts import Episode, Played, play_all, verified
from sandbox.arguments import amount, count, new_folder, whole
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Split
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import UnknownEnvironment, UnknownTemplate, find_environment, find_template

SEED = 6_000_000  # apart from those that anything was learnt from
N = TypeVar("N", bound=str)
MOST_EPISODES = 50  # of each template and split, where only time is given


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
    minutes: float = 0.0  # what was not tried by then is left out; 0 = as long as it takes


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


class Watch:
    """How much of a judgement's time is gone."""

    def __init__(
        self,
        minutes: float = 0.0,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._began = time.monotonic()
        self._budget_s = 60 * minutes or math.inf
        self._report = report
        self._should_stop = should_stop
        self._tried = self._verified = 0

    def heard(self, played: Played) -> None:
        """Count an episode, and say how far it all is."""
        self._tried += 1
        self._verified += verified(played)
        values = {"verified_rate": self._verified / self._tried}
        self._report(Progress("evaluate", min(1.0, self._gone()), self._tried, values))

    def until(self, share: float) -> Callable[[], bool]:
        """Whether less than this share of the time is gone. What it gives raises Stopped."""

        def go_on() -> bool:
            if self._should_stop():
                raise Stopped("stopped while judging")
            return self._gone() < share

        return go_on

    def _gone(self) -> float:
        return (time.monotonic() - self._began) / self._budget_s


def judge(
    folder: Path,
    plan: Plan,
    *,
    against: Path | None = None,
    names: tuple[str, str] | None = None,
    watch: Watch | None = None,
) -> tuple[Judgement, list[Trajectory]]:
    """Play, measure, and compare; with the trajectories that were played. Raises BadPolicy, Stopped, Hopeless.

    names: of the policy and of the one it is compared with, where their folders' own are not to be shown.
    """
    watch = watch or Watch(plan.minutes)
    plan = msgspec.structs.replace(plan, templates=_once(plan.templates), splits=_once(plan.splits))
    name, other = names or (folder.resolve().name, against.resolve().name if against else "")
    evaluations, played = _played(folder, plan, name, watch, ends=0.4 if against else 0.8)
    compared = _against(evaluations, against, plan, folder, other, watch) if against else None
    trajectories = [each.trajectory for each in played if each.trajectory is not None]
    simulated = [each for each in plan.templates if _has_simulator(each)]
    asked = plan.consistency if simulated else 0
    policy = kinds.open_policy(folder, name=name) if asked else None
    judgement = Judgement(
        policy=name,
        evaluations=evaluations,
        conduct=conduct(trajectories, optimal(played, go_on=watch.until(0.95))),
        ground=ground(trajectories),
        causes=causes(trajectories),
        variants=_in_two_looks(policy, simulated, plan, watch) if policy else None,
        against=compared,
        receipt={
            "plan": msgspec.to_builtins(plan),
            "spec": artefact.spec_of(folder),
            "code_commit": artefact.commit(),
            "machine": artefact.machine(),
        },
    )
    return judgement, trajectories


def judge_to(
    folder: Path,
    *,
    name: str,
    out: Path,
    templates: Sequence[str],
    splits: Sequence[Split],
    seed: int,
    variants: int,
    minutes: float,
    against: tuple[str, Path] | None,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool],
) -> None:
    """What `jobs.judge` promises."""
    wanted = list(templates) or list(_learnt(folder))
    tried = playing.playable(wanted)
    if not tried:
        asked = ", ".join(sorted(wanted)) or "a template that it learnt"
        raise ValueError(
            f"{name} can be tried in no simulator: none has {asked}; "
            "choose an environment that can be played without a browser"
        )
    plan = Plan(
        templates=tuple(tried),
        episodes=MOST_EPISODES,
        splits=tuple(splits),
        seed=seed,
        variants=variants,
        in_browser=False,
        consistency=2,
        minutes=minutes,
    )
    other, theirs = against or ("", None)
    watch = Watch(minutes, report=report, should_stop=should_stop)
    found, trajectories = judge(folder, plan, against=theirs, names=(name, other), watch=watch)
    writing.write(found, trajectories, out)


def _in_two_looks(policy: Policy, templates: Sequence[str], plan: Plan, watch: Watch) -> Consistency:
    return consistency.between_variants(
        policy,
        templates=templates,
        tasks=plan.consistency,
        seed=plan.seed,
        changed=max(1, plan.variants),
        go_on=watch.until(1.0),
    )


def optimal(played: Sequence[Played], *, go_on: Callable[[], bool] = lambda: True) -> dict[str, int]:
    """The oracle's number of steps for each task that was verified and has a simulator, by the trajectory's id.

    `go_on` is asked after each: where it says no, the rest is not known.
    """
    wanted = [each for each in played if verified(each) and _has_simulator(each.episode.template)]
    shown = [msgspec.structs.replace(each.episode, mode="demonstrate", in_browser=False) for each in wanted]
    steps: dict[Episode, int] = {}
    for each in play_all(shown, go_on=go_on):
        if each.trajectory is not None:
            steps[each.episode] = len(each.trajectory.steps)
    return {
        each.trajectory.id: steps[episode]
        for each, episode in zip(wanted, shown, strict=True)
        if each.trajectory is not None and episode in steps
    }


def _played(
    folder: Path, plan: Plan, name: str, watch: Watch, *, begins: float = 0.0, ends: float
) -> tuple[tuple[Evaluation, ...], list[Played]]:
    """Each split in its share of the time from `begins` to `ends`."""
    played: list[Played] = []

    def heard(each: Played) -> None:
        played.append(each)
        watch.heard(each)

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
            heard=heard,
            go_on=watch.until(begins + (ends - begins) * number / len(plan.splits)),
        )
        for number, split in enumerate(plan.splits, start=1)
    )
    return evaluations, played


def _against(ours: tuple[Evaluation, ...], folder: Path, plan: Plan, mine: Path, name: str, watch: Watch) -> Against:
    theirs, _ = _played(folder, plan, name, watch, begins=0.4, ends=0.8)
    one = [each for evaluation in ours for each in evaluation.episodes]
    other = [each for evaluation in theirs for each in evaluation.episodes]
    whole = pair(one, other)
    simulated = [each for each in plan.templates if _has_simulator(each)]
    same = None
    if plan.consistency and simulated:
        policies = kinds.open_policy(mine, name="one"), kinds.open_policy(folder, name="other")
        same = consistency.between_versions(
            *policies, templates=simulated, tasks=plan.consistency, seed=plan.seed, go_on=watch.until(0.9)
        )
    return Against(name, theirs, whole, whole.p_value, by_template(one, other), same)


def _once(names: Sequence[N]) -> tuple[N, ...]:
    """Each name once, where it was first: what was tried twice would count twice."""
    return tuple(dict.fromkeys(names))


def _learnt(folder: Path) -> Sequence[str]:
    """What a policy says it has learnt, but for what cannot be asked for, as free text. Raises BadPolicy."""
    kinds.kind_of(folder)
    return [each for each in artefact.spec_of(folder).get("templates", {}) if _is_known(each)]


def _is_known(template: str) -> bool:
    try:
        find_template(template)
    except (UnknownTemplate, UnknownEnvironment):
        return False
    return True


def _has_simulator(template: str) -> bool:
    return find_environment(template.partition("/")[0]).make_simulator is not None


def _refuse_other_consoles(folders: Sequence[Path], templates: Sequence[str]) -> None:
    """Raise BadPolicy where one of the policies reads the workbench alone, and is to be tried elsewhere."""
    elsewhere = sorted({each.partition("/")[0] for each in templates} - {"workbench"})
    for folder in folders:
        if elsewhere and kinds.kind_of(folder) == "bench":
            raise BadPolicy(f"{folder} acts on the workbench alone, not on {', '.join(elsewhere)}")


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m learning.evaluate", description=__doc__)
    parser.add_argument("policy", type=Path, help="folder of a policy of any kind")
    parser.add_argument("--out", type=new_folder, required=True, help="folder for the report, replays and trajectories")
    parser.add_argument("--against", type=Path, help="folder of another policy, judged on the same tasks")
    parser.add_argument("--templates", nargs="+", default=[], metavar="ID", help="such as cloud/create-disk")
    parser.add_argument("--environments", nargs="+", default=[], metavar="ID", help="all templates of these")
    parser.add_argument("--splits", nargs="+", default=["test"], choices=["train", "validation", "test"])
    parser.add_argument("--episodes", type=count, default=20, help="of each template and split (20)")
    parser.add_argument("--seed", type=whole, default=SEED)
    parser.add_argument(
        "--variants", type=whole, default=0, metavar="WAYS", help="each task in a console that differs in so many ways"
    )
    parser.add_argument("--no-browser", action="store_true", help="in simulators, where there are any: much sooner")
    parser.add_argument("--consistency", type=whole, default=5, help="tasks of each template asked in two looks (5)")
    parser.add_argument("--minutes", type=amount, default=0.0, help="at most so long (0: as long as it takes)")
    parser.add_argument("--workers", type=whole, default=0, help="Ray actors (0: here)")
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
        _refuse_other_consoles([given.policy, *([given.against] if given.against else [])], templates)
        plan = Plan(
            templates=tuple(templates or _learnt(given.policy)),
            episodes=given.episodes,
            splits=tuple(given.splits),
            seed=given.seed,
            variants=given.variants,
            in_browser=not given.no_browser,
            workers=given.workers,
            consistency=given.consistency,
            minutes=given.minutes,
        )
        if not plan.templates:
            raise ValueError("say what is to be tried, by --templates or --environments")
        judgement, trajectories = judge(given.policy, plan, against=given.against)
    except (UnknownTemplate, UnknownEnvironment, BadPolicy, Hopeless, OSError, ValueError) as problem:
        print(str(problem), file=sys.stderr)
        return 2
    writing.write(judgement, trajectories, given.out)
    print(writing.markdown(judgement))
    print(f"The report is {given.out / 'report.html'}.")
    return 0
