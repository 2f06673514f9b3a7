"""One warm object store with one warm browser for the tests of this folder, and how a task is played in it."""

from collections.abc import Iterator

import pytest

from sandbox import sessions
from sandbox.contracts.actions import Action, Finish, GiveUp
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Task, Verification
from sandbox.env import Gym
from sandbox.worlds.objectstore.world import ObjectStore

NAMES = ("create-bucket", "change-quota", "delete-bucket", "create-user", "remove-user", "find-bucket-fact")


@pytest.fixture(scope="session")
def gym() -> Iterator[Gym]:
    gym = Gym("object-store")
    yield gym
    gym.close()


@pytest.fixture
def store(gym: Gym) -> ObjectStore:
    """The warm store itself."""
    assert isinstance(gym.world, ObjectStore)
    return gym.world


def sample(name: str, seed: int) -> Task:
    """A task of the split that nothing is learned from."""
    return sessions.sample(f"object-store/{name}", seed=seed, split="test")


class Play:
    """One task in the warm console: steps by hand first, then the oracle's until it ends."""

    def __init__(self, gym: Gym, task: Task) -> None:
        self.gym, self.task = gym, task
        self.seen: list[Observation] = [gym.reset(task)]
        self.history: list[Past] = []

    def find(self, role: str, name: str, row: str = "") -> Element:
        """The element by role, the beginning of its name, and a word of its row."""
        found = self.seen[-1].elements
        return next(e for e in found if e.actionable and e.role == role and e.name.startswith(name) and row in e.row)

    def act(self, action: Action) -> None:
        """One step."""
        before = self.seen[-1]
        result, after = self.gym.act(action)
        self.history.append(past(before, action, result))
        self.seen.append(after)

    def finish(self) -> Verification:
        """Let the oracle end it, and verify."""
        oracle = sessions.oracle(self.task)
        answer = ""
        while len(self.history) < self.task.max_steps:
            action = oracle.act(self.seen[-1], self.task.goal, self.history).action
            if isinstance(action, Finish | GiveUp):
                answer = action.answer if isinstance(action, Finish) else ""
                break
            self.act(action)
        return self.gym.verify(answer)
