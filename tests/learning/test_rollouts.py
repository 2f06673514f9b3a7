"""Episodes, slips, evaluation and intervals, on the hand-drawn console."""

import json
import random
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import ray
from msgspec import structs

from learning import evaluate, jobs, rollouts
from learning.evaluate import Ended, Evaluation, compare, rate
from learning.intervals import wilson
from learning.language import Unreachable
from learning.rollouts import Episode, Played, Player, play, slip
from learning.samples import taught
from learning.thrift import OverBudget
from sandbox import env, sessions
from sandbox.contracts.actions import Action, Click, Finish, Select, Type
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import Outcome
from tests.learning.endpoint import Asked, Handler, Script, says, says_text, serving
from tests.learning.pages import HandGym, Knows, a_form, a_list, a_task, right


@pytest.fixture(autouse=True)
def hand_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox's door opens on the hand-drawn console."""
    monkeypatch.setattr(sessions, "sample", lambda template, *, seed, split, recipe: a_task(seed))
    monkeypatch.setattr(sessions, "oracle", lambda task: Knows())


def _episode(mode: Any, seed: int = 1, slips: float = 0.0) -> Episode:
    return Episode("hand/change-quota", seed, "train", mode, slips)


def test_a_demonstration_ends_verified_and_is_all_the_oracles() -> None:
    trajectory = play(HandGym(), _episode("demonstrate"), None)
    assert trajectory.verification.outcome == Outcome.VERIFIED
    assert {step.actor for step in trajectory.steps} == {"oracle"}


def test_slips_are_taken_and_the_oracles_opinion_stays_the_label() -> None:
    trajectory = play(HandGym(), _episode("demonstrate", seed=3, slips=0.5), None)
    slipped = [step for step in trajectory.steps if step.actor == "policy"]
    goal = trajectory.task.goal
    assert slipped
    assert all(step.action != right(step.observation, goal) for step in slipped)
    assert [action for action, _ in taught(trajectory)] == [right(s.observation, goal) for s in trajectory.steps]


class StopsAtOnce:
    """A policy that thinks it is done."""

    def act(self, observation: Any, goal: Any, history: Any) -> Any:
        """Finish."""
        return Proposal(Finish(), 1.0, policy="v1")


def test_advice_goes_on_where_a_policy_would_end_too_early() -> None:
    trajectory = play(HandGym(), _episode("advise"), StopsAtOnce())
    assert trajectory.verification.outcome == Outcome.VERIFIED


def test_a_policy_alone_is_judged_by_what_it_did() -> None:
    trajectory = play(HandGym(), _episode("try"), StopsAtOnce(), name="v1")
    assert trajectory.verification.outcome == Outcome.FAILED
    assert [step.actor for step in trajectory.steps] == ["policy"]


def test_the_learnt_policy_works_tasks_it_has_never_seen(folder: Path) -> None:
    policy = jobs.load_policy(folder, name="v1")
    good = [
        play(HandGym(), _episode("try", seed), policy).verification.outcome == Outcome.VERIFIED
        for seed in range(500, 520)
    ]
    assert sum(good) >= 18


@pytest.mark.parametrize("seed", range(20))
def test_a_slip_never_destroys_anything(seed: int) -> None:
    found = slip(a_list("logs-3", "web-1"), Click(12), a_task(1), random.Random(seed))
    assert found in (Click(1), Click(2), Click(10), Click(20))


@pytest.mark.parametrize("seed", range(20))
def test_a_slip_in_a_dialog_can_be_mended(seed: int) -> None:
    found: Action | None = slip(a_form("5"), Click(73), a_task(1), random.Random(seed))
    assert found == Click(74) or isinstance(found, Type | Select)


class Dies(HandGym):
    """A console whose browser is gone."""

    def act(self, action: Action) -> Any:
        """Die."""
        raise sessions.SessionLost("the browser is gone")


def test_a_dead_console_costs_its_episode_only(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player()
    consoles = iter([Dies(), HandGym()])
    monkeypatch.setattr("sandbox.env.player", lambda environment: next(consoles))
    lost, played = player.play(_episode("demonstrate")), player.play(_episode("demonstrate"))
    player.close()
    assert lost.lost == "SessionLost: the browser is gone"
    assert rollouts.verified(played)


def test_a_policy_that_gives_no_action_fails_where_its_console_would_be_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sandbox.env.player", lambda environment: HandGym())
    with serving(says({"kind": "wait"}), says_text("no idea")) as script:
        folder = _language(tmp_path, script)
        played = Player(str(folder), name="talker").play(_episode("try"))
        found = evaluate.evaluate(folder, templates=["hand/change-quota"], episodes=2, seed=9, in_browser=False)
    assert played.trajectory is not None
    [check] = played.trajectory.verification.checks
    assert (played.lost, len(played.trajectory.steps), check.holds) == ("", 1, False)
    assert check.detail.startswith("Malformed: talker gave no usable action in 1 tries")
    assert (found.overall.episodes, found.overall.verified, found.lost) == (2, 0, 0)


def test_a_policy_that_may_ask_no_more_stops_the_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sandbox.env.player", lambda environment: HandGym())
    with serving(says({"kind": "wait"})) as script:
        folder = _language(tmp_path, script, budget={"calls": 3})
        with pytest.raises(OverBudget, match="all 3 calls are used"):
            evaluate.evaluate(folder, templates=["hand/change-quota"], episodes=2, seed=9, in_browser=False)


def test_a_policy_whose_server_is_gone_stops_the_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sandbox.env.player", lambda environment: HandGym())
    with serving(says({"kind": "wait"})) as script:
        folder = _language(tmp_path, script)
    with pytest.raises(Unreachable):
        evaluate.evaluate(folder, templates=["hand/change-quota"], episodes=2, seed=9, in_browser=False)


def test_what_a_proposal_takes_is_told_of_each_episode_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.env.player", lambda environment: HandGym())
    ticks = iter([0.0, 0.001, 1.0, 1.003])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    player = Player()
    player._policy = rollouts._Timed(StopsAtOnce())
    took = [player.play(_episode("try", seed)).proposing_ms for seed in (1, 2)]
    assert took == pytest.approx([1.0, 3.0])


@pytest.fixture
def no_cluster() -> Iterator[None]:
    """Ray is begun by the test, as large as it needs it."""
    ray.shutdown()
    yield
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_a_mistake_in_an_actors_own_code_is_no_dead_actor() -> None:
    with pytest.raises(sessions.UnknownTemplate):
        rollouts.play_all([Episode("cloud/no-such", 1, "train", "demonstrate")], workers=1)


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_where_nobody_wants_the_rest_an_episode_underway_is_not_waited_for(tmp_path: Path) -> None:
    over, ended = threading.Event(), list[float]()

    def think(handler: Handler, asked: Asked) -> None:
        over.wait(120)

    def enough() -> bool:
        ended.append(time.monotonic())
        return False

    episodes = [Episode("cloud/create-disk", seed, "train", "try") for seed in (1, 2)]
    with serving(says({"kind": "finish", "answer": ""}), think) as script:
        folder = _language(tmp_path, script)
        played = rollouts.play_all(episodes, policy_folder=folder, workers=2, go_on=enough)
        took = time.monotonic() - ended[0]
        over.set()
    assert len(played) == 1
    assert took < 40


def test_a_browser_is_started_only_for_an_episode_that_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def start(face: str, environment: str) -> HandGym:
        started.append(f"{face} {environment}")
        return HandGym()

    monkeypatch.setattr("sandbox.env.player", partial(start, "quick"))
    monkeypatch.setattr("sandbox.env.Gym", partial(start, "browser"))
    player = Player()
    player.play(_episode("demonstrate"))
    assert started == ["quick hand"]
    player.play(structs.replace(_episode("demonstrate"), in_browser=True))
    player.play(_episode("demonstrate", seed=2))
    player.close()
    assert started == ["quick hand", "browser hand"]


def test_a_console_that_has_a_simulator_is_demonstrated_on_it() -> None:
    gym = env.player("cloud")
    assert not isinstance(gym, env.Gym)
    gym.close()


def test_an_evaluation_counts_by_template_and_leaves_lost_ones_out(monkeypatch: pytest.MonkeyPatch) -> None:
    good = play(HandGym(), _episode("demonstrate"), None)
    bad = play(HandGym(), _episode("try"), StopsAtOnce())
    ends = iter([good, bad, None, good])

    asked: list[tuple[bool, str, str]] = []

    def play_all(episodes: Any, *, heard: Any, **_: Any) -> list[Played]:
        asked.extend((each.in_browser, each.split, each.mode) for each in episodes)
        found = [Played(each, next(ends), 1.0, 2.0) for each in episodes]
        for each in found:
            heard(each)
        return found

    monkeypatch.setattr(evaluate, "play_all", play_all)
    heard: list[tuple[int, int, int]] = []
    found = evaluate.evaluate(Path("x"), templates=["a/b"], episodes=4, seed=0, report=lambda *each: heard.append(each))
    assert asked == [(True, "test", "try")] * 4
    assert (found.overall.verified, found.overall.episodes, found.lost) == (2, 3, 1)
    assert found.templates["a/b"].interval == pytest.approx(wilson(2, 3))
    assert heard[-1] == (4, 4, 2)
    assert [each["outcome"] for each in found.as_data()["failures"]] == ["failed", "lost"]


def test_two_policies_are_compared_on_the_tasks_that_ended_for_both() -> None:
    one = _evaluation("verified", "verified", "failed", "lost")
    other = _evaluation("verified", "failed", "failed", "verified")
    found = compare(one, other)
    assert (found.tasks, found.both, found.only_one, found.only_other, found.neither) == (3, 1, 1, 0, 1)


def test_an_interval_by_hand() -> None:
    assert wilson(84, 100) == pytest.approx((0.7558, 0.8990), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def _language(folder: Path, script: Script, **more: Any) -> Path:
    """A policy that asks this server once a step."""
    endpoint = {"url": script.url, "model": "a-model", "attempts": 1, "timeout_s": 100.0}
    (folder / "spec.json").write_text(json.dumps({"kind": "language", "endpoint": endpoint, **more}))
    return folder


def _evaluation(*outcomes: str) -> Evaluation:
    ended = tuple(Ended("a/b", seed, outcome, 3) for seed, outcome in enumerate(outcomes))
    return Evaluation("v1", "test", 0, {}, rate(ended), 0, 1.0, 1.0, ended)
