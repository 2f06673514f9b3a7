"""Where the arithmetic is done: on a CPU in single precision by one thread, on a GPU in bf16 and compiled."""

import os
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

import torch
from torch import Tensor, nn

ASKED = "BELAY_DEVICE"  # "cpu", "cuda" or "cuda:1"; else a GPU where there is one
M = TypeVar("M", bound=nn.Module)


def chosen() -> torch.device:
    """The device to train on; a CPU gets one thread. Raises RuntimeError for a device that is not there."""
    torch.set_num_threads(1)
    asked = os.environ.get(ASKED, "")
    if asked.startswith("cuda") and not torch.cuda.is_available():
        raise RuntimeError(f"{ASKED}={asked}, but torch {torch.__version__} finds no GPU: unset it to train on the CPU")
    return torch.device(asked or ("cuda" if torch.cuda.is_available() else "cpu"))


def precision(device: torch.device) -> AbstractContextManager[object]:
    """bf16 where a GPU multiplies, nothing on a CPU: there the backward pass gains nothing by it."""
    if device.type == "cuda":
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()


def compiled(network: M, device: torch.device) -> M:
    """The same network, compiled where that pays: batches of varied lengths, so shapes are dynamic."""
    if device.type == "cuda":
        network.compile(dynamic=True)
    return network


def moved(tensors: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """Tensors by name on the device; the same ones where they are there already."""
    if device.type == "cpu":
        return tensors
    return {name: tensor.pin_memory().to(device, non_blocking=True) for name, tensor in tensors.items()}


def used_share(device: torch.device) -> float:
    """Share of a GPU's memory that is taken, 0 on a CPU; for the curves."""
    if device.type != "cuda":
        return 0.0
    free, total = torch.cuda.mem_get_info(device)
    return 1.0 - free / total
