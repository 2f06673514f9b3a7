"""Stable-Baselines3's side of `ppo-return`, run in an environment of its own: `sb3_returns.py TOYS_FILE < settings`."""

import importlib.util
import json
import sys
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env


class Ended(BaseCallback):
    """Notes every whole episode."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, float]] = []

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.found.append((self.num_timesteps, float(info["episode"]["r"])))
        return True


def main() -> None:
    """For each line `{"env", setting...}` one line of episodes: steps taken by then, and return."""
    torch.set_num_threads(1)
    spec = importlib.util.spec_from_file_location("toys", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    toys = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(toys)
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        name, rate = asked["env"], asked["learning_rate"]
        made = make_vec_env(
            getattr(toys, name, lambda name=name: gymnasium.make(name)), asked["envs"], seed=asked["seed"]
        )
        learner = MaskablePPO if name == "Doors" else PPO
        model = learner(
            "MlpPolicy",
            made,
            learning_rate=lambda left, rate=rate: rate * left,
            n_steps=asked["steps"],
            batch_size=asked["batch"],
            n_epochs=asked["epochs"],
            gamma=asked["gamma"],
            gae_lambda=asked["lam"],
            clip_range=asked["clip"],
            ent_coef=asked["entropy"],
            seed=asked["seed"],
            device="cpu",
        )
        ended = Ended()
        model.learn(asked["total"], callback=ended)
        print(json.dumps(ended.found), flush=True)


if __name__ == "__main__":
    main()
