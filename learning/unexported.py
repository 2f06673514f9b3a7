"""A network that is still being trained at work as a policy, without the seconds that an export takes."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from learning.networks import ElementSetPolicy, run, sizes, tensors
from learning.policy import NetworkPolicy
from learning.readings import reading_of


class Unexported(NetworkPolicy):
    """Proposes as its export would (export.TOLERANCE apart)."""

    def __init__(self, network: ElementSetPolicy, *, name: str) -> None:
        self.name = name
        self._reading = reading_of(sizes(network.shape))
        self._session = _Session(network)


class _Session:
    """A network behind the face of ONNX Runtime."""

    def __init__(self, network: ElementSetPolicy) -> None:
        self._network = network

    @torch.no_grad()
    def run(self, names: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]) -> list[NDArray[np.float32]]:
        """The outputs of these names."""
        self._network.eval()
        outputs = run(self._network, tensors(dict(inputs)))
        return [outputs[name].numpy() for name in names]
