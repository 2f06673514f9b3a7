"""Checkpoints of a training: written whole or not at all, gone on from bit for bit, never unpickled."""

import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from learning import together

CHECKPOINT = "checkpoint.safetensors"
log = logging.getLogger(__name__)


class Damaged(ValueError):
    """A file holds no checkpoint that can be read, or one of another network."""


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
        self._recipe = _plain(recipe)

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
        _put(state, self._path, meta)

    def resume(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> Resumed:
        """Load what was kept; a checkpoint of another recipe is none of this training, nor is a damaged one.

        All take what the first has.
        """
        found = together.told(self._read(network, optimizer) if together.first() else None)
        assert found is not None
        together.alike(network, optimizer)
        if found.step:
            log.info("goes on from step %d, kept in %s", found.step, self._path)
        return found

    def _read(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> Resumed:
        if not self._path.is_file():
            return Resumed()
        try:
            meta = _metadata(self._path)
            if meta["recipe"] != self._recipe:
                return Resumed()
            state = _tensors(self._path)
            weights = {n.removeprefix("model."): t for n, t in state.items() if n.startswith("model.")}
            if _shapes(weights) != _shapes(network.state_dict()):
                raise Damaged(f"{self._path} is of another network")
        except Damaged as problem:
            log.warning("the training begins anew: %s", problem)
            return Resumed()
        network.load_state_dict(weights)
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in state.items():
            if name.startswith("adam."):
                _, index, what = name.split(".")
                moments.setdefault(int(index), {})[what] = tensor
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        return Resumed(int(meta["step"]), float(meta["spent_s"]), meta["more"])


class Trial(NamedTuple):
    """One trial on fixed validation tasks."""

    step: int
    value: float


class Best:
    """The weights that did best in trials on fixed validation tasks."""

    def __init__(self, folder: Path, trials: Sequence[Sequence[float]] = ()) -> None:
        self._path = folder / "best.safetensors"
        known = _whole(self._path)  # without its weights the best is not known
        self.trials = [Trial(int(step), value) for step, value in trials] if known else []

    @property
    def value(self) -> float:
        """Of the best trial; -inf before the first."""
        return max((each.value for each in self.trials), default=-math.inf)

    @property
    def step(self) -> int | None:
        """At which the best trial was made, of equal ones the first; None before the first."""
        return max(self.trials, key=lambda each: each.value).step if self.trials else None

    def tried(self, network: nn.Module, value: float, *, step: int) -> float:
        """Note a trial, and keep the weights where it was the best so far."""
        if value > self.value:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _put(network.state_dict(), self._path, {})
        self.trials.append(Trial(step, value))
        return value

    def stale(self, patience: int) -> bool:
        """Whether the last `patience` trials were no better than one before them."""
        values = [each.value for each in self.trials]
        return len(values) > patience and max(values[-patience:]) <= max(values[:-patience])

    def restore(self, network: nn.Module) -> None:
        """Put the best weights back; nothing where nothing was tried."""
        if self.trials:
            network.load_state_dict(load_file(self._path))


def kept_step(folder: Path, recipe: Dataclass) -> int:
    """The step that a training by this recipe goes on from in a folder; 0 where it begins anew."""
    path = folder / CHECKPOINT
    try:
        meta = _metadata(path) if _whole(path) else {}
    except Damaged:
        return 0
    return int(meta["step"]) if meta.get("recipe") == _plain(recipe) else 0


def _plain(recipe: Dataclass) -> dict[str, Any]:
    """As it will be read again: tuples are lists."""
    return dict(json.loads(json.dumps(asdict(recipe))))


def _put(state: Mapping[str, Tensor], path: Path, meta: Mapping[str, Any]) -> None:
    """Write a file in place of what was there; a machine that stops leaves the old one or the new one."""
    partial = path.with_suffix(".partial")
    save_file(
        {name: tensor.detach().contiguous() for name, tensor in state.items()},
        partial,
        metadata={name: json.dumps(value) for name, value in meta.items()},
    )
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.replace(path)


def _tensors(path: Path) -> dict[str, Tensor]:
    try:
        return dict(load_file(path))
    except (OSError, SafetensorError) as problem:
        raise Damaged(f"{path} cannot be read: {problem}") from problem


def _whole(path: Path) -> bool:
    try:
        return bool(_tensors(path))
    except Damaged:
        return False


def _shapes(state: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in state.items()}


def _metadata(path: Path) -> dict[str, Any]:
    """What was noted beside the tensors. Raises Damaged."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            noted = json.loads(file.read(min(size, path.stat().st_size)))["__metadata__"]
        return {name: json.loads(noted[name]) for name in ("step", "spent_s", "recipe", "more")}
    except (OSError, ValueError, LookupError, TypeError) as problem:
        raise Damaged(f"{path} cannot be read: {type(problem).__name__}: {problem}") from problem
