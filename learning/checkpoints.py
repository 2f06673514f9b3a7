"""Checkpoints of a training: written whole or not at all, gone on from bit for bit, never unpickled."""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from learning import together

CHECKPOINT = "checkpoint.safetensors"
log = logging.getLogger(__name__)


class Dataclass(Protocol):
    """Any dataclass."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True)
class Resumed:
    """How far a training was when its checkpoint was written."""

    step: int = 0
    spent_s: float = 0.0
    more: Mapping[str, Any] = field(default_factory=dict)  # plain data that the training noted


class Checkpoint:
    """The one checkpoint of a training in its folder, for the recipe (a dataclass) that it was begun with."""

    def __init__(self, folder: Path, recipe: Dataclass) -> None:
        self._path = folder / CHECKPOINT
        self._recipe = json.loads(json.dumps(asdict(recipe)))  # as it will be read again: tuples are lists

    def keep(
        self,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        step: int,
        spent_s: float,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Write weights, the optimiser's moments and plain data, in place of what was there; the first learner's."""
        if not together.first():
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        state = {f"model.{name}": tensor for name, tensor in network.state_dict().items()}
        for index, moments in optimizer.state_dict()["state"].items():
            state |= {f"adam.{index}.{name}": torch.as_tensor(tensor) for name, tensor in moments.items()}
        meta = {"step": step, "spent_s": spent_s, "recipe": self._recipe, "more": dict(more or {})}
        partial = self._path.with_suffix(".partial")
        save_file(
            {name: tensor.detach().contiguous() for name, tensor in state.items()},
            partial,
            metadata={name: json.dumps(value) for name, value in meta.items()},
        )
        partial.replace(self._path)

    def resume(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> Resumed:
        """Load what was kept; a checkpoint of another recipe is none of this training. All take what the first has."""
        found = together.told(self._read(network, optimizer) if together.first() else None)
        assert found is not None
        together.alike(network, optimizer)
        if found.step:
            log.info("goes on from step %d, kept in %s", found.step, self._path)
        return found

    def _read(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> Resumed:
        if not self._path.is_file():
            return Resumed()
        meta = {name: json.loads(value) for name, value in _metadata(self._path).items()}
        if meta["recipe"] != self._recipe:
            return Resumed()
        state = load_file(self._path)
        network.load_state_dict({n.removeprefix("model."): t for n, t in state.items() if n.startswith("model.")})
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in state.items():
            if name.startswith("adam."):
                _, index, what = name.split(".")
                moments.setdefault(int(index), {})[what] = tensor
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        return Resumed(int(meta["step"]), float(meta["spent_s"]), meta["more"])


class Best:
    """The weights that did best in trials on fixed validation tasks."""

    def __init__(self, folder: Path, trials: Sequence[float] = ()) -> None:
        self._path = folder / "best.safetensors"
        self.trials = list(trials)

    @property
    def value(self) -> float:
        """Of the best trial; -inf before the first."""
        return max(self.trials, default=-math.inf)

    def tried(self, network: nn.Module, value: float) -> float:
        """Note a trial, and keep the weights where it was the best so far."""
        if value > self.value:
            partial = self._path.with_suffix(".partial")
            partial.parent.mkdir(parents=True, exist_ok=True)
            save_file({name: each.detach().contiguous() for name, each in network.state_dict().items()}, partial)
            partial.replace(self._path)
        self.trials.append(value)
        return value

    def stale(self, patience: int) -> bool:
        """Whether the last `patience` trials were no better than one before them."""
        return len(self.trials) > patience and max(self.trials[-patience:]) <= max(self.trials[:-patience])

    def restore(self, network: nn.Module) -> None:
        """Put the best weights back; nothing where nothing was tried."""
        if self.trials:
            network.load_state_dict(load_file(self._path))


def kept_step(folder: Path) -> int:
    """The step of the checkpoint in a folder, whatever its recipe; 0 where there is none."""
    path = folder / CHECKPOINT
    return int(json.loads(_metadata(path)["step"])) if path.is_file() else 0


def _metadata(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        return dict(json.loads(file.read(size))["__metadata__"])
