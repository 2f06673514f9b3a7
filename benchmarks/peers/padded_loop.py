"""PPO's update as a plain loop over minibatches of a padded rollout buffer, in the way of CleanRL."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from learning.ppo import ActorCritic, Judged


def update(
    network: ActorCritic,
    inputs: Mapping[str, Tensor],  # each (N, ...), padded
    actions: Mapping[str, Tensor],  # each (N,)
    told: Mapping[str, Tensor],  # log_prob, advantage, returns; each (N,)
    *,
    epochs: int,
    batch: int,
    seed: int,
) -> int:
    """Epochs of shuffled minibatches; steps of descent."""
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-4, eps=1e-5)
    rng, steps = np.random.default_rng(seed), 0
    for _ in range(epochs):
        shuffled = torch.from_numpy(rng.permutation(len(told["log_prob"])))
        for start in range(0, len(shuffled), batch):
            at = shuffled[start : start + batch]
            said: Judged = network(
                {name: each[at] for name, each in inputs.items()}, {name: each[at] for name, each in actions.items()}
            )
            ratio = (said.log_prob - told["log_prob"][at]).exp()
            advantage = told["advantage"][at]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy = torch.max(-advantage * ratio, -advantage * ratio.clamp(0.92, 1.08)).mean()
            value = 0.5 * (said.value - told["returns"][at]).pow(2).mean()
            loss = policy - 0.003 * said.entropy.mean() + 0.5 * value
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            steps += 1
    return steps
