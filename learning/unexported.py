"""A network that is still being trained at work as a policy, without the seconds that an export takes."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from learning.arrays import INPUTS
from learning.networks import ElementSetPolicy, tensors
from learning.policy import NetworkPolicy


class Unexported(NetworkPolicy):
    """Proposes as its export would (export.TOLERANCE apart)."""

    def __init__(self, network: ElementSetPolicy, *, name: str) -> None:
        self.name = name
        self._session = _Session(network)


class _Session:
    """A network behind the face of ONNX Runtime."""

    def __init__(self, network: ElementSetPolicy) -> None:
        self._network = network

    @torch.no_grad()
    def run(self, names: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]) -> list[NDArray[np.float32]]:
        """Every output, in the order of arrays.OUTPUTS."""
        self._network.eval()
        there = tensors(dict(inputs))
        return [output.numpy() for output in self._network(*(there[name] for name in INPUTS))]
