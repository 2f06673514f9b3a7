"""One flat list of every action with its arguments, instead of kind, then element, then text: for comparison."""

from collections.abc import Mapping

import torch
from torch import Tensor

from learning.arrays import KINDS
from learning.losses import pointing

# What follows a kind, in the order of the flat list: the head, its labels and the kinds that take it.
_POINTED = (("click", "elements"), ("answer", "elements"))
_LISTED = (("option", "options", "select"), ("key", "key", "press"), ("direction", "direction", "scroll"))
_BARE = ("wait", "finish", "give_up")


def logits(outputs: Mapping[str, Tensor]) -> Tensor:
    """(B, N) one score for each action: that of its kind and of its arguments added; nothing is normalised between.

    N = 2 E (click, answer) + E G (type) + O + keys + directions + 3.
    """
    kind = outputs["kind"]  # (B, KINDS)

    def of(name: str) -> Tensor:
        return kind[:, KINDS.index(name), None]

    typed = (outputs["type"][:, :, None] + outputs["source"]).flatten(1)  # (B, E * G)
    parts = [outputs[name] + of(name) for name, _ in _POINTED]
    parts += [typed + of("type")]
    parts += [outputs[head] + of(name) for head, _, name in _LISTED]
    parts += [of(name) for name in _BARE]
    return torch.cat(parts, 1)


def right(labels: Mapping[str, Tensor], outputs: Mapping[str, Tensor]) -> Tensor:
    """(B, N) bool: every entry of the flat list that comes to the right action."""
    kind = labels["kind"]

    def said(name: str) -> Tensor:
        return (kind == KINDS.index(name))[:, None]

    typed = (labels["elements"][:, :, None] & labels["sources"][:, None]).flatten(1)
    parts = [labels[of] & said(name) for name, of in _POINTED]
    parts += [typed & said("type")]
    for head, of, name in _LISTED:
        wanted = labels[of]
        if wanted.dim() == 1:  # an index, not a mask
            wanted = torch.arange(outputs[head].shape[1], device=kind.device)[None] == wanted[:, None]
        parts.append(wanted & said(name))
    parts += [said(name) for name in _BARE]
    return torch.cat(parts, 1)


def action_nll(outputs: Mapping[str, Tensor], labels: Mapping[str, Tensor]) -> Tensor:
    """-log of the probability that falls on the right action, of all there are. (B,)"""
    return pointing(logits(outputs), right(labels, outputs))
