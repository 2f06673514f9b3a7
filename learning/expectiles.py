"""The mathematics of learning from mixed data without trying anything: expectiles, advantage weights, returns; pure."""

from collections.abc import Sequence

import torch
from torch import Tensor


def expectile_loss(
    difference: Tensor,  # (B,) of what was reached, less what was expected
    *,
    expectile: float,  # 0.5 is the mean; towards 1 it is the best that the data hold
) -> Tensor:  # (B,)
    """Squared error that weighs being below what was reached by `expectile` and being above it by the rest."""
    weight = torch.where(difference > 0, expectile, 1.0 - expectile)
    return weight * difference.square()


def one_step_target(
    rewards: Tensor,  # (B,)
    next_values: Tensor,  # (B,) V of the state reached
    terminated: Tensor,  # (B,) bool: the task ended, no future to value
    *,
    gamma: float,
) -> Tensor:  # (B,)
    """What an action is worth: its reward, and what the state it led to is worth."""
    return rewards + gamma * next_values * (~terminated).to(rewards.dtype)


def advantage_weights(
    advantages: Tensor,  # (B,)
    *,
    sharpness: float,  # 0 imitates everything alike
    largest: float,
) -> Tensor:  # (B,)
    """How much each action is imitated: exp(sharpness * advantage), and never more than `largest`."""
    return (sharpness * advantages).exp().clamp(max=largest)


def returns(rewards: Sequence[float], *, gamma: float) -> list[float]:
    """Discounted sum of the rewards from each step to the end."""
    found: list[float] = []
    total = 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
        found.append(total)
    return found[::-1]
