"""How much better than expected an action turned out: generalised advantage estimation, ends told apart from cuts."""

import numpy as np
import torch
from torch import Tensor


def gae(
    rewards: Tensor,  # (T, B)
    values: Tensor,  # (T, B) V of the state acted in
    next_values: Tensor,  # (T, B) V of the state reached, before any reset
    terminated: Tensor,  # (T, B) bool: the task ended, no future to value
    truncated: Tensor,  # (T, B) bool: we stopped watching, so there is one
    *,
    gamma: float,
    lam: float,
) -> Tensor:  # (T, B) float32
    """Advantages of every step. The last row counts as cut short: what comes after it is worth `next_values`.

    Schulman et al. 2016, equation 16; a truncated step is valued on, but carries nothing over from the next episode.
    """
    alive = ~terminated.numpy()
    goes_on = alive & ~truncated.numpy()
    surprise = rewards.double().numpy() + gamma * next_values.double().numpy() * alive - values.double().numpy()
    carried = np.zeros_like(surprise[0])
    advantages = np.empty_like(surprise)
    for t in range(len(surprise) - 1, -1, -1):
        carried = surprise[t] + gamma * lam * goes_on[t] * carried
        advantages[t] = carried
    return torch.from_numpy(advantages).float()


def successors(
    values: Tensor,  # (T, B) V of the state acted in
    last_values: Tensor,  # (B,) V of the state after the last row
    cut: dict[tuple[int, int], float],  # (row, column) of a truncated step -> V of the state it was cut in
) -> Tensor:  # (T, B)
    """V of the states reached: the next row's, but where an episode was cut the value of the state it was cut in."""
    following = torch.cat([values[1:], last_values[None]])
    for (row, column), value in cut.items():
        following[row, column] = value
    return following


def standardised(advantages: Tensor) -> Tensor:
    """Mean 0 and deviation 1, of the same shape; all 0 where there is no difference."""
    if advantages.numel() < 2:
        return torch.zeros_like(advantages)
    return (advantages - advantages.mean()) / advantages.std().clamp(min=1e-8)


def explained(values: Tensor, returns: Tensor) -> float:
    """Share of the variance of returns that the values account for: 1 = all of it, 0 = none, below 0 = worse."""
    variance = returns.var(correction=0)
    if variance < 1e-12:
        return 0.0
    return float(1 - (returns - values).var(correction=0) / variance)
