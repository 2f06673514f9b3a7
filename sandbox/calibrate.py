"""`python -m sandbox.calibrate ENV...`: is an environment fit to learn in? Resets, scores, spread and adapter."""

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Protocol

import msgspec
from msgspec import Struct

from sandbox.arguments import Chosen, count, environment, new_file
from sandbox.contracts.actions import Action, Click, Finish, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Task
from sandbox.coverage import Coverage
from sandbox.documents import BadDocument
from sandbox.levels import Deck
from sandbox.mappings import Finding, suspicious
from sandbox.registry import NoSuchFace, Registered, Simulator, registered
from sandbox.rewards import Doing, Ledger, default
from sandbox.semantics.rules import Adapter, NoAdapter, TwoAdapters, TwoMeanings, adapter_for
from sandbox.semantics.trails import Tracker, Tread
from sandbox.variants import environment_id

RESETS = 100
PLAYED = 20  # of these are played by each player
RANDOM_STEPS = 15


class Report(Struct, frozen=True):
    """What was found of one environment."""

    environment: str
    passed: bool
    env_stability_score: float  # 0 to 1, see `stability`
    resets: int
    determinism: float  # share of tasks whose second reset shows the same first screen, after play in between
    distinct_first_screens: float  # of all resets
    oracle_score: float  # share of tasks that the oracle ends verified
    no_op_score: float  # share that finishing at once ends verified
    replayable: float  # share of oracle episodes that show the same screens a second time
    reward_mean: float  # of the default reward, over oracle, random and no-op episodes
    reward_deviation: float
    reward_gap: float  # oracle's mean less the mean of who does anything at random
    coverage: float  # of the tokens that the adapter can say
    crashes: int
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]  # why it did not pass


class Played(Struct, frozen=True):
    """One episode of one player."""

    verified: bool
    total: float
    treads: tuple[Tread, ...]
    screens: tuple[str, ...]


class Trials:
    """What was played of one environment by three players."""

    def __init__(self, it: Registered, seed: int, name: str) -> None:
        self._it = it
        self._name = name  # with what is fixed
        self._adapter = adapter_for(it.environment.id)
        self._rng = random.Random(seed)  # noqa: S311  # not a secret
        self._simulator = it.simulator()
        self.firsts: list[str] = []
        self.same = self.crashes = 0
        self.oracle: list[Played] = []
        self.again: list[Played] = []
        self.idle: list[Played] = []
        self.wild: list[Played] = []

    def try_task(self, task: Task, *, played: bool) -> None:
        """Reset, play where asked, reset again."""
        it = self._simulator
        try:
            self.firsts.append(it.reset(task).fingerprint)
            if played:
                self.oracle.append(play(it, task, self._adapter, _oracle(self._it, task)))
                self.idle.append(play(it, task, self._adapter, lambda *_: Finish()))
                self.wild.append(play(it, task, self._adapter, _random(self._rng)))
                self.again.append(play(it, task, self._adapter, _oracle(self._it, task)))
            self.same += it.reset(task).fingerprint == self.firsts[-1]
        except Exception as problem:  # the edge: what an environment raises is the finding
            self.crashes += 1
            print(f"{task.environment}: {task.template} seed {task.seed}: {problem!r}", file=sys.stderr)
            self._simulator = self._it.simulator()

    def close(self) -> None:
        """End the simulator."""
        self._simulator.close()

    def report(self) -> Report:
        """What came of it."""
        played = (*self.oracle, *self.wild, *self.idle)
        trails, totals = [each.treads for each in played], [each.total for each in played]
        coverage = Coverage(self._adapter)
        for trail in trails:
            coverage.add(trail)
        count = max(len(self.firsts) + self.crashes, 1)
        pairs = zip(self.oracle, self.again, strict=False)
        return _judged(
            Report(
                environment=self._name,
                passed=False,
                env_stability_score=0.0,
                resets=len(self.firsts),
                determinism=self.same / count,
                distinct_first_screens=len(set(self.firsts)) / count,
                oracle_score=_mean([each.verified for each in self.oracle]),
                no_op_score=_mean([each.verified for each in self.idle]),
                replayable=_mean([one.screens == other.screens for one, other in pairs]),
                reward_mean=_mean(totals),
                reward_deviation=pstdev(totals) if totals else 0.0,
                reward_gap=_mean([each.total for each in self.oracle]) - _mean([each.total for each in self.wild]),
                coverage=coverage.share(),
                crashes=self.crashes,
                findings=suspicious(self._adapter, trails),
                reasons=(),
            )
        )


def calibrate(
    it: Registered,
    *,
    resets: int = RESETS,
    played: int = PLAYED,
    seed: int = 0,
    fixed: Mapping[str, str] | None = None,
) -> Report:
    """Reset so many tasks and play some of them. Raises NoSuchFace where the environment has no simulator.

    Tasks are of all variants for training; with `fixed` dimensions, of those alone.
    """
    deck = Deck.of([it], seed=seed, fixed=fixed)
    trials = Trials(it, seed, environment_id(it.environment.id, fixed or {}))
    try:
        for number in range(resets):
            trials.try_task(deck.task(deck.deal()), played=number < played)
    finally:
        trials.close()
    return trials.report()


class Choice(Protocol):
    """What a player does next."""

    def __call__(self, observation: Observation, task: Task, history: Sequence[Past], /) -> Action:
        """An action on what is seen."""
        ...


def play(simulator: Simulator, task: Task, adapter: Adapter, choose: Choice) -> Played:
    """One episode, with the default reward."""
    seen = simulator.reset(task)
    tracker = Tracker(adapter)
    treads = [tracker.first(seen)]
    ledger = Ledger(default(), treads[0], simulator.progress())
    history: list[Past] = []
    verified = False
    for step in range(task.max_steps):
        action = choose(seen, task, history)
        result, after = simulator.act(action)
        tread = tracker.step(action, result, after)
        if isinstance(action, Finish):
            verified = simulator.verify(action.answer).outcome is Outcome.VERIFIED
        element = seen.element(getattr(action, "element", -1))
        left = task.max_steps - step - 1
        ledger.step(
            Doing(tread, action, element, seen.fingerprint, simulator.progress(), simulator.harm(), left, verified)
        )
        history.append(past(seen, action, result))
        treads.append(tread)
        seen = after
        if isinstance(action, Finish):
            break
    return Played(verified, ledger.total, tuple(treads), tuple(tread.fingerprint for tread in treads))


def stability(report: Report) -> float:
    """0 to 1: the weakest of what makes an environment trustworthy, each in 0 to 1."""
    return min(
        report.determinism,
        report.replayable,
        report.oracle_score,
        1 - report.no_op_score,
        1 - report.crashes / max(report.resets, 1),
        float(report.reward_gap > 0),
    )


def markdown(reports: Sequence[Report]) -> str:
    """A table, then what did not pass and what looks suspicious."""
    columns = "environment | pass | stability | determinism | replay | oracle | no-op | screens | reward | gap | tokens"
    lines = [f"| {columns} |", "|---" * (columns.count("|") + 1) + "|"]
    for it in reports:
        shares = (it.env_stability_score, it.determinism, it.replayable, it.oracle_score, it.no_op_score)
        cells = [it.environment, "yes" if it.passed else "NO", *(f"{share:.2f}" for share in shares)]
        cells += [f"{it.distinct_first_screens:.2f}", f"{it.reward_mean:.2f} ± {it.reward_deviation:.2f}"]
        cells += [f"{it.reward_gap:.2f}", f"{it.coverage:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    for it in reports:
        notes = [*it.reasons, *(f"{each.severity}: {each.sentence} ({each.check})" for each in it.findings)]
        if notes:
            lines += ["", f"{it.environment}:", *(f"- {note}" for note in notes)]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 where all pass."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.calibrate", description=__doc__)
    parser.add_argument(
        "environments",
        nargs="*",
        type=environment,
        metavar="ENV",
        help="ids, with a recipe (cloud?locale=de) those variants alone; none: all that need no browser",
    )
    parser.add_argument("--resets", type=count, default=RESETS)
    parser.add_argument("--json", type=new_file, help="write the report here as JSON")
    parser.add_argument("--markdown", type=new_file, help="write the report here as Markdown")
    given = parser.parse_args(arguments)
    chosen = given.environments or [Chosen(each, {}) for each in playable()]
    try:
        reports = [calibrate(each.environment, resets=given.resets, fixed=each.fixed) for each in chosen]
    except (NoSuchFace, RuntimeError) as problem:
        known = ", ".join(each.environment.id for each in playable())
        print(f"{problem}; environments that can be calibrated: {known}", file=sys.stderr)
        return 2
    except (BadDocument, TwoAdapters, TwoMeanings, NoAdapter) as problem:
        print(problem, file=sys.stderr)
        return 2
    if given.json:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(reports)))
    if given.markdown:
        given.markdown.write_text(markdown(reports) + "\n")
    print(markdown(reports))
    return 0 if all(each.passed for each in reports) else 1


def playable() -> list[Registered]:
    """Every environment that has a simulator."""
    return [each for each in registered().values() if each.make_simulator is not None]


def _judged(report: Report) -> Report:
    wanted = {
        f"a second reset shows another screen for {1 - report.determinism:.0%} of the tasks": report.determinism == 1,
        f"the same actions lead to other screens for {1 - report.replayable:.0%}": report.replayable == 1,
        f"the oracle fails {1 - report.oracle_score:.0%} of the tasks": report.oracle_score == 1,
        f"doing nothing is verified for {report.no_op_score:.0%}": report.no_op_score == 0,
        f"{report.crashes} of {report.resets} tasks crashed": report.crashes == 0,
        "the oracle earns no more than who does anything at random": report.reward_gap > 0,
        "the adapter's mapping has faults": not any(each.severity == "fault" for each in report.findings),
    }
    reasons = tuple(reason for reason, holds in wanted.items() if not holds)
    return msgspec.structs.replace(
        report, passed=not reasons, env_stability_score=round(stability(report), 4), reasons=reasons
    )


def _oracle(it: Registered, task: Task) -> Choice:
    teacher = it.templates[task.template].oracle(task)
    return lambda observation, task, history: teacher.act(observation, task.goal, history).action


def _random(rng: random.Random) -> Choice:
    def choose(observation: Observation, task: Task, history: Sequence[Past]) -> Action:
        usable = [each for each in observation.elements if each.actionable]
        if len(history) >= min(RANDOM_STEPS, task.max_steps - 1) or not usable:
            return Finish()
        element = rng.choice(usable)
        if element.options:
            return Select(element.ref, rng.choice(element.options))
        words = [value for _, value in task.goal.fields] or ["x"]
        return Type(element.ref, rng.choice(words)) if "editable" in element.states else Click(element.ref)

    return choose


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
