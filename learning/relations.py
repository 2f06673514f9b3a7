"""How a page's elements stand to each other: in one line, one column, one in another, one the label of another."""

import torch
from torch import Tensor

from learning import arrays as f

RELATIONS = ("line", "column", "inside", "holds", "labels", "labelled", "group")
_BOX = len(f.STATES)  # column of the numbers at which x, y, width, height begin
_NAME, _LABEL, _GROUP = 0, 1, 2  # of an element's FIELDS


def relations(
    words: Tensor,  # (B, E, FIELDS, WORDS)
    numbers: Tensor,  # (B, E, at least len(STATES) + 4)
) -> Tensor:  # (B, E, E, len(RELATIONS)), 1 where the first stands so to the second
    """Every relation of every two elements; all of them hold whatever order the elements come in."""
    x, y, width, height = numbers[..., _BOX : _BOX + 4].unbind(-1)  # each (B, E)
    there = (width > 0) & (height > 0)
    placed = there[:, :, None] & there[:, None, :]
    line = _overlap(y, height) & placed
    column = _overlap(x, width) & placed
    inside = _within(x, width) & _within(y, height) & placed & ~(_within(x, width) & _within(y, height)).mT
    labels = _same(words[:, :, _NAME], words[:, :, _LABEL])
    group = _same(words[:, :, _GROUP], words[:, :, _GROUP])
    found = torch.stack([line, column, inside, inside.mT, labels, labels.mT, group], -1)
    return found.to(numbers.dtype)


def _overlap(start: Tensor, length: Tensor) -> Tensor:
    """(B, E), (B, E) -> (B, E, E) bool: more than half of the shorter one is beside the other."""
    end = start + length
    common = torch.minimum(end[:, :, None], end[:, None, :]) - torch.maximum(start[:, :, None], start[:, None, :])
    return common > 0.5 * torch.minimum(length[:, :, None], length[:, None, :])


def _within(start: Tensor, length: Tensor) -> Tensor:
    """(B, E), (B, E) -> (B, E, E) bool: the first lies within the second."""
    end = start + length
    return (start[:, :, None] >= start[:, None, :]) & (end[:, :, None] <= end[:, None, :])


def _same(one: Tensor, other: Tensor) -> Tensor:
    """(B, E, WORDS), (B, E, WORDS) -> (B, E, E) bool: the same words, at least one of them."""
    equal = (one[:, :, None] == other[:, None, :]).all(-1)
    return equal & (one[:, :, None] > 0).any(-1)
