"""The decisions that a learner takes batches of: tensors of one shape, or pages of any size put together by length."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Named: TypeAlias = dict[str, Tensor]
Lengths: TypeAlias = NDArray[np.int64]


class Rows(Protocol):
    """N decisions: what was seen, and what was done."""

    @property
    def lengths(self) -> Lengths:
        """(N,) how long each is when it stands in a batch; all alike where nothing is padded."""
        ...

    def take(self, chosen: Lengths) -> tuple[Named, Named]:
        """(B,) indices -> inputs and actions of a batch, each (B, ...)."""
        ...


@dataclass(frozen=True)
class Stacked:
    """Decisions whose inputs have one shape."""

    inputs: Mapping[str, Tensor]  # each (N, ...)
    actions: Mapping[str, Tensor]  # each (N,)

    @property
    def lengths(self) -> Lengths:
        """All alike."""
        return np.zeros(len(next(iter(self.actions.values()))), np.int64)

    def take(self, chosen: Lengths) -> tuple[Named, Named]:
        """See Rows."""
        at = torch.from_numpy(chosen)
        return {n: each[at] for n, each in self.inputs.items()}, {n: each[at] for n, each in self.actions.items()}


def bucketed(lengths: Lengths, size: int, rng: np.random.Generator) -> Iterator[Lengths]:
    """Every index once, in batches of `size` or a little more, of like lengths, in random order.

    Which of equally long rows meet in a batch changes with every pass; a rest too small for a batch joins its
    neighbour, so that no step is taken on a handful of rows.
    """
    shuffled = rng.permutation(len(lengths))
    ordered = shuffled[np.argsort(lengths[shuffled], kind="stable")]
    parts = np.array_split(ordered, max(1, len(ordered) // size))
    for at in rng.permutation(len(parts)):
        yield parts[at]


def pieces(lengths: Lengths, chosen: Lengths, *, most: int) -> list[Lengths]:
    """A batch in pieces that a processor's cache holds: rows of like length, none wider than `most` when padded.

    Gradients of pieces, each weighed by its rows, add up to the gradient of the batch.
    """
    ordered = chosen[np.argsort(lengths[chosen], kind="stable")]
    found, first = [], 0
    for at in range(1, len(ordered) + 1):
        if at == len(ordered) or (at + 1 - first) * int(lengths[ordered[at]]) > most:
            found.append(ordered[first:at])
            first = at
    return found
