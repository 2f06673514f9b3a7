"""From nothing to a practised policy: shown, cloned, played, written; and no part is done twice."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from learning import plans, practice, together
from learning.kinds import open_policy
from learning.phases import Phase
from learning.practice import Plan
from learning.readings import reading_of
from learning.rollouts import play
from learning.samples import lessons
from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome
from sandbox.env import player
from sandbox.semantics.thesaurus import shipped_sha256
from sandbox.worlds.console import names
from tests.learning.pages import a_demonstration

PLAN = Plan(
    only=("cloud/stop-instance", "cloud/start-instance"),
    demonstrations=3,
    cloning_steps=40,
    practice_s=60,
    decisions=30,
    workers=0,
    width=16,
)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole small plan."""
    folder = tmp_path_factory.mktemp("practice")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(practice, "PRACTISE", replace(practice.PRACTISE, updates=2, batch=16, judge_every=1))
        patched.setattr(practice, "PHASES", (Phase("refine", (), most=9),))
        patched.setattr(practice, "JUDGED", 20)
        practice.carry_out(PLAN, folder)
    return folder


def test_demonstrations_are_of_training_names_and_half_of_them_in_drawn_consoles(work: Path) -> None:
    shown = [storage.unpack(each.read_bytes()).task for each in sorted((work / "demonstrations").iterdir())]
    assert [each.template for each in shown] == ["cloud/start-instance"] * 3 + ["cloud/stop-instance"] * 3
    assert {names.split_of(dict(each.goal.fields)["instance"]) for each in shown} == {"train"}
    assert len({each.environment for each in shown}) > 2


@pytest.mark.parametrize(("name", "algorithm"), [("cloned", "bc"), ("practised", "bc, ppo")])
def test_each_policy_says_how_it_reads_and_how_it_was_made(work: Path, name: str, algorithm: str) -> None:
    spec, receipt = (json.loads((work / name / file).read_text()) for file in ("spec.json", "receipt.json"))
    assert spec["shape"]["shared"] == 1
    assert spec["templates"] == {"cloud/start-instance": 3, "cloud/stop-instance": 3}
    assert receipt["algorithm"] == algorithm
    assert receipt["words_sha256"] == shipped_sha256()


def test_the_practised_policy_names_its_parent_and_its_trial(work: Path) -> None:
    receipt = json.loads((work / "practised" / "receipt.json").read_text())
    assert receipt["parent"] == json.loads((work / "cloned" / "spec.json").read_text())["weights_sha256"]
    assert receipt["played"]["updates"] == 2
    assert 0.0 <= receipt["played"]["best"] <= 1.0


def test_it_acts_in_a_console_of_another_language(work: Path) -> None:
    policy = open_policy(work / "practised", name="small")
    [episode, *_] = practice.judged(1, 50, ("cloud",), kept={"locale": "de"})
    played = play(player("cloud"), episode, policy)
    assert played.steps
    assert {each.actor for each in played.steps} == {"policy"}


def test_what_is_there_is_not_made_again(work: Path) -> None:
    before = {each: each.stat().st_mtime_ns for each in sorted(work.rglob("*")) if each.is_file()}
    practice.carry_out(PLAN, work)
    assert {each: each.stat().st_mtime_ns for each in sorted(work.rglob("*")) if each.is_file()} == before


def test_another_plan_is_refused_where_one_lies_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for workers in (0, 2):  # who plays makes no other policy
        practice.settle(structs.replace(PLAN, workers=workers), tmp_path)
    with pytest.raises(plans.AnotherPlan, match="other width, seed: choose another folder"):
        practice.carry_out(structs.replace(PLAN, width=32, seed=8), tmp_path)
    with pytest.raises(SystemExit):
        practice.main(["--work", str(tmp_path)])
    assert "holds the work of a plan with other only" in capsys.readouterr().err


def test_some_templates_and_fewer_demonstrations_are_asked_for_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "run", lambda *_, **__: None)
    practice.main(["--work", str(tmp_path), "--templates", "cloud/create-disk", "--demonstrations", "3"])
    noted = msgspec.json.decode((tmp_path / plans.PLAN).read_bytes(), type=practice.Plan)
    assert (noted.templates, noted.demonstrations) == (("cloud/create-disk",), 3)
    assert [each.seed for each in practice.shown(noted)] == [0, 1, 2]


def test_a_plan_that_only_cloned_may_go_on_to_practise(tmp_path: Path) -> None:
    for seconds in (0.0, 60.0, 60.0):
        practice.settle(structs.replace(PLAN, practice_s=seconds), tmp_path)
    (tmp_path / "practised").mkdir()
    with pytest.raises(plans.AnotherPlan, match="other practice_s"):
        practice.settle(structs.replace(PLAN, practice_s=90.0), tmp_path)


def test_so_few_demonstrations_that_none_is_held_out_are_cloned(tmp_path: Path) -> None:
    shown = tmp_path / "1.belay"
    shown.write_bytes(storage.pack(a_demonstration(1)))
    practice.clone(structs.replace(PLAN, cloning_steps=1), [shown], tmp_path / "out", tmp_path / "work")
    held_out = json.loads((tmp_path / "out" / "evaluation.json").read_text())["held_out"]
    assert held_out == {"right": 0, "all": 0, "interval": [0.0, 1.0]}


def test_words_may_be_read_as_they_are(work: Path) -> None:
    files = sorted((work / "demonstrations").iterdir())
    read = [reading_of({"shared": plan.shared}) for plan in (PLAN, Plan(shared=0))]
    one, other = (lessons([storage.unpack(files[0].read_bytes())], reading=each).samples for each in read)
    assert len(one) == len(other) > 0
    assert (one[0].arrays.text_words != other[0].arrays.text_words).any()


def test_the_policy_that_comes_with_belay_reads_by_the_words_that_come_with_it() -> None:
    receipt = json.loads((practice.SHIPPED / "receipt.json").read_text())
    assert receipt["words_sha256"] == shipped_sha256()


@pytest.mark.parametrize("kept", [{"locale": "de"}, {"words": "second"}, {"list": "cards", "order": "reversed"}])
def test_the_policy_that_comes_with_belay_works_consoles_that_it_was_never_shown(kept: dict[str, str]) -> None:
    policy, simulator = open_policy(practice.SHIPPED, name="shipped"), player("cloud")
    every = practice.judged(1, 70, ("cloud",), kept=kept)[::16]
    ends = [play(simulator, each, policy).verification.outcome for each in every]
    assert len(ends) == 8
    assert ends.count(Outcome.VERIFIED) >= 7
