"""Gymnasium's face: its own checker passes, seeds repeat, and ending is told from running out."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import msgspec
import pytest
from gymnasium.utils.env_checker import check_env

from sandbox import sessions
from sandbox.browser.processes import NOTE, Note
from sandbox.contracts.actions import Finish
from sandbox.contracts.policies import Past, past
from sandbox.contracts.storage import to_json
from sandbox.env import BelayEnv, Gym, register_all
from sandbox.registry import find_environment

WAIT_TAB = '{"kind": "press", "key": "Tab"}'


@pytest.fixture(scope="module")
def gym() -> Iterator[Gym]:
    """A warm console shared by this file's environments."""
    made = Gym("cloud")
    yield made
    made.close()


@pytest.fixture
def env(gym: Gym) -> BelayEnv:
    """One template over the warm console."""
    return BelayEnv("cloud/find-instance-fact", gym=gym)


@pytest.mark.filterwarnings("error::UserWarning")
def test_gymnasiums_own_checker_passes(env: BelayEnv) -> None:
    check_env(env, skip_render_check=True)


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("template", ["workbench/search-set", "sql/move-budget", "http/start-job"])
def test_gymnasiums_own_checker_passes_where_no_browser_is_needed(template: str) -> None:
    made = BelayEnv(template)
    check_env(made, skip_render_check=True)
    made.close()


def test_a_world_without_browser_is_played_by_its_oracle() -> None:
    env = BelayEnv("workbench/search-compute-set", split="test")
    env.reset(seed=3)
    simulator = find_environment("workbench").simulator()
    observation = simulator.reset(env.task)
    oracle, done = sessions.oracle(env.task), False
    while not done:
        action = oracle.act(observation, env.task.goal, ()).action
        observation = simulator.act(action)[1]
        told, reward, done, truncated, info = env.step(to_json(action))
        assert [each["name"] for each in told["elements"]] == [each.name for each in observation.elements]
    assert (reward, truncated, info["verification"]) == (1.0, False, "verified")


def test_every_template_has_an_id() -> None:
    register_all()
    for template in sessions.templates():
        assert f"belay/{template.id.replace('/', '-')}-v0" in gymnasium.registry


def test_it_is_made_by_its_id_and_ends_what_it_started() -> None:
    made = gymnasium.make("belay/cloud-stop-instance-v0")
    observation, info = made.reset(seed=4)
    assert "fields" in observation
    assert '"cloud/stop-instance"' in info["task"]
    made.close()


def test_the_same_seed_shows_the_same_first_screen(env: BelayEnv) -> None:
    one, _ = env.reset(seed=5)
    env.step(WAIT_TAB)
    two, _ = env.reset(seed=5)
    assert (one["goal"], one["fields"], one["url"]) == (two["goal"], two["fields"], two["url"])
    assert [each["name"] for each in one["elements"]] == [each["name"] for each in two["elements"]]
    assert env.reset(seed=6)[0]["goal"] != one["goal"]


def test_a_verified_finish_terminates_with_reward_one(env: BelayEnv, gym: Gym) -> None:
    env.reset(seed=8)
    oracle = sessions.oracle(env.task)
    history: list[Past] = []
    observation = gym.reset(env.task)
    action = oracle.act(observation, env.task.goal, history).action
    while not isinstance(action, Finish):
        _, reward, terminated, truncated, info = env.step(to_json(action))
        assert (reward, terminated, truncated) == (0.0, False, False), info
        after = gym.run(gym.page.observe())
        history.append(past(observation, action, gym.act(Finish())[0]))
        observation = after
        action = oracle.act(observation, env.task.goal, history).action
    _, reward, terminated, truncated, info = env.step(to_json(action))
    assert (reward, terminated, truncated, info["verification"]) == (1.0, True, False, "verified")


def test_a_wrong_finish_terminates_with_nothing(env: BelayEnv) -> None:
    env.reset(seed=8)
    _, reward, terminated, truncated, info = env.step('{"kind": "finish", "answer": "no idea"}')
    assert (reward, terminated, truncated, info["verification"]) == (0.0, True, False, "failed")


def test_running_out_of_steps_truncates(env: BelayEnv) -> None:
    env.reset(seed=9)
    for _ in range(env.task.max_steps - 1):
        assert env.step(WAIT_TAB)[2:4] == (False, False)
    assert env.step(WAIT_TAB)[2:4] == (False, True)


def test_what_is_no_action_is_a_step_without_effect(env: BelayEnv) -> None:
    env.reset(seed=9)
    for text in ("", "click it", '{"kind": "fly"}', '{"kind": "click", "element": "all"}'):
        _, reward, terminated, truncated, info = env.step(text)
        assert (reward, terminated, truncated, info["outcome"]) == (0.0, False, False, "no_effect")
        assert info["detail"]


def test_an_element_that_is_not_there_is_named_so(env: BelayEnv) -> None:
    env.reset(seed=9)
    assert env.step('{"kind": "click", "element": 99999}')[4]["outcome"] == "vanished"


def test_before_reset_there_is_no_task(gym: Gym) -> None:
    with pytest.raises(RuntimeError, match="task comes after reset"):
        BelayEnv("cloud/stop-instance", gym=gym).step(WAIT_TAB)


KILLED_PLAYER = """
import os, signal
from sandbox.env import Gym
gym = Gym("cloud")
print(gym._folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_player_left_running_is_ended_by_the_next(gym: Gym) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_PLAYER], capture_output=True, text=True, check=False)
    folder = Path(killed.stdout.strip())
    left = [msgspec.json.decode(file.read_bytes(), type=Note) for file in folder.rglob(f"*{NOTE}")]
    assert [note.process.is_alive for note in left] == [True, True]
    gym.run(sessions.clear_orphans())
    assert [note.process.is_alive for note in left] == [False, False]
    assert not folder.exists()
    assert gym.reset(sessions.sample("cloud/stop-instance", seed=1, split="test")).elements  # the living are spared
