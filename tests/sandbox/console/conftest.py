"""One console with one browser for all tests of this folder."""

from collections.abc import Iterator
from typing import cast

import pytest

from sandbox.env import Gym
from sandbox.worlds.console.instance import ConsoleWorld


@pytest.fixture(scope="session")
def warm() -> Iterator[Gym]:
    """A warm simulated console."""
    gym = Gym("cloud")
    yield gym
    gym.close()


@pytest.fixture
def cloud(warm: Gym) -> Iterator[Gym]:
    """The warm console; what a test stopped in it runs again for the next one."""
    yield warm
    warm.run(cast(ConsoleWorld, warm.world).clock(runs=True))
