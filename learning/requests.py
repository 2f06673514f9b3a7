"""What a training is asked for, and what comes of it; no torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct


class ImproveRequest(Struct, frozen=True):
    """What a training is asked for. `work` keeps checkpoints; the same request goes on from there."""

    parent: Path | None  # a policy's folder; None = from nothing
    trajectories: Sequence[Path]  # packed files of the dataset version
    out: Path
    work: Path
    seed: int
    budget_s: float
    lineage: dict[str, Any]
    practice_s: float = 0.0  # after that, for PPO in the worlds that can be played without a browser; 0 = none


class Improved(Struct, frozen=True):
    """A policy's folder that was written, and what is known of it."""

    folder: Path
    evaluation: dict[str, Any]
    card: str
    spec: dict[str, Any]
    held_out_accuracy: float
