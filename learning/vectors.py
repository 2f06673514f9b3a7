"""Environments whose observations are a few numbers (CartPole, toys): a small network and a collector for PPO."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learning.advantages import gae, successors
from learning.candidates import LOW
from learning.critic import critic_of, judged
from learning.ppo import ActorCritic, Judged, Recipe, Rollout
from learning.rows import Named, Stacked


class Moved(NamedTuple):
    """What one step of B environments brought; `reached` is the state before any reset."""

    seen: NDArray[np.float32]  # (B, F) to act in next
    can: NDArray[np.bool_]  # (B, A)
    rewards: NDArray[np.float32]  # (B,)
    terminated: NDArray[np.bool_]  # (B,)
    truncated: NDArray[np.bool_]  # (B,)
    reached: NDArray[np.float32]  # (B, F)


class Vector(Protocol):
    """B environments that step together and begin anew by themselves."""

    def reset(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """(B, F) first states, (B, A) what can be done there."""
        ...

    def step(self, actions: NDArray[np.int64]) -> Moved:
        """One action in each."""
        ...


class SmallActorCritic(ActorCritic):
    """Two towers of two tanh layers over (B, F) numbers, for A actions of which some cannot be done."""

    def __init__(self, features: int, actions: int, *, width: int = 64, bins: int = 0, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.actor = _tower(features, width)
        self.choice = _layer(width, actions, 0.01)
        self.valued = _tower(features, width)
        self.critic = critic_of(width, bins=bins)

    def logits(self, inputs: Named) -> Tensor:
        """(B, A); LOW where an action cannot be done."""
        found: Tensor = self.choice(self.actor(inputs["seen"]))
        return found.masked_fill(~inputs["can"], LOW)

    def value(self, inputs: Named) -> Tensor:
        """(B,)."""
        return self._judged(inputs)[0]

    def _judged(self, inputs: Named) -> tuple[Tensor, Tensor | None]:
        return judged(self.critic, self.valued(inputs["seen"]), inputs["environment"])

    def forward(self, inputs: Named, actions: Named) -> Judged:
        """See ppo.ActorCritic."""
        log_p = self.logits(inputs).log_softmax(-1)
        chosen = log_p.gather(1, actions["action"][:, None])[:, 0]
        return Judged(chosen, -(log_p.exp() * log_p).sum(-1), *self._judged(inputs))


def _tower(features: int, width: int) -> nn.Sequential:
    root = 2**0.5
    return nn.Sequential(_layer(features, width, root), nn.Tanh(), _layer(width, width, root), nn.Tanh())


def _layer(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class VectorCollector:
    """Plays `steps` of every environment for each rollout; returns of whole episodes are in its metrics."""

    def __init__(self, envs: Vector, recipe: Recipe, *, steps: int) -> None:
        self._envs, self._recipe, self._steps = envs, recipe, steps
        self._seen, self._can = envs.reset()
        self._running = np.zeros(len(self._seen))
        self._generator = torch.Generator().manual_seed(recipe.seed)
        self._done = 0
        self.ended: list[tuple[int, float]] = []  # of whole episodes, in order: steps of all by then, and return

    @torch.no_grad()
    def __call__(self, network: ActorCritic, number: int) -> Rollout:
        """See ppo.Collector."""
        assert isinstance(network, SmallActorCritic)
        moves: list[tuple[Named, Tensor, Judged, Moved]] = []
        cut: dict[tuple[int, int], float] = {}
        for row in range(self._steps):
            inputs = self._inputs(self._seen, self._can)
            chances = network.logits(inputs).softmax(-1)
            action = torch.multinomial(chances, 1, generator=self._generator)[:, 0]
            moved = self._envs.step(action.numpy())
            moves.append((inputs, action, network(inputs, {"action": action}), moved))
            for column in np.flatnonzero(moved.truncated & ~moved.terminated):
                there = self._inputs(moved.reached[column : column + 1], moved.can[column : column + 1])
                cut[row, int(column)] = float(network.value(there))
            self._count(moved)
            self._seen, self._can = moved.seen, moved.can
        return self._rollout(moves, cut, network.value(self._inputs(self._seen, self._can)))

    def _rollout(
        self, moves: list[tuple[Named, Tensor, Judged, Moved]], cut: dict[tuple[int, int], float], last: Tensor
    ) -> Rollout:
        values = torch.stack([said.value for _, _, said, _ in moves])  # (T, B)
        advantage = gae(
            torch.from_numpy(np.stack([moved.rewards for *_, moved in moves])),
            values,
            successors(values, last, cut),
            torch.from_numpy(np.stack([moved.terminated for *_, moved in moves])),
            torch.from_numpy(np.stack([moved.truncated for *_, moved in moves])),
            gamma=self._recipe.gamma,
            lam=self._recipe.lam,
        )
        inputs = {name: torch.cat([each[name] for each, *_ in moves]) for name in moves[0][0]}
        return Rollout(
            rows=Stacked(inputs, {"action": torch.cat([action for _, action, *_ in moves])}),
            environment=inputs["environment"],
            log_prob=torch.cat([said.log_prob for _, _, said, _ in moves]),
            value=values.flatten(),
            advantage=advantage.flatten(),
            metrics={"return": float(np.mean([each for _, each in self.ended[-20:]])) if self.ended else 0.0},
        )

    def heard(self, points: Mapping[str, float]) -> str:
        """Nothing in the curves ends it."""
        return ""

    def noted(self) -> dict[str, Any]:
        """Nothing: environments that are underway are not written down, a training of these is not resumed."""
        return {}

    def recall(self, noted: Mapping[str, Any]) -> None:
        """See noted."""

    def _inputs(self, seen: NDArray[np.float32], can: NDArray[np.bool_]) -> Named:
        environment = torch.zeros(len(seen), dtype=torch.long)
        return {"seen": torch.from_numpy(seen), "can": torch.from_numpy(can), "environment": environment}

    def _count(self, moved: Moved) -> None:
        self._running += moved.rewards
        self._done += len(moved.rewards)
        over = moved.terminated | moved.truncated
        self.ended += [(self._done, each) for each in self._running[over].tolist()]
        self._running[over] = 0.0


class Several:
    """Gymnasium environments with a flat Box and a Discrete space, stepped one after another; see Vector."""

    def __init__(self, make: Callable[[], gymnasium.Env[Any, Any]], count: int, *, seed: int) -> None:
        self._envs = [make() for _ in range(count)]
        self._seed = seed
        space = self._envs[0].action_space
        assert isinstance(space, gymnasium.spaces.Discrete), "actions are numbers"
        self.actions = int(space.n)
        self._masks = [getattr(env.unwrapped, "action_masks", None) for env in self._envs]

    def reset(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See Vector."""
        seen = [env.reset(seed=self._seed + n)[0] for n, env in enumerate(self._envs)]
        return np.stack(seen).astype(np.float32), self._can()

    def step(self, actions: NDArray[np.int64]) -> Moved:
        """See Vector."""
        steps = [env.step(action) for env, action in zip(self._envs, actions, strict=True)]
        reached = np.stack([each[0] for each in steps]).astype(np.float32)
        rewards, terminated, truncated = (np.array([each[n] for each in steps]) for n in (1, 2, 3))
        seen = reached.copy()
        for at in np.flatnonzero(terminated | truncated):
            seen[at] = self._envs[at].reset()[0]
        return Moved(seen, self._can(), rewards.astype(np.float32), terminated, truncated, reached)

    def _can(self) -> NDArray[np.bool_]:
        everything = np.ones(self.actions, np.bool_)
        return np.stack([mask() if mask is not None else everything for mask in self._masks])
