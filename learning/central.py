"""The policy's answers from one process for many players: on a GPU, or where it is asked for.

Players ask with whole batches. What comes in while the network works is answered together, next.
"""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learning import devices
from learning.acting import Acting
from learning.networks import build, tensors
from learning.rows import Named
from learning.segments import SegmentPlayer

log = logging.getLogger(__name__)

Arrays = dict[str, NDArray[Any]]
MOST = 32  # questions that are answered together
ELEMENTS = ("click", "type", "answer")  # outputs with one number an element
DRAWN = ("kind", *ELEMENTS, "source", "option", "key", "direction")  # outputs that an action is drawn from


class OtherVersion(RuntimeError):
    """A player asked for weights that are not here: whoever answers was begun anew, and waits for them."""


class Answer(NamedTuple):
    """What the policy says of a batch."""

    outputs: Arrays  # by DRAWN
    value: NDArray[np.float32]  # (B,)


class Counted(NamedTuple):
    """What one who answers for all has done."""

    pid: int
    questions: int
    passes: int  # through the network


class Central:
    """The network for everybody who plays; an actor of Ray that answers several at a time."""

    def __init__(self, shape: Mapping[str, int], environments: int) -> None:
        self._device = devices.chosen()
        self._network = Acting(build(dict(shape)), environments).eval().to(self._device)
        self._version = -1
        self._waiting: list[tuple[Arrays, asyncio.Future[Answer]]] = []
        self._working: asyncio.Task[None] | None = None
        self._questions = self._passes = 0

    async def take_weights(self, version: int, weights: Mapping[str, NDArray[Any]]) -> None:
        """The policy to answer by from now on; nobody asks meanwhile."""
        self._network.take(weights)
        self._version = version

    async def answer(self, version: int, inputs: Arrays) -> Answer:
        """What this version says of a batch. Raises OtherVersion."""
        if version != self._version:
            raise OtherVersion(f"version {version} was asked for, {self._version} is here")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((inputs, future))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await future

    async def counted(self) -> Counted:
        """How it went so far."""
        return Counted(os.getpid(), self._questions, self._passes)

    async def _work(self) -> None:
        """Answer what waits, until nothing does."""
        while self._waiting:
            now, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            self._questions, self._passes = self._questions + len(now), self._passes + 1
            try:
                answers = await asyncio.to_thread(self._answers, [inputs for inputs, _ in now])
            except Exception as problem:  # an actor's edge: unheard, every player would wait for ever
                log.exception("no answer to %d questions", len(now))
                for _, future in now:
                    if not future.done():  # whoever asked may be gone
                        future.set_exception(problem)
                continue
            for (_, future), answer in zip(now, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    @torch.no_grad()
    def _answers(self, asked: Sequence[Arrays]) -> list[Answer]:
        inputs = devices.moved(tensors(joined(asked)), self._device)
        with devices.precision(self._device):
            outputs, value = self._network.outputs(inputs)
        found = {name: outputs[name].float().cpu().numpy() for name in DRAWN}
        return parted(Answer(found, value.float().cpu().numpy()), asked)


def joined(asked: Sequence[Arrays]) -> Arrays:
    """Several padded batches as one, as wide as the widest: each (B, ...)."""
    if len(asked) == 1:
        return {name: each.copy() for name, each in asked[0].items()}  # what Ray hands over cannot be written to
    found: Arrays = {}
    for name, one in asked[0].items():
        every = [each[name] for each in asked]
        widths = np.max([each.shape[1:] for each in every], axis=0).astype(int)
        whole = np.zeros((sum(map(len, every)), *widths), one.dtype)
        row = 0
        for each in every:
            whole[(slice(row, row + len(each)), *(slice(size) for size in each.shape[1:]))] = each
            row += len(each)
        found[name] = whole
    return found


def parted(whole: Answer, asked: Sequence[Arrays]) -> list[Answer]:
    """The answer to each of the batches that were joined, as wide as it was asked: draws depend on the width."""
    found, row = [], 0
    for inputs in asked:
        count, elements = inputs["element_there"].shape
        goals, options = inputs["goal_there"].shape[1], inputs["option_there"].shape[1]
        mine = {name: each[row : row + count] for name, each in whole.outputs.items()}
        mine |= {name: mine[name][:, :elements] for name in ELEMENTS}
        mine |= {"source": mine["source"][:, :elements, :goals], "option": mine["option"][:, :options]}
        found.append(Answer(mine, whole.value[row : row + count]))
        row += count
    return found


class Asking(SegmentPlayer):
    """A player that asks `Central`, an actor's handle, what to do; it draws its actions itself."""

    def __init__(self, shape: Mapping[str, int], environments: Sequence[str], central: Any) -> None:
        super().__init__(shape, environments)
        self._central = central

    def take_weights(self, version: int, weights: Mapping[str, NDArray[Any]]) -> None:
        """The version to ask for; its weights are not here."""
        self.version = version

    def outputs(self, inputs: Named) -> tuple[dict[str, Tensor], Tensor]:
        """See SegmentPlayer."""
        import ray  # only where asked for

        asked = {name: each.numpy() for name, each in inputs.items()}
        outputs, value = ray.get(self._central.answer.remote(self.version, asked))
        return {name: torch.from_numpy(each.copy()) for name, each in outputs.items()}, torch.from_numpy(value.copy())
