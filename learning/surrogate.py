"""PPO's losses and its leash, as pure functions of log-probabilities and values; learning.ppo says where from."""

import torch
from torch import Tensor


def clipped(
    log_prob: Tensor,  # (B,)
    played: Tensor,  # (B,) log-probability with which it was played
    advantage: Tensor,  # (B,)
    clip: float,
) -> Tensor:  # (B,) loss
    """The clipped surrogate: nothing is gained by going further from what was played than `clip`."""
    ratio = (log_prob - played).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)


def squared(
    value: Tensor,  # (B,)
    before: Tensor,  # (B,) what the critic said when it was played
    returns: Tensor,  # (B,)
    scale: Tensor,  # (B,) deviation of the environment's returns
    clip: float,
) -> Tensor:  # (B,) loss
    """Half the squared error in deviations; with `clip`, the worse of it and of the one moved at most that far."""
    error = (value - returns) / scale
    if clip <= 0:
        return 0.5 * error**2
    kept = (before + ((value - before) / scale).clamp(-clip, clip) * scale - returns) / scale
    return 0.5 * torch.maximum(error**2, kept**2)


def divergence(
    log_prob: Tensor,  # (B,)
    other: Tensor,  # (B,) of the same decisions by another policy
) -> Tensor:  # (B,) >= 0
    """Unbiased estimate of the KL of this policy from the other on decisions of this one: (r - 1) - log r."""
    log_ratio = other - log_prob
    return log_ratio.exp() - 1 - log_ratio


def pulled(weight: float, found: float, target: float) -> float:
    """The leash's next weight: harder where the KL is far above its target, softer where it is far below."""
    if found > 1.5 * target:
        return min(weight * 2, 100.0)
    if found < target / 1.5:
        return max(weight / 2, 1e-3)
    return weight
