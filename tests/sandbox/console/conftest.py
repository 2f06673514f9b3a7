"""One console with one browser for all tests of this folder."""

from collections.abc import Iterator

import pytest

from sandbox.env import Gym


@pytest.fixture(scope="session")
def cloud() -> Iterator[Gym]:
    """A warm simulated console."""
    gym = Gym("cloud")
    yield gym
    gym.close()
