"""What a policy's trunk made of a state, and an action in it, as vectors for heads that stand beside its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import torch
from torch import Tensor, nn

from learning import arrays as f
from learning import packed
from learning.lexical import VOCABULARY
from learning.networks import ElementSetPolicy, run

_WORD = 16  # width of an option's words


@dataclass(frozen=True, slots=True)
class Reading:
    """One batch as the policy reads it."""

    outputs: dict[str, Tensor]
    state: Tensor  # (B, d)
    goals: Tensor  # (B, G, d)
    elements: Tensor  # (B, E, d)
    page: Tensor  # (B, d) mean over the elements that are there


class Reader:
    """Runs a policy and keeps what its trunk made of the state; the policy itself stays as it is.

    To be used in a `with`: leaving it takes the reader off the network.
    """

    def __init__(self, network: ElementSetPolicy) -> None:
        self.network = network
        self._tokens: Tensor | None = None
        self._handle = network.norm.register_forward_hook(self._keep)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._handle.remove()

    def read(self, inputs: dict[str, Tensor]) -> Reading:
        """Forward pass of a batch (batches.inputs_of); a hasty network reads it without its padding."""
        given = packed.of(inputs) if self.network.hasty else inputs
        outputs = run(self.network, given)
        assert self._tokens is not None, "the network has no last norm to read from"
        tokens, self._tokens = self._tokens, None
        state, goals, elements = packed.apart(tokens, given) if self.network.hasty else _apart(tokens, inputs)
        return Reading(outputs, state, goals, elements, mean(elements, inputs["element_there"]))

    def _keep(self, module: nn.Module, inputs: tuple[Tensor, ...], tokens: Tensor) -> None:
        self._tokens = tokens


def _apart(tokens: Tensor, inputs: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    g, e = inputs["goal_there"].shape[1], inputs["element_there"].shape[1]
    return tokens[:, 0], tokens[:, 1 : 1 + g], tokens[:, 1 + g : 1 + g + e]


class Deed(nn.Module):
    """An action in a state as one vector: its kind, what it points at, what it writes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.kind = nn.Embedding(len(f.KINDS), _WORD)
        self.key = nn.Embedding(len(f.KEYS) + 1, _WORD)
        self.direction = nn.Embedding(len(f.DIRECTIONS) + 1, _WORD)
        self.word = nn.Embedding(VOCABULARY, _WORD, padding_idx=0)
        self.out = nn.Sequential(nn.Linear(4 * _WORD + 2 * width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, reading: Reading, inputs: Mapping[str, Tensor], labels: Mapping[str, Tensor]) -> Tensor:
        """Labels as of batches.labels_of -> (B, d)."""
        options = labels["options"] & inputs["option_there"]
        parents = torch.gather(
            reading.elements, 1, inputs["option_parents"][..., None].expand(-1, -1, reading.elements.shape[-1])
        )
        target = mean(reading.elements, labels["elements"]) + mean(parents, options)
        words = inputs["option_words"]  # (B, O, WORDS)
        written = mean(self.word(words).sum(2), options)
        parts = [
            self.kind(labels["kind"]),
            self.key(labels["key"] + 1),
            self.direction(labels["direction"] + 1),
            written,
            target,
            mean(reading.goals, labels["sources"]),
        ]
        return self.out(torch.cat(parts, -1))  # type: ignore[no-any-return]  # Module.__call__ is Any


def mean(vectors: Tensor, chosen: Tensor) -> Tensor:
    """(B, X, d), (B, X) bool -> (B, d): mean over the chosen ones, 0 where none is."""
    weight = chosen[..., None].to(vectors.dtype)
    return (vectors * weight).sum(1) / weight.sum(1).clamp(min=1.0)
