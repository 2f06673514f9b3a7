"""Calibration passes what is sound, names what is not, and its mapping checks see what an adapter gets wrong."""

import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sandbox import calibrate as command
from sandbox.calibrate import calibrate
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.mappings import suspicious
from sandbox.registry import Registered
from sandbox.semantics import rules
from sandbox.semantics.rules import adapter_for
from sandbox.semantics.trails import Tread
from tests.sandbox.tiny import REGISTERED, Sturdy

_numbers = itertools.count()


class Drifting(Sturdy):
    """Shows another first screen each time."""

    def reset(self, task: Task) -> Observation:
        return msgspec.structs.replace(super().reset(task), fingerprint=str(next(_numbers)))


class Generous(Sturdy):
    """Finds everything well done."""

    def verify(self, answer: str) -> Verification:
        return Verification(Outcome.VERIFIED)


class Fragile(Sturdy):
    """Breaks at its third step."""

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        self.number += 2
        return [super().act(action)][self.number // 6]


def of(world: Any) -> Registered:
    """The tiny environment with another simulator."""
    return msgspec.structs.replace(REGISTERED, make_simulator=world)


def test_a_sound_world_passes_with_full_stability(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, page = tmp_path / "report.json", tmp_path / "report.md"
    assert command.main(["workbench", "--resets", "8", "--json", str(report), "--markdown", str(page)]) == 0
    (found,) = json.loads(report.read_text())
    assert (found["passed"], found["env_stability_score"], found["resets"]) == (True, 1.0, 8)
    assert (found["oracle_score"], found["no_op_score"], found["determinism"]) == (1.0, 0.0, 1.0)
    assert found["reward_gap"] > 0.5
    assert "| workbench | yes | 1.00 |" in page.read_text()
    assert page.read_text() == capsys.readouterr().out


@pytest.mark.parametrize(
    ("world", "reason"),
    [
        (Drifting, "a second reset shows another screen for 100% of the tasks"),
        (Generous, "doing nothing is verified for 100%"),
        (Fragile, "5 of 5 tasks crashed"),
    ],
)
def test_an_unsound_world_does_not_pass_and_it_is_said_why(world: Any, reason: str) -> None:
    report = calibrate(of(world), resets=5)
    assert not report.passed
    assert report.env_stability_score == 0.0
    assert reason in report.reasons


def test_a_world_that_cannot_be_played_here_is_told_with_those_that_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["object-store"]) == 2
    told = capsys.readouterr().err
    assert "object-store cannot be played without a browser; environments that can be calibrated: " in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "there is no environment 'nowhere'; there are: "),
        (["workbensh"], "there is no environment 'workbensh'; did you mean workbench?"),
        (["workbench?clutter=lots"], "clutter=lots: expected one of few, some, many"),
        (["workbench?colour=red"], "workbench has no dimension 'colour'; it has: depth, "),
        (["workbench?depth=2&depth=3"], "'depth' is given twice"),
        (["workbench", "--resets", "0"], "expected a whole number from 1 to 1000000, found '0'"),
        (["workbench", "--resets", "many"], "expected a whole number from 1 to 1000000, found 'many'"),
        (["workbench", "--json", "/nowhere/at/all.json"], "there is no folder /nowhere/at"),
        (["workbench", "--markdown", "/"], "expected a file to write, found the folder /"),
    ],
)
def test_what_cannot_be_asked_for_is_told_before_anything_is_played(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_an_id_with_a_recipe_is_calibrated_in_that_variant_alone(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []

    class Noting(Sturdy):
        def reset(self, task: Task) -> Observation:
            seen.append(task.environment)
            return super().reset(task)

    report = calibrate(of(Noting), resets=3, fixed={"tone": "t49"})
    assert report.environment == "tiny?tone=t49"
    assert set(seen) == {"tiny?tone=t49"}
    assert command.main(["workbench?window=6", "--resets", "1"]) == 0
    assert "| workbench?window=6 | yes |" in capsys.readouterr().out


def tread(screen: str, *tokens: str, outcome: ActOutcome = ActOutcome.DONE, action: Action = Click(1)) -> Tread:  # noqa: B008
    """One step."""
    return Tread(frozenset(tokens), action, ActResult(outcome), screen)


@pytest.mark.parametrize(
    ("trail", "check", "sentence"),
    [
        ([tread("a"), tread("b"), tread("c", "CREATED")], "silent_steps", "no rule says anything of 67% of the steps"),
        ([tread(str(n), "LOADING") for n in range(40)], "says_always_the_same", "LOADING is said of every one of 40"),
        ([tread("a", "FINISHED", "GAVE_UP")], "contradicts_itself", "FINISHED and GAVE_UP are both said of 1 steps"),
        (
            [tread("a", "LOADING"), tread("a", "DELETED")],
            "writes_without_change",
            "DELETED is said of 1 steps that changed",
        ),
        ([tread("a", "LOADING", action=Finish())], "ends_unsaid", "FINISHED is not said at the end of 1 episodes"),
        (
            [tread(str(n), *["CREATED", "CHANGED"] * (n % 2), "LOADING") for n in range(80)],
            "always_together",
            "CHANGED and CREATED are said together in all of 40 steps",
        ),
        ([tread("a", "CREATED")], "never_said", "not met in these episodes: BLOCKED"),
    ],
)
def test_suspicious_mappings_are_flagged(trail: list[Tread], check: str, sentence: str) -> None:
    found = {finding.check: finding.sentence for finding in suspicious(adapter_for("web"), [trail])}
    assert sentence in found[check]


def test_a_sound_mapping_is_not_flagged() -> None:
    trail = [tread("a", "FORM_OPEN"), tread("b", "FORM_OPEN", "FIELD_FILLED"), tread("c", "CREATED")]
    trail.append(tread("c", "FINISHED", action=Finish()))
    assert {finding.check for finding in suspicious(adapter_for("web"), [trail])} == {"never_said"}


def test_two_adapters_for_one_environment_are_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [path] = [each for each in rules.ADAPTERS.glob("*.yaml") if "workbench" in rules.load(each).environments]
    for name in ("one.yaml", "other.yaml"):
        (tmp_path / name).write_bytes(path.read_bytes())
    monkeypatch.setattr(rules, "ADAPTERS", tmp_path)
    rules.shipped.cache_clear()
    try:
        assert command.main(["workbench", "--resets", "1"]) == 2
    finally:
        rules.shipped.cache_clear()
    assert "'workbench' has an adapter already" in capsys.readouterr().err
