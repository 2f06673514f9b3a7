"""A memory for worlds whose screens forget: a gated recurrent unit over time that begins anew with each episode."""

import torch
from torch import Tensor, nn


class Recall(nn.Module):
    """Carries what was read over the steps of an episode, beside what is read now."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.cell = nn.GRUCell(inputs, width)

    def nothing(self, batch: int) -> Tensor:
        """(B, width): the memory before anything was read."""
        return torch.zeros(batch, self.width, device=self.cell.weight_ih.device, dtype=self.cell.weight_ih.dtype)

    def step(self, read: Tensor, memory: Tensor, begins: Tensor) -> Tensor:
        """(B, inputs), (B, width), (B,) bool -> (B, width): one step; where an episode begins, memory is forgotten."""
        kept = memory * (~begins)[:, None].to(memory.dtype)
        return self.cell(read, kept)  # type: ignore[no-any-return]  # Module.__call__ is Any

    def forward(self, read: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
        """(T, B, inputs), (B, width), (T, B) bool -> (T, B, width) after each step, and the last of them.

        A segment may hold ends of episodes: what follows one is read without what came before it.
        """
        found = []
        for now, begin in zip(read, begins, strict=True):
            memory = self.step(now, memory, begin)
            found.append(memory)
        return torch.stack(found), memory
