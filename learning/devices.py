"""Where the arithmetic is done: on a CPU in single precision by one thread, on a GPU in bf16 and compiled.

BELAY_BF16 and BELAY_COMPILE ask for either (1) or refuse it (0) on any device; the latter may also name a back end of
torch.compile.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

import torch
from torch import Tensor, nn

ASKED = "BELAY_DEVICE"  # "cpu", "cuda" or "cuda:1"; else a GPU where there is one
BF16, COMPILE = "BELAY_BF16", "BELAY_COMPILE"
LEARNING, ANSWERING = 0.75, 0.25  # of a GPU, for a learner and for who answers for its players
BACK_ENDS = ("inductor", "cudagraphs", "aot_eager", "eager")  # of torch.compile; 1 = the first
M = TypeVar("M", bound=nn.Module)


def chosen() -> torch.device:
    """The device to train on; a CPU gets one thread. Raises RuntimeError for a device that is not there."""
    torch.set_num_threads(1)
    asked = os.environ.get(ASKED, "")
    if asked.startswith("cuda") and not torch.cuda.is_available():
        raise RuntimeError(f"{ASKED}={asked}, but torch {torch.__version__} finds no GPU: unset it to train on the CPU")
    return torch.device(asked or ("cuda" if torch.cuda.is_available() else "cpu"))  # "cuda" is each learner's own


def precision(device: torch.device) -> AbstractContextManager[object]:
    """bf16 where a GPU multiplies, nothing on a CPU: there the backward pass gains nothing by it."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if _said(BF16, device) == "1" else nullcontext()


def whole(outputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """What came in bf16 in single precision, for the losses; the rest as it is."""
    return {name: each.float() if each.dtype == torch.bfloat16 else each for name, each in outputs.items()}


def compiles(device: torch.device) -> bool:
    """Whether networks are compiled for this device; what leaves padding out is for those that are not."""
    return _said(COMPILE, device) != "0"


def compiled(network: M, device: torch.device) -> M:
    """The same network, compiled where that pays: batches of varied lengths, so shapes are dynamic."""
    if compiles(device):
        said = _said(COMPILE, device)
        network.compile(dynamic=True, backend=BACK_ENDS[0] if said == "1" else said)
    return network


def released(network: M) -> M:
    """The same network on the CPU and not compiled, to be written, exported or judged."""
    network.to("cpu")._compiled_call_impl = None  # torch offers no other way back
    return network


def _said(name: str, device: torch.device) -> str:
    """What is asked for, else "1" on a GPU and "0" on a CPU. Raises RuntimeError for an answer that is none."""
    said = os.environ.get(name, "") or ("1" if device.type == "cuda" else "0")
    known = ("0", "1", *(BACK_ENDS if name == COMPILE else ()))
    if said not in known:
        raise RuntimeError(f"{name}={said}: say {', '.join(known)}, or unset it to have it on a GPU alone")
    return said


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
