"""PPO plays real MiniWoB++ pages in Chromium: what it does counts as it was drawn, and what was solved is imitated."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from learning import acting, bc, miniwob, sentences
from learning.acting import Acting
from learning.arrays import KINDS
from learning.frame_rollouts import FrameCollector, Table, playable
from learning.networks import Shape
from learning.ppo import Recipe, Rollout
from learning.progress import Progress
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal

SMALL = Shape(width=16, layers=1, heads=2, word_width=4, sentences=1, relations=1)
TASKS = ("click-test-2", "click-test")
TABLE = Table(TASKS, episodes=4, critic_only=0)
RECIPE = Recipe(gamma=0.97, batch=16, learning_rate=3e-3, updates=2, keep_every=1, judge_every=0, entropy_share=0.0)


def _player(seed: int = 1) -> Acting:
    return Acting(bc.fresh(SMALL, seed=seed), len(TASKS)).eval()


def _rollout(number: int = 0) -> tuple[Acting, FrameCollector, Rollout]:
    player, collector = _player(), FrameCollector(TABLE, RECIPE)
    return player, collector, collector(player, number)


def test_nothing_that_stops_short_of_the_pages_own_end_is_possible_unless_nothing_else_is() -> None:
    goal = Goal("Click it.")
    seen, empty = (
        playable(sentences.scene(Observation("", "", elements), goal, ()))
        for elements in ((Element(1, "button", "it"),), ())
    )
    assert {KINDS[at] for at in np.flatnonzero(seen.arrays.kind_can)} == {"click", "press"}
    assert empty.arrays.kind_can[KINDS.index("press")]


def test_a_decision_is_as_likely_to_the_learner_as_it_was_to_the_player() -> None:
    torch.set_num_threads(1)
    player, _, rollout = _rollout()
    inputs, actions = rollout.rows.take(np.arange(len(rollout.value)))
    with torch.no_grad():
        said = player(inputs, actions)
    assert torch.allclose(said.log_prob, rollout.log_prob, atol=1e-4)
    assert torch.allclose(said.value, rollout.value, atol=1e-4)
    assert {*rollout.environment.tolist()} == {0, 1}


def test_an_episode_earns_one_where_the_page_was_solved_and_every_task_that_teaches_is_played() -> None:
    _, collector, rollout = _rollout()
    assert rollout.metrics["episodes"] == len(TASKS) * TABLE.episodes
    assert rollout.metrics["success/miniwob/click-test"] == 1.0  # it has but one button
    assert rollout.metrics["reward"] == pytest.approx(rollout.metrics["success"])
    assert collector.curriculum.success("miniwob/click-test") == 1.0


def test_the_same_update_plays_the_same_pages_and_goes_on_from_what_was_noted() -> None:
    _, first, one = _rollout()
    _, _, other = _rollout()
    assert torch.equal(one.log_prob, other.log_prob)
    again = FrameCollector(TABLE, RECIPE)
    again.recall(first.noted())
    assert again.curriculum.success("miniwob/click-test-2") == first.curriculum.success("miniwob/click-test-2")


def test_what_was_solved_is_imitated_again_beside_what_was_shown() -> None:
    _, collector, rollout = _rollout()
    before = FrameCollector(TABLE, RECIPE).successes()
    after = collector.successes()
    assert before is None
    assert after is not None
    _, actions = after.take(np.arange(len(after.lengths)))
    assert set(actions) == set(acting.NAMES)
    assert 0 < len(after.lengths) <= len(rollout.value)


def test_a_table_without_tasks_or_episodes_is_refused() -> None:
    for tasks, episodes in (((), 4), (TASKS, 0)):
        with pytest.raises(ValueError, match="an episode of each"):
            Table(tasks, episodes=episodes)


def test_it_learns_which_of_two_buttons_to_press_and_goes_on_where_it_was(tmp_path: Path) -> None:
    network = bc.fresh(SMALL, seed=3)
    heard: list[Progress] = []
    recipe = replace(
        RECIPE, updates=7, epochs=4, learning_rate=1e-2, stop_kl=1.0, clip=0.2, leash=0.0, imitation_share=1.0
    )
    table = Table(("click-test-2",), episodes=24, critic_only=0)
    miniwob.improved(network, tmp_path, table=table, budget_s=600, recipe=recipe, report=heard.append)
    shares = [each.values["success"] for each in heard]
    assert shares[0] < 0.8
    assert np.mean(shares[-2:]) > 0.9
    again = bc.fresh(SMALL, seed=3)
    miniwob.improved(again, tmp_path, table=table, budget_s=600, recipe=recipe, report=heard.append)
    assert all(map(torch.equal, again.parameters(), network.parameters()))
    assert len(heard) == 7
