"""What a training is asked for, and what comes of it; no torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

# Cloning with corrections; the same after mid-training; learning from good and bad by rewards; a smaller student.
Kind: TypeAlias = Literal["bc", "midtrain", "offline", "distill"]


class ImproveRequest(Struct, frozen=True):
    """What a training is asked for. `work` keeps checkpoints; the same request goes on from there."""

    parent: Path | None  # a policy's folder; None = from nothing. Of a distillation the teacher
    trajectories: Sequence[Path]  # packed files of the dataset version
    out: Path
    work: Path
    seed: int
    budget_s: float
    lineage: dict[str, Any]
    practice_s: float = 0.0  # after that, for PPO in the worlds that can be played without a browser; 0 = none
    kind: Kind = "bc"
    rejected: Sequence[Path] = ()  # packed files of what people judged bad, for the kinds that learn from these too
    share: float = 0.25  # of its teacher's parameters, that a student may have


class Improved(Struct, frozen=True):
    """A policy's folder that was written, and what is known of it."""

    folder: Path
    evaluation: dict[str, Any]
    card: str
    spec: dict[str, Any]
    held_out_accuracy: float
