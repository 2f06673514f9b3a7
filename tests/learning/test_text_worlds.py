"""The worlds without a browser can be learned: the network can say every step of their oracles."""

from collections.abc import Iterator

import pytest

from learning.candidates import label
from learning.features import scene
from sandbox import sessions
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Task
from sandbox.registry import Simulator, find_environment


@pytest.fixture(params=["workbench", "sql", "http"])
def environment(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def simulator(environment: str) -> Iterator[Simulator]:
    made = find_environment(environment).simulator()
    yield made
    made.close()


def unsayable(simulator: Simulator, task: Task) -> list[str]:
    """The right actions for which the network has no word."""
    seen, oracle = simulator.reset(task), sessions.oracle(task)
    history: list[Past] = []
    missing = []
    for _ in range(task.max_steps):
        action = oracle.act(seen, task.goal, history).action
        missing += [repr(action)] * (label(scene(seen, task.goal, history), action) is None)
        if isinstance(action, Finish | GiveUp):
            break
        before = seen
        result, seen = simulator.act(action)
        history.append(past(before, action, result))
    return missing


def test_the_network_can_say_every_step_of_the_oracle(environment: str, simulator: Simulator) -> None:
    for template in find_environment(environment).templates:
        assert unsayable(simulator, sessions.sample(template, seed=2, split="train")) == []
