"""Stable-Baselines3's side of `ppo-throughput`: `sb3_updates.py FILE BATCH EPOCHS`, a round for each line it hears.

Run in an environment of its own. The very network that is compared stands behind the face of a policy of theirs; the
buffer, the minibatches and the loop are theirs.
"""

import sys
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.policies import ActorCriticPolicy

from learning.acting import ARGUMENTS, NAMES, Acting
from learning.networks import ElementSetPolicy, Shape

Arrays = dict[str, np.ndarray[Any, Any]]


class Same(ActorCriticPolicy):
    """Our network as their policy."""

    def __init__(self, observation_space: Any, action_space: Any, lr_schedule: Any, **_: Any) -> None:
        super(ActorCriticPolicy, self).__init__(observation_space, action_space)
        torch.manual_seed(0)
        self.network = Acting(ElementSetPolicy(Shape(width=64, layers=2)))
        self.network.policy.hasten(on=False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr_schedule(1), eps=1e-5)

    def evaluate_actions(self, obs: Any, actions: torch.Tensor) -> Any:
        """Values, log-probabilities, entropy."""
        chosen = {name: actions[:, column].long() - int(name in ARGUMENTS) for column, name in enumerate(NAMES)}
        inputs = {name: _typed(name, each) for name, each in obs.items()}
        inputs["environment"] = inputs["environment"].flatten()  # theirs has no numbers without an axis
        said = self.network(inputs, chosen)
        return said.value, said.log_prob, said.entropy


class Shelf(gymnasium.Env[Any, Any]):
    """Spaces alone; nothing is played."""

    def __init__(self, pages: Arrays, actions: np.ndarray[Any, Any]) -> None:
        self.observation_space = spaces.Dict(
            {name: spaces.Box(-np.inf, np.inf, each.shape[1:], np.float32) for name, each in pages.items()}
        )
        self.action_space = spaces.MultiDiscrete(actions.max(0) + 1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Nothing."""
        return self.observation_space.sample(), {}


def _typed(name: str, each: torch.Tensor) -> torch.Tensor:
    if name.endswith(("_words", "_kinds", "_parents")) or name == "environment":
        return each.long()
    return each > 0.5 if name.endswith(("_there", "_can")) else each


def main() -> None:
    """Print that it is ready, and then the seconds of each round of `train`."""
    torch.set_num_threads(1)
    held = dict(np.load(sys.argv[1]))
    batch, epochs = (int(each) for each in sys.argv[2:4])
    pages = {name.removeprefix("page."): each for name, each in held.items() if name.startswith("page.")}
    actions = np.stack([held[f"action.{name}"] + (name in ARGUMENTS) for name in NAMES], 1)
    count = len(actions)
    model = PPO(Same, Shelf(pages, actions), n_steps=count, batch_size=batch, n_epochs=epochs, clip_range=0.08)
    model.set_logger(configure(None, []))
    buffer = model.rollout_buffer
    print("ready", flush=True)
    for _ in sys.stdin:
        buffer.reset()
        for name, each in pages.items():
            buffer.observations[name][:, 0] = each
        buffer.actions[:] = actions[:, None]
        for name in ("log_probs", "values", "advantages", "returns"):
            getattr(buffer, name)[:, 0] = held[name]
        buffer.full, buffer.pos = True, count
        began = time.process_time()
        model.train()
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main()
