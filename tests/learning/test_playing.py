"""A policy plays in simulators on a leash to what it was: its curves, what it imitates, where it goes on."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from msgspec import structs

from learning import improve as improving
from learning import jobs, metrics, playing
from learning.acting import Acting
from learning.bc import Recipe
from learning.collecting import World
from learning.networks import ElementSetPolicy, Shape, sizes
from learning.phases import Phase
from learning.progress import Progress, Stopped
from learning.rollouts import Episode, play
from learning.samples import lessons
from learning.segments import Met, Order, Segment, SegmentPlayer
from sandbox import sessions
from sandbox.contracts import storage
from sandbox.contracts.tasks import Goal, Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.env import player
from tests.learning.tensorboard import scalars

TEMPLATES = ("cloud/start-instance", "cloud/stop-instance")
PHASES = (
    Phase("calibrate", (), most=1, changed=1, critic_only=True),
    Phase("explore", (), most=9, even=0.1, changed=1, starts=0.5),
)
WORLD = World(TEMPLATES, decisions=40, judged=20, slots=4, phases=PHASES)
RECIPE = replace(playing.PLAY, updates=3, batch=32, judge_every=2, keep_every=1)


@pytest.fixture(scope="module")
def demonstrations() -> list[Trajectory]:
    """Three of each template, by its oracle."""
    simulator = player("cloud")
    episodes = [Episode(name, seed, "train", "demonstrate") for name in TEMPLATES for seed in range(3)]
    return [play(simulator, each, None) for each in episodes]


def test_it_plays_and_its_curves_can_be_read(
    demonstrations: list[Trajectory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "TOLD_EVERY", 2)
    heard: list[Progress] = []
    policy = _policy()
    played = playing.play(
        policy,
        WORLD,
        RECIPE,
        work=tmp_path,
        budget_s=math.inf,
        report=heard.append,
        shown=lessons(demonstrations).samples,
        ways=playing.ways_of(demonstrations),
    )
    assert (played.updates, played.ended) == (3, "updates")
    curves = list(metrics.read(tmp_path))
    assert [point.step for point in curves] == [each.step for each in heard] == [1, 2, 3]
    told = {"success/cloud/start-instance", "success/cloud/stop-instance", "steps_per_s", "gpu_used", "reward"}
    learnt = {"policy_loss", "value_loss", "entropy", "kl", "clipped_share", "explained", "leash_kl"}
    assert told | learnt <= curves[-1].values.keys()
    seen = scalars(tmp_path)
    assert [point.step for point in seen] == [1, 2, 3]
    assert seen[-1].values == pytest.approx(curves[-1].values)
    assert [point.values["phase"] for point in curves] == [0.0, 1.0, 1.0]
    assert curves[1].values["trial"] == played.best
    assert [each.step for each in heard if "success/cloud/start-instance" in each.values] == [2]  # there may be many


def test_at_first_the_policy_is_left_as_it_was(tmp_path: Path) -> None:
    policy, before = _policy(), _policy().state_dict()
    recipe = replace(RECIPE, updates=1, judge_every=0)
    playing.play(policy, WORLD, recipe, work=tmp_path, budget_s=math.inf, report=lambda _: None)
    assert all(torch.equal(each, before[name]) for name, each in policy.state_dict().items())


def test_stopped_it_goes_on_and_no_point_stands_twice(demonstrations: list[Trajectory], tmp_path: Path) -> None:
    asked = iter([False, True])
    with pytest.raises(Stopped):
        _played(demonstrations, tmp_path / "a", should_stop=lambda: next(asked))
    resumed, whole = _played(demonstrations, tmp_path / "a"), _played(demonstrations, tmp_path / "b")
    assert all(torch.equal(one, other) for one, other in zip(resumed.parameters(), whole.parameters(), strict=True))
    assert [point.step for point in metrics.read(tmp_path / "a")] == [1, 2, 3]


def test_ways_are_of_what_was_verified(demonstrations: list[Trajectory]) -> None:
    failed = _failed(demonstrations[0])
    ways = playing.ways_of([failed, *demonstrations[1:]])
    assert len(ways) == 5
    assert ways[0].level.template == "cloud/start-instance"
    assert ways[0].actions == tuple(step.action for step in demonstrations[1].steps)


def test_no_way_is_of_a_task_that_no_level_gives(demonstrations: list[Trajectory]) -> None:
    shown = demonstrations[0]
    filed = sessions.bind(shown.task.template, {"instance": "a-name-of-ours"}, seed=shown.task.seed)
    drawn = sessions.sample(shown.task.template, seed=3, split="test")
    moved = structs.replace(shown.task, environment="cloud?walls=none")
    assert playing.ways_of([structs.replace(shown, task=task) for task in (filed, drawn, moved)]) == []


def test_only_what_has_a_simulator_is_played() -> None:
    asked = ["cloud/start-instance", "object-store/change-quota", "", "of-another-machine/do", "cloud/unheard-of"]
    assert playing.playable(asked) == ["cloud/start-instance"]


def test_an_improvement_with_time_for_it_goes_on_to_play(
    demonstrations: list[Trajectory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(improving, "DECISIONS", 40)
    monkeypatch.setattr(improving, "JUDGED", 20)
    files = [tmp_path / f"{number}.belay" for number in range(len(demonstrations))]
    for file, each in zip(files, demonstrations, strict=True):
        file.write_bytes(storage.pack(each))
    heard: list[Progress] = []
    request = jobs.ImproveRequest(None, files, tmp_path / "out", tmp_path / "work", 1, 60.0, {}, practice_s=1e-6)
    improved = improving.improve(
        request, report=heard.append, should_stop=lambda: False, recipe=Recipe(steps=4, batch=4, held_out_one_in=3)
    )
    assert "play" in [each.phase for each in heard]
    assert improved.evaluation["played"]["updates"] == 1
    assert improved.evaluation["held_out"]["all"] > 0
    assert jobs.load_policy(improved.folder, name="v1").act(demonstrations[0].steps[0].observation, _goal(), ()).action


def _goal() -> Goal:
    return Goal("Start it.", (("name", "web-1"),))


def _failed(trajectory: Trajectory) -> Trajectory:
    failed = structs.replace(trajectory.verification, outcome=Outcome.FAILED)
    return structs.replace(trajectory, verification=failed)


def _policy() -> ElementSetPolicy:
    torch.manual_seed(2)
    torch.set_num_threads(1)
    return ElementSetPolicy(Shape(width=32, layers=1, heads=2, word_width=8))


def _played(
    demonstrations: list[Trajectory], work: Path, *, should_stop: Callable[[], bool] = lambda: False
) -> ElementSetPolicy:
    policy = _policy()
    playing.play(
        policy,
        WORLD,
        RECIPE,
        work=work,
        budget_s=math.inf,
        report=lambda _: None,
        should_stop=should_stop,
        shown=lessons(demonstrations).samples,
        ways=playing.ways_of(demonstrations),
    )
    return policy


def test_a_trial_is_made_of_the_likeliest_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Order] = []
    played = SegmentPlayer.play

    def noted(player: SegmentPlayer, order: Order) -> tuple[list[Segment], dict[str, Met]]:
        asked.append(order)
        return played(player, order)

    monkeypatch.setattr(SegmentPlayer, "play", noted)
    playing.trial(Acting(_policy(), 1), WORLD, seed=2)
    assert [(each.split, each.sharpness) for each in asked] == [("validation", playing.SHARP)]


@pytest.mark.parametrize(("sharpness", "sure"), [(1.0, False), (1e6, True)])
def test_the_sharper_an_order_the_surer_its_actions(sharpness: float, sure: bool) -> None:
    network = Acting(_policy(), 1)
    player = SegmentPlayer(sizes(network.policy.shape), ("cloud",))
    player.take_weights(0, {name: each.numpy() for name, each in network.state_dict().items()})
    segments, _ = player.play(Order(TEMPLATES, 20, (1,), slots=4, sharpness=sharpness))
    assert (min(float(each.log_prob.min()) for each in segments) > -0.01) is sure
