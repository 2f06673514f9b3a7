"""THE DOOR of learning: load a policy, improve one, judge one; torch only where training needs it."""

import lzma
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from learning.progress import Progress, Stopped
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Split

if TYPE_CHECKING:
    from learning.evaluate import Evaluation

__all__ = [
    "STARTER",
    "ImproveRequest",
    "Improved",
    "Progress",
    "Stopped",
    "evaluate",
    "improve",
    "load_policy",
    "starter_trajectories",
]

STARTER = Path(__file__).resolve().parent / "starter"
DEMONSTRATIONS = "demonstrations.xz"


class ImproveRequest(Struct, frozen=True):
    """What a training is asked for. `work` keeps checkpoints; the same request goes on from there."""

    parent: Path | None  # a policy's folder; None = from nothing
    trajectories: Sequence[Path]  # packed files of the dataset version
    out: Path
    work: Path
    seed: int
    budget_s: float
    lineage: dict[str, Any]


class Improved(Struct, frozen=True):
    """A policy's folder that was written, and what is known of it."""

    folder: Path
    evaluation: dict[str, Any]
    card: str
    spec: dict[str, Any]
    held_out_accuracy: float


def load_policy(folder: Path, *, name: str) -> Policy:
    """The policy in a folder, ready to propose: ONNX Runtime, no torch. Raises BadPolicy."""
    from learning.policy import NetworkPolicy  # ONNX Runtime only where a policy acts

    return NetworkPolicy(folder, name=name)


def improve(
    request: ImproveRequest, *, report: Callable[[Progress], None], should_stop: Callable[[], bool]
) -> Improved:
    """Learn from the trajectories, from the parent's weights on; writes `out`. Raises Stopped, NotEqual, BadPolicy."""
    from learning.improve import improve as run  # torch only where something is learnt

    folder, evaluation, spec, accuracy = run(
        parent=request.parent,
        trajectories=request.trajectories,
        out=request.out,
        work=request.work,
        seed=request.seed,
        budget_s=request.budget_s,
        lineage=request.lineage,
        report=report,
        should_stop=should_stop,
    )
    return Improved(folder, evaluation, (folder / "card.md").read_text(), spec, accuracy)


def evaluate(
    folder: Path,
    *,
    templates: Sequence[str],
    episodes: int,
    seed: int,
    split: Split = "test",
    workers: int = 0,
    report: Callable[[Progress], None] = lambda _: None,
) -> "Evaluation":
    """Verified success on held-out tasks in Chromium: `episodes` of each template, nobody corrects."""
    from learning.evaluate import evaluate as run  # worlds and browsers only where something is judged

    def told(done: int, of: int, verified: int) -> None:
        report(Progress("evaluate", done / of, done, {"verified_rate": verified / done}))

    return run(folder, templates=templates, episodes=episodes, seed=seed, split=split, workers=workers, report=told)


def starter_trajectories() -> Iterator[bytes]:
    """Packed files of the demonstrations that the starter policy learnt from; always the same bytes."""
    for content in msgspec.msgpack.decode(lzma.decompress((STARTER / DEMONSTRATIONS).read_bytes()), type=list[bytes]):
        yield repacked(content)


def repacked(body: bytes) -> bytes:
    """A trajectory in msgpack, as the file that storage knows."""
    from sandbox.contracts.storage import pack
    from sandbox.contracts.trajectories import Trajectory

    return pack(msgspec.msgpack.decode(body, type=Trajectory))
