"""The parts of the network that read matches and words, for learning: most pairs of page and goal match in nothing."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def read(vectors: Tensor, words: Tensor) -> Tensor:
    """(V, w), (..., W) -> (..., w): the sum of the vectors of some words; 0 is none."""
    flat = words.reshape(-1, words.shape[-1])
    found = functional.embedding_bag(flat, vectors, mode="sum", padding_idx=0)
    return found.reshape(*words.shape[:-1], vectors.shape[1])


def linear(weight: Tensor, pairs: Tensor) -> Tensor:
    """(h, P), (B, X, G, P) -> (B, X, G, h) of pairs, of which those that match in nothing give nothing."""
    at = _matching(pairs)
    found = torch.zeros(*pairs.shape[:3], len(weight), dtype=weight.dtype, device=pairs.device)
    return found.index_put(at, pairs[at] @ weight.T)


def scored(scorer: nn.Module, pairs: Tensor) -> Tensor:
    """(B, X, G, P) -> (B, X, G): the scorer's one number, asked once for all pairs that match in nothing."""
    at = _matching(pairs)
    nothing: Tensor = scorer(torch.zeros_like(pairs[:1, 0, 0]))[0, 0]
    more = scorer(pairs[at])[:, 0] - nothing
    return nothing.expand(pairs.shape[:3]).index_put(at, more, accumulate=True)


def gated(
    gate: nn.Linear,
    said: Tensor,  # (B, G, d) what each goal token says
    pairs: Tensor,  # (B, X, G, P)
    there: Tensor,  # (B, G) bool
) -> Tensor:  # (B, X, d)
    """The sum over goal tokens of gelu(gate(pair) * said): worked out by token, then mended where a pair matches."""
    batch, things = pairs.shape[:2]
    known = there[..., None].to(pairs.dtype)
    plain = functional.gelu(gate.bias * known * said)  # (B, G, d) of a pair that matches in nothing
    row, thing, token = _matching(pairs * known[:, None])
    matched = functional.gelu(gate(pairs[row, thing, token]) * said[row, token]) - plain[row, token]
    total = plain.sum(1)[:, None].expand(-1, things, -1).reshape(batch * things, -1)
    return total.index_add(0, row * things + thing, matched).reshape(batch, things, -1)


def _matching(pairs: Tensor) -> tuple[Tensor, ...]:
    """Where a pair matches in something: rows, things and tokens, (n,) each."""
    return (pairs != 0).any(-1).nonzero(as_tuple=True)
