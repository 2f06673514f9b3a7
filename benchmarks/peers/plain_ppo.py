"""PPO as a plain loop in one function, in the way of CleanRL: what `ppo-return` compares ours with."""

from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from torch import nn


class Setting(NamedTuple):
    """The same numbers for everybody who is compared."""

    envs: int
    steps: int  # of each environment, between two updates
    batch: int
    epochs: int
    learning_rate: float  # annealed to nothing
    gamma: float
    lam: float
    entropy: float
    total: int  # steps of all environments together
    clip: float = 0.2
    seed: int = 0


def returns(make: Callable[[], gymnasium.Env[Any, Any]], setting: Setting) -> list[tuple[int, float]]:
    """Train; of each whole episode the steps taken by then and its return. Every end is an end, cut or not."""
    torch.manual_seed(setting.seed)
    envs = [make() for _ in range(setting.envs)]
    masks = [getattr(env.unwrapped, "action_masks", None) for env in envs]
    seen = np.stack([env.reset(seed=setting.seed + n)[0] for n, env in enumerate(envs)])
    actions = int(envs[0].action_space.n)  # type: ignore[attr-defined]  # a Discrete
    actor, critic = _tower(seen.shape[1], actions, 0.01), _tower(seen.shape[1], 1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=setting.learning_rate, eps=1e-5)
    updates = setting.total // (setting.envs * setting.steps)
    running, ended, done = np.zeros(setting.envs), list[tuple[int, float]](), torch.zeros(setting.envs)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = setting.learning_rate * (1 - update / updates)
        kept: list[tuple[torch.Tensor, ...]] = []
        for step in range(setting.steps):
            state = torch.tensor(seen, dtype=torch.float32)
            can = torch.tensor(np.stack([mask() if mask else np.ones(actions, bool) for mask in masks]))
            with torch.no_grad():
                chances = torch.distributions.Categorical(logits=actor(state).masked_fill(~can, -1e8))
                action = chances.sample()  # type: ignore[no-untyped-call]  # torch leaves it untyped
                value = critic(state)[:, 0]
            moves = [env.step(each) for env, each in zip(envs, action.numpy(), strict=True)]
            rewards = np.array([float(move[1]) for move in moves])
            over = np.array([move[2] or move[3] for move in moves])
            running += rewards
            taken = (update * setting.steps + step + 1) * setting.envs
            ended += [(taken, float(each)) for each in running[over]]
            running[over] = 0
            seen = np.stack([env.reset()[0] if o else m[0] for env, m, o in zip(envs, moves, over, strict=True)])
            said = chances.log_prob(action)  # type: ignore[no-untyped-call]  # torch leaves it untyped
            kept.append((state, can, action, said, value, torch.tensor(rewards, dtype=torch.float32), done))
            done = torch.tensor(over, dtype=torch.float32)
        states, cans, taken_actions, old, values, paid, dones = (torch.stack(each) for each in zip(*kept, strict=True))
        with torch.no_grad():
            following, carried = critic(torch.tensor(seen, dtype=torch.float32))[:, 0], torch.zeros(setting.envs)
            advantages = torch.zeros_like(paid)
            for t in reversed(range(setting.steps)):
                alive = 1 - (done if t == setting.steps - 1 else dones[t + 1])
                nextv = following if t == setting.steps - 1 else values[t + 1]
                carried = (
                    paid[t] + setting.gamma * nextv * alive - values[t] + setting.gamma * setting.lam * alive * carried
                )
                advantages[t] = carried
        flat = [each.flatten(0, 1) for each in (states, cans, taken_actions, old, advantages, advantages + values)]
        for _ in range(setting.epochs):
            shuffled = torch.randperm(len(flat[0]))
            for chosen in [shuffled[at : at + setting.batch] for at in range(0, len(shuffled), setting.batch)]:
                state, can, action, before, advantage, target = (each[chosen] for each in flat)
                chances = torch.distributions.Categorical(logits=actor(state).masked_fill(~can, -1e8))
                said = chances.log_prob(action)  # type: ignore[no-untyped-call]  # torch leaves it untyped
                ratio = (said - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(1 - setting.clip, 1 + setting.clip) * advantage).mean()
                miss = 0.5 * (critic(state)[:, 0] - target).pow(2).mean()
                entropy = chances.entropy().mean()  # type: ignore[no-untyped-call]  # torch leaves it untyped
                loss = 0.5 * miss - gain - setting.entropy * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
    return ended


def _tower(inputs: int, outputs: int, gain: float) -> nn.Sequential:
    layers = [nn.Linear(inputs, 64), nn.Linear(64, 64), nn.Linear(64, outputs)]
    for layer, size in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, size)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])
