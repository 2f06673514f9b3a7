"""THE DOOR of learning: load a policy, improve one, judge one; torch only where training needs it."""

import lzma
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from learning.progress import Progress, Stopped
from learning.requests import Improved, ImproveRequest, Kind
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Split

if TYPE_CHECKING:
    from learning.evaluate import Evaluation

__all__ = [
    "STARTER",
    "ImproveRequest",
    "Improved",
    "Kind",
    "Progress",
    "Stopped",
    "evaluate",
    "improve",
    "judge",
    "load_policy",
    "starter_trajectories",
]

STARTER = Path(__file__).resolve().parent / "starter"
DEMONSTRATIONS = "demonstrations.xz"


def load_policy(folder: Path, *, name: str) -> Policy:
    """The policy in a folder, once it has made a first proposal: ONNX Runtime, no torch. Raises BadPolicy."""
    from learning.proving import proved  # ONNX Runtime only where a policy acts

    return proved(folder, name=name)


def improve(
    request: ImproveRequest, *, report: Callable[[Progress], None], should_stop: Callable[[], bool]
) -> Improved:
    """Learn from the trajectories, from the parent's weights on; writes `out`. Raises Stopped, Diverged, BadPolicy."""
    from learning.improve import improve as run  # torch only where something is learnt

    return run(request, report=report, should_stop=should_stop)


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


def judge(
    folder: Path,
    *,
    name: str,
    out: Path,
    templates: Sequence[str] = (),
    splits: Sequence[Split] = ("test",),
    seed: int,
    variants: int = 0,
    minutes: float,
    against: tuple[str, Path] | None = None,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> None:
    """The whole judgement in simulators, within its minutes; writes report.json, .md, .html and replays/ into `out`.

    templates: what is tried; none = all that the policy says it has learnt and that have a simulator. `against`: name
    and folder of another policy on the same tasks. Raises Stopped, BadPolicy, ValueError where nothing can be tried.
    """
    from learning.judging import judge_to as run  # worlds and plots only where something is judged

    run(
        folder,
        name=name,
        out=out,
        templates=templates,
        splits=splits,
        seed=seed,
        variants=variants,
        minutes=minutes,
        against=against,
        report=report,
        should_stop=should_stop,
    )


def starter_trajectories() -> Iterator[bytes]:
    """Packed files of the demonstrations that the starter policy learnt from; always the same bytes."""
    from sandbox.contracts.storage import pack
    from sandbox.contracts.trajectories import Trajectory

    for body in msgspec.msgpack.decode(lzma.decompress((STARTER / DEMONSTRATIONS).read_bytes()), type=list[bytes]):
        yield pack(msgspec.msgpack.decode(body, type=Trajectory))
