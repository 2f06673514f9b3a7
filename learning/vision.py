"""What a page looks like: patches of a screenshot, which elements attend to where they stand; and its augmentation."""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

Pictures = NDArray[np.uint8]  # (B, H, W, 3) RGB


class Bend(nn.Module):
    """Two 3 x 3 convolutions beside a shortcut, as in ResNet-18; halves the picture where `stride` is 2."""

    def __init__(self, inside: int, outside: int, *, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False)
        self.second = nn.Conv2d(outside, outside, 3, padding=1, bias=False)
        self.norm_first, self.norm_second = nn.GroupNorm(4, outside), nn.GroupNorm(4, outside)
        same = inside == outside and stride == 1
        self.short = nn.Identity() if same else nn.Conv2d(inside, outside, 1, stride=stride, bias=False)

    def forward(self, picture: Tensor) -> Tensor:
        """(B, inside, H, W) -> (B, outside, H / stride, W / stride)."""
        bent = functional.gelu(self.norm_first(self.first(picture)))
        bent = self.norm_second(self.second(bent))
        return functional.gelu(bent + self.short(picture))


class Eye(nn.Module):
    """A small residual network over a screenshot, and cross-attention from elements to its patches.

    An element attends to every patch; a learnt bias, by how far a patch lies from its box, draws it to its own place.
    """

    def __init__(self, width: int, *, heads: int = 4, channels: int = 16) -> None:
        super().__init__()
        self.heads = heads
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.bends = nn.Sequential(
            Bend(channels, channels, stride=2),
            Bend(channels, 2 * channels, stride=2),
            Bend(2 * channels, width, stride=2),
        )
        self.query, self.norm = nn.Linear(width, width), nn.LayerNorm(width)
        self.pair = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.near = nn.Parameter(torch.linspace(1.0, 8.0, heads))  # how strongly each head keeps to the box

    def forward(self, pictures: Tensor, elements: Tensor, boxes: Tensor) -> Tensor:
        """(B, 3, H, W) in [0, 1], (B, E, d), (B, E, 4) x, y, width, height as shares of the picture -> (B, E, d)."""
        patches = self.bends(functional.gelu(self.stem(pictures - 0.5)))  # (B, d, h, w)
        batch, width, rows, columns = patches.shape
        tokens = patches.flatten(2).transpose(1, 2)  # (B, h * w, d)
        key, value = self.pair(tokens).view(batch, -1, 2, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        query = self.query(self.norm(elements)).view(batch, -1, self.heads, width // self.heads).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)  # (B, heads, E, h * w)
        far = distances(boxes, rows, columns)  # (B, E, h * w)
        scores = scores - functional.softplus(self.near)[None, :, None, None] * far[:, None]
        seen = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, -1, width)
        return self.out(seen)  # type: ignore[no-any-return]  # Module.__call__ is Any


def distances(boxes: Tensor, rows: int, columns: int) -> Tensor:
    """How many patches the middle of each patch lies outside of each box. (B, E, 4) shares -> (B, E, rows * columns)"""
    y = (torch.arange(rows, device=boxes.device) + 0.5) / rows
    x = (torch.arange(columns, device=boxes.device) + 0.5) / columns
    left, top, width, height = boxes.unbind(-1)
    dx = torch.clamp(torch.maximum(left[..., None] - x, x - (left + width)[..., None]), min=0.0) * columns
    dy = torch.clamp(torch.maximum(top[..., None] - y, y - (top + height)[..., None]), min=0.0) * rows
    return (dx[..., None, :] + dy[..., :, None]).flatten(-2)


def augmented(
    pictures: Pictures,  # (B, H, W, 3)
    boxes: NDArray[np.float32],  # (B, E, 4) shares of the picture
    rng: np.random.Generator,
    *,
    crop: float = 0.1,  # of each side, at most
    colour: float = 0.1,
    noise: float = 0.02,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The same pages seen a little otherwise: cut at the edges, tinted, grainy; boxes move with the cut.

    Returns (B, 3, H, W) in [0, 1] and (B, E, 4).
    """
    count, height, width, _ = pictures.shape
    found = np.empty((count, 3, height, width), np.float32)
    moved = np.empty_like(boxes)
    for row in range(count):
        left, right = (int(rng.uniform(0, crop) * width) for _ in range(2))
        top, bottom = (int(rng.uniform(0, crop) * height) for _ in range(2))
        kept_width, kept_height = width - left - right, height - top - bottom
        across = left + (np.arange(width) * kept_width) // width
        down = top + (np.arange(height) * kept_height) // height
        found[row] = pictures[row][down][:, across].transpose(2, 0, 1) / 255
        scale = np.array([width / kept_width, height / kept_height], np.float32)
        moved[row, :, :2] = (boxes[row, :, :2] - np.array([left / width, top / height], np.float32)) * scale
        moved[row, :, 2:] = boxes[row, :, 2:] * scale
    tint = rng.normal(1.0, colour, (count, 3, 1, 1))
    grain = rng.normal(0.0, noise, found.shape)
    return np.clip(found * tint + grain, 0.0, 1.0).astype(np.float32), moved


def plain(pictures: Pictures) -> NDArray[np.float32]:
    """Pictures as they are. (B, H, W, 3) -> (B, 3, H, W) in [0, 1]"""
    return np.asarray(pictures.transpose(0, 3, 1, 2) / 255, np.float32)
