"""What a training was begun with: a checkpoint is gone on from by the very same training, and by no other."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from torch import nn

from learning.checkpoints import Dataclass

NAMES = {"trajectory", "template"}  # of samples: what learns does not see them


@dataclass(frozen=True)
class Begun:
    """The recipe, and hashes of the first weights (of every network at hand) and of all that is learnt from."""

    recipe: Dataclass
    weights: str
    data: str

    @classmethod
    def of(cls, recipe: Dataclass, networks: Iterable[nn.Module], data: Iterable[object]) -> "Begun":
        """`data`: arrays, and dataclasses and sequences of them. Call it before anything is learnt or resumed."""
        return cls(recipe, hashed(each.state_dict() for each in networks), hashed(data))


def hashed(values: Iterable[Any]) -> str:
    """One hash of tensors, arrays and plain data, however they are nested; their order counts."""
    found = hashlib.sha256()
    for each in values:
        _feed(found, each)
    return found.hexdigest()


def _feed(found: "hashlib._Hash", value: Any) -> None:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value):
        found.update(type(value).__name__.encode())
        for each in fields(value):
            if each.name not in NAMES:
                _feed(found, getattr(value, each.name))
    elif isinstance(value, dict):
        for name, each in value.items():
            found.update(name.encode())
            _feed(found, each)
    elif isinstance(value, list | tuple):
        found.update(f"{len(value)}".encode())
        for each in value:
            _feed(found, each)
    else:
        found.update(repr(value).encode())
