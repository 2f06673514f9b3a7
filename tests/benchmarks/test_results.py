"""What a measurement concludes from what it counted: the bars that it names are those that it holds to."""

import sys
from pathlib import Path

import pytest

from benchmarks import console_chromium, miniwob_ppo, offline, openapi
from benchmarks.demo_loop import Loop
from benchmarks.offline import End
from learning.rollouts import Episode, Played
from sandbox.contracts.tasks import Goal, Outcome, Task, Verification
from sandbox.contracts.trajectories import Trajectory
from sandbox.worlds.miniwob.catalogue import published


def _played(seed: int, outcome: Outcome) -> Played:
    episode = Episode("cloud/create-disk", seed, "test", "try")
    task = Task("cloud", "cloud/create-disk", Goal("Create a disk."), seed)
    return Played(episode, Trajectory(f"t-{seed}", task, (), Verification(outcome)), 1.0)


def _ends(*outcomes: str) -> list[End]:
    return [End("cloud/create-disk", (str(n),), outcome) for n, outcome in enumerate(outcomes)]


def test_a_loop_that_was_not_looked_at_whole_names_the_bars_that_were() -> None:
    found = Loop(4, 4, 0, 2).result()
    assert (found.bar, found.holds) == (">= 0.8; starter <= 0.1", True)


@pytest.mark.parametrize(("lost", "seconds", "holds"), [(0.02, 900.0, True), (0.03, 900.0, False), (0.0, 901.0, False)])
def test_a_whole_loop_holds_where_the_others_lose_little_and_it_is_in_time(
    lost: float, seconds: float, holds: bool
) -> None:
    found = Loop(20, 20, 0, 10, lost=lost, seconds=seconds).result()
    assert (found.bar, found.holds) == (">= 0.8; starter <= 0.1; others lose <= 0.02; <= 15 min", holds)


def test_an_episode_that_died_in_chromium_is_none_that_was_done_there() -> None:
    died = Played(Episode("cloud/create-disk", 3, "test", "try", in_browser=True), None, 1.0, lost="SessionLost: gone")
    shown = [_played(0, Outcome.VERIFIED), _played(1, Outcome.VERIFIED), _played(2, Outcome.FAILED), died]
    assert console_chromium.done(shown) == 0.5


def test_miniwob_holds_by_all_tasks_and_by_those_of_the_joint_training() -> None:
    solved = {name: [True] * 50 for name in published()}
    missed = solved | {name: [True] * 48 + [False] * 2 for name in miniwob_ppo.JOINT}
    assert miniwob_ppo.result(solved).holds
    found = miniwob_ppo.result(missed)
    assert (found.bar, found.holds) == (">= 0.93; DOM-Q-Net's tasks >= 0.98 (0.960)", False)


def test_offline_learning_is_compared_task_by_task(capsys: pytest.CaptureFixture[str]) -> None:
    ends = {
        "bc": _ends("failed", "failed", "verified", "verified"),
        "iql": _ends("verified", "verified", "failed", "verified"),
    }
    found = offline.result(ends)
    assert (found.value, found.n) == (25.0, 8)
    told = capsys.readouterr().out
    assert "iql                  3/4 = 75.0% [30%, 95%]" in told
    assert "of 4 tasks 2 by IQL alone, 1 by BC alone, 1 by both; p = 1" in told


def test_a_package_that_cannot_be_fetched_is_left_out_and_why_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not openapi.fetched([str(tmp_path / "npm"), "pack"], "one")
    assert not openapi.fetched([sys.executable, "-c", "raise SystemExit('not there')"], "two")
    monkeypatch.setattr(openapi, "FETCH_S", 0.01)
    assert not openapi.fetched([sys.executable, "-c", "import time; time.sleep(60)"], "three")
    told = capsys.readouterr().out.splitlines()
    assert ["No such file" in told[0], "not there" in told[1], "timed out" in told[2]] == [True] * 3
    assert [line.partition(" ")[0] for line in told] == ["one", "two", "three"]
