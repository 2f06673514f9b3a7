"""A critic that says how likely each size of return is, learnt as a classification, instead of one number.

The loss with a bell for a target: Imani and White 2018 (arXiv:1806.04613), as used for critics by Farebrother et al.
2024 (arXiv:2403.03950).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from learning.normalise import PopArt, Scale

REACH = 5.0  # deviations: hardly a return lies beyond


def centres(low: float, high: float, bins: int) -> Tensor:
    """(bins,) the returns that the bins stand for, evenly from low to high."""
    return torch.linspace(low, high, bins)


def spread(returns: Tensor, at: Tensor, *, blur: float = 0.75) -> Tensor:
    """Each return as a bell over the bins, `blur` bins wide: near bins are near misses. (B,), (bins,) -> (B, bins)

    The bell is cut at the outermost bins, so that what lies beyond them counts as the nearest.
    """
    step = at[1] - at[0]
    edges = torch.cat([at - step / 2, at[-1:] + step / 2])
    inside = returns.clamp(float(at[0]), float(at[-1]))
    below = 0.5 * (1 + torch.erf((edges[None] - inside[:, None]) / (blur * step * math.sqrt(2))))  # (B, bins + 1)
    mass = below[:, 1:] - below[:, :-1]
    return mass / mass.sum(-1, keepdim=True)


def nll(logits: Tensor, returns: Tensor, at: Tensor) -> Tensor:
    """Cross-entropy of the bins' logits (B, bins) against the returns (B,). (B,)"""
    return -(spread(returns, at) * functional.log_softmax(logits, -1)).sum(-1)


def expected(logits: Tensor, at: Tensor) -> Tensor:
    """The mean return that logits (B, bins) speak of. (B,)"""
    return (logits.softmax(-1) * at).sum(-1)


class Binned(Scale):
    """A critic's head that says of each of `bins` sizes of return how likely it is, for each environment.

    Sizes are in deviations from the mean of the environment's returns, `REACH` of them to both sides.
    """

    at: Tensor

    def __init__(self, width: int, environments: int = 1, *, bins: int = 21, rate: float = 0.05) -> None:
        super().__init__(environments, rate=rate)
        self.linear = nn.Linear(width, environments * bins)
        self.register_buffer("at", centres(-REACH, REACH, bins))

    def logits(self, state: Tensor, environment: Tensor) -> Tensor:
        """(B, width), (B,) -> (B, bins)."""
        every = self.linear(state).unflatten(1, (-1, len(self.at)))
        found: Tensor = every[torch.arange(len(state), device=state.device), environment]
        return found

    def forward(self, state: Tensor, environment: Tensor) -> Tensor:
        """(B, width), (B,) -> (B,) mean returns."""
        return self.value(self.logits(state, environment), environment)

    def value(self, logits: Tensor, environment: Tensor) -> Tensor:
        """(B, bins), (B,) -> (B,) mean returns."""
        return expected(logits, self.at) * self.scale()[environment] + self.mean[environment]

    def loss(self, logits: Tensor, returns: Tensor, environment: Tensor) -> Tensor:
        """(B, bins), (B,), (B,) -> (B,)"""
        return nll(logits, (returns - self.mean[environment]) / self.scale()[environment], self.at)


def critic_of(width: int, environments: int = 1, *, bins: int = 0) -> PopArt | Binned:
    """A critic by classification into so many bins, or one of a single number where they are 0."""
    return Binned(width, environments, bins=bins) if bins else PopArt(width, environments)


def judged(critic: PopArt | Binned, state: Tensor, environment: Tensor) -> tuple[Tensor, Tensor | None]:
    """(B,) what the critic says of states (B, width), and its logits (B, bins) where it says it by classification."""
    if isinstance(critic, PopArt):
        value: Tensor = critic(state, environment)
        return value, None
    logits = critic.logits(state, environment)
    return critic.value(logits, environment), logits
