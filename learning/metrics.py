"""The curves of a training: lines of JSON that can be read while they grow, and TensorBoard's events."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from tensorboardX import SummaryWriter

LINES = "metrics.jsonl"
EVENTS = "tensorboard"


class Point(NamedTuple):
    """The numbers of one step."""

    step: int
    values: dict[str, float]


class Stream:
    """Appends points to a folder. A step that was written before a crash and is done again is written over."""

    def __init__(self, folder: Path, *, first_step: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LINES
        _cut(self._path, first_step)
        self._lines = self._path.open("a", encoding="utf-8")
        self._events = SummaryWriter(str(folder / EVENTS), purge_step=first_step, flush_secs=5)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Add the numbers of a step; whole lines only, those that are no number left out."""
        kept = {name: float(value) for name, value in values.items() if math.isfinite(value)}
        self._lines.write(json.dumps({"step": step, "values": kept}, sort_keys=True) + "\n")
        self._lines.flush()
        for name, value in kept.items():
            self._events.add_scalar(name, value, step)

    def close(self) -> None:
        """Write what is held back; safe to repeat."""
        self._lines.close()
        self._events.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def read(folder: Path, *, after: int = -1) -> Iterator[Point]:
    """Points of later steps than `after`, in order; a line that is still being written is left for the next time."""
    path = folder / LINES
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            point = _point(line)
            if point is not None and point.step > after:
                yield point


def _point(line: str) -> Point | None:
    if not line.endswith("\n"):
        return None
    try:
        found: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        return None  # the machine stopped in the middle of it
    return Point(int(found["step"]), {name: float(value) for name, value in found["values"].items()})


def _cut(path: Path, first_step: int) -> None:
    """Leave out lines from `first_step` on, and half ones."""
    if not path.is_file():
        return
    kept = [point for point in read(path.parent) if point.step < first_step]
    partial = path.with_suffix(".partial")
    partial.write_text("".join(json.dumps(point._asdict(), sort_keys=True) + "\n" for point in kept))
    os.replace(partial, path)
