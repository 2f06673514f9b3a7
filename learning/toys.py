"""Toys that any learner must solve, as environments: of numpy and Gymnasium alone, so that others can run them."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Seen = NDArray[np.float32]


class Identity(gymnasium.Env[Seen, np.int64]):
    """One of `size` lamps is lit; pressing its button earns 1. Cut after `length` presses: the best return is that."""

    metadata = {"render_modes": []}  # noqa: RUF012  # the name and form are Gymnasium's

    def __init__(self, size: int = 6, length: int = 20) -> None:
        self.size, self.length = size, length
        self.observation_space = spaces.Box(0, 1, (size,), np.float32)
        self.action_space = spaces.Discrete(size)
        self._lit = self._step = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Light a first lamp."""
        super().reset(seed=seed)
        self._step = 0
        return self._light(), {}

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Press a button; another lamp is lit."""
        reward = float(action == self._lit)
        self._step += 1
        return self._light(), reward, False, self._step >= self.length, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) everything can be pressed."""
        return np.ones(self.size, np.bool_)

    def _light(self) -> Seen:
        self._lit = int(self.np_random.integers(self.size))
        seen: Seen = np.eye(self.size, dtype=np.float32)[self._lit]
        return seen


class Doors(gymnasium.Env[Seen, np.int64]):
    """A row of rooms with `doors` doors each, three of them unlocked; the lowest open one leads on and earns 1.

    Any other open door ends it; the best return is `rooms`. A door that is locked cannot be tried.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # the name and form are Gymnasium's

    def __init__(self, doors: int = 12, rooms: int = 8) -> None:
        self.doors, self.rooms = doors, rooms
        self.observation_space = spaces.Box(0, 1, (doors,), np.float32)
        self.action_space = spaces.Discrete(doors)
        self._room = 0
        self._open: list[int] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """The first room."""
        super().reset(seed=seed)
        self._room = 0
        return self._enter(), {}

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Go through a door. Raises ValueError for one that is locked."""
        if int(action) not in self._open:
            raise ValueError(f"door {action} is locked; open are {self._open}")
        right = int(action) == self._open[0]
        self._room += right
        return self._enter(), float(right), not right or self._room >= self.rooms, False, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) the doors that are open."""
        mask = np.zeros(self.doors, np.bool_)
        mask[self._open] = True
        return mask

    def _enter(self) -> Seen:
        self._open = sorted(self.np_random.choice(self.doors, 3, replace=False).tolist())
        return self.action_masks().astype(np.float32)
