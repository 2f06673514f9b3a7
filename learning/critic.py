"""A critic that says how likely each size of return is, learnt as a classification, instead of one number."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


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


class Binned(nn.Module):
    """A critic's head: features to bins."""

    at: Tensor

    def __init__(self, width: int, *, low: float = 0.0, high: float = 1.0, bins: int = 21) -> None:
        super().__init__()
        self.score = nn.Linear(width, bins)
        self.register_buffer("at", centres(low, high, bins))

    def forward(self, features: Tensor) -> Tensor:
        """(B, width) -> (B, bins) logits."""
        return self.score(features)  # type: ignore[no-any-return]  # Module.__call__ is Any

    def value(self, features: Tensor) -> Tensor:
        """(B, width) -> (B,) expected return."""
        return expected(self(features), self.at)

    def loss(self, features: Tensor, returns: Tensor) -> Tensor:
        """(B, width), (B,) -> (B,)"""
        return nll(self(features), returns, self.at)
