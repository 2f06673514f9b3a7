"""The starter: collected once, advised, shipped small, and without the template that is left out."""

from pathlib import Path

import pytest

from learning import jobs, plans, starter
from learning.evaluate import Evaluation, rate
from learning.samples import ORACLE
from learning.starter import Plan, collect, ship
from sandbox import sessions
from sandbox.contracts import storage
from tests.learning.pages import HandGym, Knows, a_goal, a_list, a_task

TEMPLATES = ["hand/change-quota"]


@pytest.fixture
def hand_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox's door opens on the hand-drawn console."""
    monkeypatch.setattr(sessions, "sample", lambda template, *, seed, split, recipe=None: a_task(seed))
    monkeypatch.setattr(sessions, "oracle", lambda task: Knows())
    monkeypatch.setattr("sandbox.env.player", lambda environment: HandGym())


@pytest.mark.usefixtures("hand_world")
def test_what_was_demonstrated_is_not_played_again(tmp_path: Path) -> None:
    first = collect("demonstrate", TEMPLATES, range(3), tmp_path, None, 0)
    before = [path.stat().st_mtime_ns for path in first]
    again = collect("demonstrate", TEMPLATES, range(4), tmp_path, None, 0)
    assert again[:3] == first
    assert [path.stat().st_mtime_ns for path in again[:3]] == before
    assert len(again) == 4


def test_a_folder_with_the_work_of_another_plan_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans.settle(starter.QUICK, tmp_path)
    with pytest.raises(SystemExit):
        starter.main(["--work", str(tmp_path), "--out", str(tmp_path / "out")])
    assert "holds the work of a plan with other demonstrations, advised, rounds" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == [plans.PLAN]


@pytest.mark.usefixtures("hand_world")
def test_a_demonstration_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            collect("demonstrate", TEMPLATES, range(1), tmp_path, None, 0)
    assert not list(tmp_path.glob("*.belay"))
    assert len(collect("demonstrate", TEMPLATES, range(1), tmp_path, None, 0)) == 1


def _interrupted(*_: object) -> Path:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("hand_world")
def test_advice_is_about_the_policys_own_states(folder: Path, tmp_path: Path) -> None:
    [path] = collect("advise", TEMPLATES, range(1), tmp_path, folder, 0)
    steps = storage.unpack(path.read_bytes()).steps
    assert all(step.actor == ORACLE or step.proposal is not None for step in steps)


@pytest.mark.usefixtures("hand_world")
def test_what_is_shipped_holds_the_very_demonstrations(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = collect("demonstrate", TEMPLATES, range(3), tmp_path / "work", None, 0)
    judged = Evaluation("starter", "test", 0, {}, rate([]), 0, 1.0, 1.0, ())
    ship(folder, judged, files, tmp_path / "out", Plan(), seconds=1.0)
    monkeypatch.setattr(jobs, "STARTER", tmp_path / "out")
    shipped = [storage.unpack(content) for content in jobs.starter_trajectories()]
    assert shipped == [storage.unpack(path.read_bytes()) for path in files]
    assert "# Starter policy" in (tmp_path / "out" / "card.md").read_text()


def test_a_starter_too_large_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter, "LARGEST_BYTES", 1000)
    judged = Evaluation("starter", "test", 0, {}, rate([]), 0, 1.0, 1.0, ())
    with pytest.raises(RuntimeError, match="more than 1000"):
        ship(folder, judged, [], tmp_path, Plan(), seconds=1.0)


def test_the_starter_that_ships_is_small_and_acts() -> None:
    assert sum(path.stat().st_size for path in jobs.STARTER.iterdir()) < 5 * 1024 * 1024
    proposal = jobs.load_policy(jobs.STARTER, name="v1").act(a_list("logs-3"), a_goal(), ())
    assert proposal.policy == "v1"


def test_the_template_left_out_is_in_none_of_its_demonstrations() -> None:
    templates = {storage.unpack(content).task.template for content in jobs.starter_trajectories()}
    assert "object-store/change-quota" not in templates
    assert templates == set(starter.trained_templates())
