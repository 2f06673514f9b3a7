"""Several learners of one network: each takes its part of every batch, gradients are added up, all stay alike.

Where there is one learner, nothing here does anything. `run` starts several by Ray Train, one for each GPU.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed, nn

from learning import clusters, devices
from learning.progress import Stopped
from learning.rows import Lengths

log = logging.getLogger(__name__)

T = TypeVar("T")
FAILURES = 2  # times that a learner may die, or raise, in one training; all go on from its checkpoint
PATIENCE = timedelta(hours=1)  # that the others wait while the first one plays or judges


class Died(RuntimeError):
    """More learners died than may, or one of them raised; the message has its last words."""


def count() -> int:
    """How many learn together; 1 = this process alone."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def number() -> int:
    """Of this learner. Number 0 plays, judges, reports and writes; the others only learn."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def first() -> bool:
    """Whether this learner is the one that writes."""
    return number() == 0


def part(rows: Lengths) -> tuple[Lengths, float]:
    """(B,) -> this learner's rows of a batch, and which share of it they are: means weighed so add up to the whole's.

    Rows stand by length, so that every learner gets short and long ones. With fewer rows than learners some get a row
    that weighs nothing.
    """
    mine = rows[number() :: count()]
    return (mine, len(mine) / len(rows)) if len(mine) else (rows[:1], 0.0)


def split(arrays: Mapping[str, NDArray[np.generic]]) -> tuple[dict[str, NDArray[np.generic]], float]:
    """This learner's part of a batch's arrays, each (B, ...), as in `part`; what weighs nothing has weights of 0."""
    size = len(next(iter(arrays.values())))
    cut = slice(number(), size, count()) if number() < size else slice(0, 1)
    found = {name: each[cut] for name, each in arrays.items()}
    if number() >= size and "weight" in found:
        found["weight"] = np.zeros_like(found["weight"])
    return found, len(range(number(), size, count())) / size


@torch.no_grad()
def added(parameters: Iterable[nn.Parameter], points: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Add up the gradients of all learners, in place, and some numbers, () each: one message for everything."""
    if count() == 1:
        return dict(points)
    every = list(parameters)
    grads = [each.grad if each.grad is not None else torch.zeros_like(each) for each in every]
    used = torch.tensor([each.grad is not None for each in every])
    sent = [
        *(each.flatten() for each in grads),
        used.to(grads[0]),
        *(each.reshape(1).to(grads[0]) for each in points.values()),
    ]
    flat = torch.cat(sent)
    distributed.all_reduce(flat)
    *found, using, numbers = torch.split(flat, [*(each.numel() for each in every), len(every), len(points)])
    for parameter, grad, learners in zip(every, found, using.tolist(), strict=True):
        parameter.grad = grad.view_as(parameter) if learners else None  # what nobody used stays as it was
    return dict(zip(points, numbers, strict=True))


def summed(numbers: Tensor) -> Tensor:
    """The sum over all learners, in place."""
    if count() > 1:
        distributed.all_reduce(numbers)
    return numbers


def told(thing: T) -> T:
    """What the first learner holds here; all have to ask at the same place."""
    if count() == 1:
        return thing
    box = [thing]
    distributed.broadcast_object_list(box, src=0, device=torch.device("cpu"))
    return box[0]


def alike(network: nn.Module, optimizer: torch.optim.Optimizer | None = None) -> None:
    """Weights and moments of the first learner for all."""
    if count() == 1:
        return
    theirs = told((_here(network.state_dict()), _here(optimizer.state_dict() if optimizer else {})))
    network.load_state_dict(theirs[0])
    if optimizer is not None:
        optimizer.load_state_dict(theirs[1])


def over(network: nn.Module) -> None:
    """Tell the others that there is nothing more to learn, and what came of it."""
    told(None)
    alike(network)


def agreed(*numbers: float) -> list[float]:
    """The first learner's numbers, for what depends on a clock."""
    if count() == 1:
        return list(numbers)
    sent = torch.tensor(numbers, dtype=torch.float64)
    distributed.broadcast(sent, src=0)
    return sent.tolist()


def _here(state: Any) -> Any:
    """The same with its tensors in this machine's memory, where every learner can read them."""
    if isinstance(state, Tensor):
        return state.cpu()
    return {name: _here(each) for name, each in state.items()} if isinstance(state, dict) else state


@contextmanager
def written(folder: Path) -> Iterator[Path]:
    """A folder to write into, that stands at `folder` when it is whole; what others than the first write is dropped."""
    if not first():
        with TemporaryDirectory() as scratch:
            yield Path(scratch) / folder.name
    else:
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        yield partial
        partial.rename(folder)
    told(None)  # whoever reads it next waits for it


def run(job: Callable[[], None], folder: Path, *, learners: int, cores: int = 0) -> None:
    """Do a job in so many learners, on a GPU each where there are any; in this process if it is one. Raises Died.

    The job comes by its module's name, so it must not stand in `__main__`; its files, and the folder, are where all can
    read and write.
    `cores` are those that players of the job will need besides, where this machine is the cluster. A learner that
    dies is hired anew, and all go on from the checkpoint that the job itself keeps.
    """
    if learners <= 1:
        return job()
    if os.environ.get(devices.ASKED, "").startswith("cuda:"):
        raise RuntimeError(f"each learner has a GPU of its own: set {devices.ASKED} to cuda or cpu, or unset it")
    import ray  # only where asked for

    try:
        from ray import train
        from ray.train.torch import TorchConfig, TorchTrainer
    except ImportError as problem:
        raise RuntimeError(
            f"several learners need pandas and pyarrow: pip install 'ray[train]' ({problem})"
        ) from problem
    clusters.begin(learners + cores)
    cluster = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray leaves it untyped
    on_gpu = bool(cluster.get("GPU")) and os.environ.get(devices.ASKED) != "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix="learners-") as notes:
        trainer = TorchTrainer(
            partial(_quietly, job),
            torch_config=TorchConfig(
                "cpu:gloo,cuda:nccl" if on_gpu else "gloo", timeout_s=int(PATIENCE.total_seconds())
            ),
            scaling_config=train.ScalingConfig(
                num_workers=learners,
                use_gpu=on_gpu,
                resources_per_worker={"CPU": 1, "GPU": devices.LEARNING} if on_gpu else {"CPU": 1},
            ),
            run_config=train.RunConfig(storage_path=notes, failure_config=train.FailureConfig(max_failures=FAILURES)),
        )
        try:
            trainer.fit()
        except train.TrainingFailedError as problem:
            raise Died(str(problem)) from problem


def _quietly(job: Callable[[], None]) -> None:
    """The job in one learner; one that was stopped is no failure, and nobody begins anew."""
    torch.set_num_threads(1)
    try:
        job()
    except Stopped as stopped:
        log.warning("%s", stopped)
