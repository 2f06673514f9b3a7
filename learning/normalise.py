"""Returns of every environment in units of their own, and PopArt: a critic whose outputs are kept when these move."""

import torch
from torch import Tensor, nn

SMALLEST = 1e-2  # no scale is smaller: rewards of an environment that never varies are not blown up
LARGEST = 1e6


class Scale(nn.Module):
    """Running mean and deviation of the returns of each environment."""

    mean: Tensor
    square: Tensor
    weight_seen: Tensor

    def __init__(self, environments: int = 1, *, rate: float = 0.05) -> None:
        super().__init__()
        self.rate = rate
        self.register_buffer("mean", torch.zeros(environments))
        self.register_buffer("square", torch.ones(environments))
        self.register_buffer("weight_seen", torch.zeros(environments))  # of the running means, to take their bias out

    def scale(self) -> Tensor:
        """(environments,) deviation of the returns."""
        return (self.square - self.mean**2).clamp(min=SMALLEST**2, max=LARGEST**2).sqrt()

    @torch.no_grad()
    def observe(
        self,
        returns: Tensor,  # (N,)
        environment: Tensor,  # (N,)
    ) -> None:
        """Move mean and deviation towards these returns."""
        for index in sorted({*environment.tolist()}):
            here = returns[environment == index]
            self.weight_seen[index] += self.rate * (1 - self.weight_seen[index])
            rate = self.rate / float(self.weight_seen[index])  # 1 at first: no bias towards the first guess
            self.mean[index] += rate * (here.mean() - self.mean[index])
            self.square[index] += rate * ((here**2).mean() - self.square[index])


class PopArt(Scale):
    """One linear output for each environment, which learns returns in units of their own mean and deviation.

    van Hasselt et al. 2016 (arXiv:1602.07714) and, for many tasks, Hessel et al. 2018 (arXiv:1809.04474).
    """

    def __init__(self, width: int, environments: int = 1, *, rate: float = 0.05) -> None:
        super().__init__(environments, rate=rate)
        self.linear = nn.Linear(width, environments)
        nn.init.orthogonal_(self.linear.weight, 1.0)
        nn.init.zeros_(self.linear.bias)

    def forward(self, state: Tensor, environment: Tensor) -> Tensor:
        """(B, width), (B,) -> (B,) values in the environment's own units."""
        output = self.linear(state).gather(1, environment[:, None])[:, 0]
        return output * self.scale()[environment] + self.mean[environment]  # type: ignore[no-any-return]  # nn.Module is Any

    @torch.no_grad()
    def observe(self, returns: Tensor, environment: Tensor) -> None:
        """See Scale; what the network says of any state stays as it is."""
        old_scale, old_mean = self.scale(), self.mean.clone()
        super().observe(returns, environment)
        scale = self.scale()
        self.linear.weight *= (old_scale / scale)[:, None]
        self.linear.bias.copy_((old_scale * self.linear.bias + old_mean - self.mean) / scale)
