"""Losses as pure functions of tensors."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from learning.arrays import KINDS


class Diverged(RuntimeError):
    """A training has left the finite numbers: nothing that comes of it can be used."""


def finite(values: Mapping[str, float], *, step: int) -> dict[str, float]:
    """The same numbers of one step. Raises Diverged, which names the first that is none."""
    for name, value in values.items():
        if not math.isfinite(value):
            raise Diverged(
                f"the training diverged at step {step}: {name} is {value}. "
                "Train again with another seed or a smaller learning rate, and look for damaged trajectories."
            )
    return dict(values)


def pointing(
    logits: Tensor,  # (B, X)
    right: Tensor,  # (B, X) bool: every entry that comes to the right action
) -> Tensor:  # (B,)
    """-log of the probability that falls on the right entries together; 0 where a row has none."""
    any_right = right.any(-1)
    safe = right | ~any_right[:, None]  # rows without a target: log of 1
    chosen = logits.masked_fill(~safe, float("-inf")).logsumexp(-1)
    return logits.logsumexp(-1) - chosen


def sourcing(
    logits: Tensor,  # (B, E, G) which goal token is typed, for each element
    elements: Tensor,  # (B, E) bool: the element typed into
    right: Tensor,  # (B, G) bool
) -> Tensor:  # (B,)
    """Pointing loss of the goal token, read at the element that is typed into; 0 where nothing is typed."""
    weight = elements.to(logits.dtype)
    at_element = (logits * weight[..., None]).sum(1) / weight.sum(1).clamp(min=1.0)[:, None]
    return pointing(at_element, right)


def action_nll(outputs: Mapping[str, Tensor], labels: Mapping[str, Tensor]) -> Tensor:
    """-log p of the right action: the product along the heads that have a say in it. (B,)"""
    kind = labels["kind"]  # (B,)
    loss = functional.cross_entropy(outputs["kind"], kind, reduction="none")
    for name in ("click", "type", "answer"):
        said = (kind == KINDS.index(name))[:, None]
        loss = loss + pointing(outputs[name], labels["elements"] & said)
    typed = (kind == KINDS.index("type"))[:, None]
    loss = loss + sourcing(outputs["source"], labels["elements"] & typed, labels["sources"] & typed)
    loss = loss + pointing(outputs["option"], labels["options"])
    for name in ("key", "direction"):
        loss = loss + functional.cross_entropy(outputs[name], labels[name], reduction="none", ignore_index=-1)
    return loss


def change_nll(
    logits: Tensor,  # (B, E, C) what would change on the page if this element were used
    elements: Tensor,  # (B, E) bool: the element used
    changed: Tensor,  # (B, C) 0 or 1; negative where nobody saw what came of it
) -> Tensor:  # (B,)
    """Binary cross-entropy of what the action did to the page; 0 where nothing is known."""
    weight = elements.to(logits.dtype)
    used = weight.sum(1) > 0
    at_element = (logits * weight[..., None]).sum(1) / weight.sum(1).clamp(min=1.0)[:, None]
    known = ((changed >= 0) & used[:, None]).to(logits.dtype)
    each = functional.binary_cross_entropy_with_logits(at_element, changed.clamp(min=0.0), reduction="none")
    return (each * known).sum(1)


def success_nll(
    logits: Tensor,  # (B,)
    succeeded: Tensor,  # (B,) 0 or 1; negative where no verifier spoke
) -> Tensor:  # (B,)
    """Binary cross-entropy of how the task ended."""
    each = functional.binary_cross_entropy_with_logits(logits, succeeded.clamp(min=0.0), reduction="none")
    return each * (succeeded >= 0).to(logits.dtype)


def weighted_mean(each: Tensor, weights: Tensor, *, total: Tensor | None = None) -> Tensor:
    """Mean of (B,) losses by (B,) weights; `total` where they are a part of a batch whose weights sum to that."""
    total = weights.sum() if total is None else total
    return (each * weights).sum() / total.clamp(min=torch.finfo(each.dtype).tiny)
