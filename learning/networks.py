"""The element-set policy: a page's elements, the goal's tokens and the past attend to one another."""

import math
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from learning import arrays as f
from learning import packed
from learning.candidates import LOW
from learning.closeness import OPTION_CLOSE
from learning.lexical import VOCABULARY
from learning.packing import MARK
from learning.relations import RELATIONS, relations
from learning.sentences import GOAL_TEXTS, MORE_ELEMENT_NUMBERS, MORE_GOAL_NUMBERS, MORE_PAIRS
from learning.vision import Eye

POINTERS = ("click", "type", "answer")
PLACE = slice(len(f.STATES), len(f.STATES) + 4)  # of an element's numbers: x, y, width, height as shares of the page
FEW = 4  # pages that are not worth packing
CHANGES = 3  # of the page by the action: anything, a dialog opens or closes, the address


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a network; written into its spec. The parts that are 0 are not there."""

    width: int = 96
    layers: int = 2
    heads: int = 4
    word_width: int = 32
    sentences: int = 0  # 1: goals are read word by word (learning.sentences), else by their fields
    relations: int = 0  # 1: how elements stand to each other biases attention
    shared: int = 0  # 1: vendors' and languages' words are read as shared ones (learning.shared_words)
    sight: int = 0  # 1: elements see a screenshot where they stand, where one is given

    @property
    def columns(self) -> tuple[int, int, int, int, int]:
        """Of the inputs: an element's numbers, pairs, a goal token's texts, its numbers, an option's pairs."""
        if not self.sentences:
            return f.ELEMENT_NUMBERS, f.PAIRS, 2, f.GOAL_NUMBERS, f.OPTION_PAIRS
        return (
            f.ELEMENT_NUMBERS + MORE_ELEMENT_NUMBERS,
            f.PAIRS + MORE_PAIRS,
            GOAL_TEXTS,
            f.GOAL_NUMBERS + MORE_GOAL_NUMBERS,
            f.OPTION_PAIRS + OPTION_CLOSE,
        )


class ElementSetPolicy(nn.Module):
    """Reads one batch of arrays (arrays.Arrays with a leading batch axis), gives logits of every head."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.hasty = False
        d, w = shape.width, shape.word_width
        element_numbers, pairs, goal_texts, goal_numbers, option_pairs = shape.columns
        self.word = nn.Embedding(VOCABULARY, w, padding_idx=0)
        self.role = nn.Embedding(len(f.ROLES) + 1, 16)
        self.region = nn.Embedding(len(f.REGIONS) + 1, 8)
        self.did = nn.Embedding(len(f.KINDS) + 1, 8)
        self.outcome = nn.Embedding(len(f.OUTCOMES) + 1, 8)
        self.element_in = _reader(f.FIELDS * w + 24 + element_numbers, d)
        self.goal_in = _reader(goal_texts * w + goal_numbers, d)
        self.past_in = _reader(w + 32 + f.HISTORY_NUMBERS, d)
        self.state_in = _reader(2 * w + f.STATE_NUMBERS, d)
        self.match = Match(pairs, d)
        if shape.sight:
            self.eye = Eye(d, heads=shape.heads)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(d)
        self.kind = scorer(2 * d, len(f.KINDS))
        self.key = nn.Linear(d, len(f.KEYS))
        self.direction = nn.Linear(d, len(f.DIRECTIONS))
        self.pointer = scorer(2 * d, len(POINTERS))
        self.source_query = nn.Linear(d, d)
        self.source_key = nn.Linear(d, d)
        self.source_match = scorer(pairs, 1, hidden=16)
        self.option_match = scorer(option_pairs, 24, hidden=24)
        self.option = scorer(2 * d + w + 24 + f.OPTION_NUMBERS, 1)
        self.value = nn.Linear(d, 1)
        self.change = nn.Linear(2 * d, CHANGES)

    def forward(
        self,
        element_words: Tensor,  # (B, E, FIELDS, WORDS)
        element_kinds: Tensor,  # (B, E, 3)
        element_numbers: Tensor,  # (B, E, ELEMENT_NUMBERS)
        element_pairs: Tensor,  # (B, E, G, PAIRS)
        element_can: Tensor,  # (B, E, 3) bool
        goal_words: Tensor,  # (B, G, 2, WORDS)
        goal_numbers: Tensor,  # (B, G, GOAL_NUMBERS)
        goal_there: Tensor,  # (B, G) bool
        history_words: Tensor,  # (B, H, WORDS)
        history_kinds: Tensor,  # (B, H, 3)
        history_numbers: Tensor,  # (B, H, HISTORY_NUMBERS)
        history_pairs: Tensor,  # (B, H, G, PAIRS)
        option_words: Tensor,  # (B, O, WORDS)
        option_parents: Tensor,  # (B, O)
        option_numbers: Tensor,  # (B, O, OPTION_NUMBERS)
        option_pairs: Tensor,  # (B, O, G, OPTION_PAIRS)
        text_words: Tensor,  # (B, GOAL_TEXT + PLACE)
        state_numbers: Tensor,  # (B, STATE_NUMBERS)
        kind_can: Tensor,  # (B, KINDS) bool
        element_there: Tensor,  # (B, E) bool; False = padding of the batch
        option_there: Tensor,  # (B, O) bool
        pictures: Tensor | None = None,  # (B, 3, H, W) in [0, 1]
    ) -> tuple[Tensor, ...]:  # in the order of arrays.OUTPUTS
        """Logits; what cannot be done has LOW."""
        elements = self._elements(element_words, element_kinds, element_numbers)
        if self.shape.sight and pictures is not None:
            elements = elements + self.eye(pictures, elements, element_numbers[..., PLACE])
        goals = self.goal_in(torch.cat([self._read(goal_words).flatten(2), goal_numbers], -1))
        past = self._past(history_words, history_kinds, history_numbers)
        spoken, place = self._read(text_words[:, : f.GOAL_TEXT]), self._read(text_words[:, f.GOAL_TEXT :])
        state = self.state_in(torch.cat([spoken, place, state_numbers], -1))[:, None]  # (B, 1, d)
        pairs = torch.cat([element_pairs, history_pairs], 1)  # (B, E+H, G, PAIRS)
        things = torch.cat([elements, past], 1)
        things = things + self.match(pairs, goals, goal_there)
        tokens = torch.cat([state, goals, things], 1)  # (B, 1+G+E+H, d)
        always = torch.ones_like(goal_there[:, :1])
        there = torch.cat([always, goal_there, element_there, history_kinds[..., 0] > 0], 1)
        beside = _same_row(functional.pad(element_kinds[..., 2], (0, f.HISTORY)))[..., None].to(pairs.dtype)
        if self.shape.relations:
            more = relations(element_words, element_numbers)
            beside = torch.cat([beside, functional.pad(more, (0, 0, 0, f.HISTORY, 0, f.HISTORY))], -1)
        for block in self.blocks:
            tokens = block(tokens, pairs, beside, there)  # beside: (B, E+H, E+H, 1 or 1 + relations)
        return self._heads(
            self.norm(tokens),
            element_pairs,
            element_can,
            element_there,
            goal_there,
            (option_words, option_parents, option_numbers, option_pairs, option_there),
            kind_can,
        )

    def hasten(self, *, on: bool = True) -> None:
        """From now on read pages without their padding: the same outputs, sooner in learning. Off for an export."""
        self.hasty = on

    def _read(self, words: Tensor) -> Tensor:
        """(..., W) -> (..., w): what some words say together, in whatever order."""
        return packed.scaled(self.word(words).sum(-2), words)

    def _elements(self, words: Tensor, kinds: Tensor, numbers: Tensor) -> Tensor:
        """(B, E, FIELDS, WORDS), (B, E, 3), (B, E, ELEMENT_NUMBERS) -> (B, E, d)."""
        said = self._read(words).flatten(2)
        return self.element_in(  # type: ignore[no-any-return]  # Module.__call__ is Any
            torch.cat([said, self.role(kinds[..., 0]), self.region(kinds[..., 1]), numbers], -1)
        )

    def _past(self, words: Tensor, kinds: Tensor, numbers: Tensor) -> Tensor:
        """(B, H, WORDS), (B, H, 3), (B, H, HISTORY_NUMBERS) -> (B, H, d)."""
        what = [self.did(kinds[..., 0]), self.role(kinds[..., 1]), self.outcome(kinds[..., 2])]
        return self.past_in(torch.cat([self._read(words), *what, numbers], -1))  # type: ignore[no-any-return]  # Module.__call__ is Any

    def _heads(
        self,
        tokens: Tensor,
        pairs: Tensor,
        can: Tensor,
        there: Tensor,
        goal_there: Tensor,
        options: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],
        kind_can: Tensor,
    ) -> tuple[Tensor, ...]:
        g, e = goal_there.shape[1], there.shape[1]
        state, goals, elements = tokens[:, 0], tokens[:, 1 : 1 + g], tokens[:, 1 + g : 1 + g + e]
        weight = there[..., None].to(tokens.dtype)
        page = (elements * weight).sum(1) / weight.sum(1).clamp(min=1.0)
        beside = torch.cat([elements, state[:, None].expand(-1, e, -1)], -1)  # (B, E, 2d)
        pointed = self.pointer(beside).masked_fill(~(can & there[..., None]), LOW)
        source = self.source_query(elements) @ self.source_key(goals).transpose(1, 2) / math.sqrt(self.shape.width)
        source = source + self.source_match(pairs)[..., 0]
        return (
            self.kind(torch.cat([state, page], -1)).masked_fill(~kind_can, LOW),
            pointed[..., 0],
            pointed[..., 1],
            pointed[..., 2],
            source.masked_fill(~goal_there[:, None], LOW),
            self._choosing(elements, state, goal_there, options),
            self.key(state),
            self.direction(state),
            self.value(state)[..., 0],
            self.change(beside),
        )

    def _choosing(
        self,
        elements: Tensor,  # (B, E, d)
        state: Tensor,  # (B, d)
        goal_there: Tensor,  # (B, G)
        options: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],  # as in forward: words, parents, numbers, pairs, there
    ) -> Tensor:  # (B, O)
        words, parents, numbers, matches, there = options
        parent = torch.gather(elements, 1, parents[..., None].expand(-1, -1, self.shape.width))
        beside = state[:, None].expand(-1, parents.shape[1], -1)
        matched = self.option_match(matches) * goal_there[:, None, :, None].to(state.dtype)
        best = matched.amax(2)
        if self.shape.sentences:
            best = best.clamp(min=0.0)  # as where goals are padded, so that padding says nothing
        read = torch.cat([parent, beside, self._read(words), best, numbers], -1)
        return self.option(read)[..., 0].masked_fill(~there, LOW)  # type: ignore[no-any-return]  # Module.__call__ is Any


class Match(nn.Module):
    """Carries what a goal token is to the things that speak of it: a sum over goal tokens, weighted by the matches."""

    def __init__(self, pairs: int, width: int) -> None:
        super().__init__()
        self.gate = nn.Linear(pairs, width)
        self.says = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, pairs: Tensor, goals: Tensor, there: Tensor) -> Tensor:
        """(B, X, G, PAIRS), (B, G, d), (B, G) -> (B, X, d)."""
        gate = self.gate(pairs) * there[:, None, :, None].to(pairs.dtype)
        message = functional.gelu(gate * self.says(goals)[:, None])
        return self.out(message.sum(2))  # type: ignore[no-any-return]  # Module.__call__ is Any


class Block(nn.Module):
    """Attention with a bias from lexical matches and from how elements stand to each other; norm first."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d = shape.width
        self.heads = shape.heads
        self.norm_attend, self.norm_think = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mix = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        self.think = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.to_goal = nn.Linear(shape.columns[1], shape.heads, bias=False)
        self.to_thing = nn.Linear(shape.columns[1], shape.heads, bias=False)
        self.row = nn.Parameter(torch.linspace(0.0, 1.0, shape.heads))
        if shape.relations:
            self.related = nn.Parameter(torch.zeros(len(RELATIONS), shape.heads))

    def forward(self, tokens: Tensor, pairs: Tensor, beside: Tensor, there: Tensor) -> Tensor:
        """(B, N, d), (B, X, G, P), (B, X, X, R), (B, N) -> (B, N, d); N = 1 + G + X; R: same row, other relations."""
        batch, count, width = tokens.shape
        mixed = self.mix(self.norm_attend(tokens)).view(batch, count, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)  # each (B, heads, N, d / heads)
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)
        scores = scores + self._bias(pairs, beside)
        scores = scores.masked_fill(~there[:, None, None, :], LOW)
        seen = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, count, width)
        tokens = tokens + self.out(seen)
        return tokens + self.think(self.norm_think(tokens))  # type: ignore[no-any-return]  # Module.__call__ is Any

    def _bias(self, pairs: Tensor, beside: Tensor) -> Tensor:
        to_goal = self.to_goal(pairs).permute(0, 3, 1, 2)  # (B, heads, X, G)
        to_thing = self.to_thing(pairs).permute(0, 3, 2, 1)  # (B, heads, G, X)
        if beside.shape[3] > 1:
            rows = (beside @ torch.cat([self.row[None], self.related])).permute(0, 3, 1, 2)  # (B, heads, X, X)
        else:
            rows = beside[..., 0][:, None] * self.row[:, None, None]
        goals = to_goal.shape[3]
        upper = functional.pad(to_thing, (goals, 0))  # (B, heads, G, G+X)
        lower = torch.cat([to_goal, rows], 3)  # (B, heads, X, G+X)
        return functional.pad(torch.cat([upper, lower], 2), (1, 0, 1, 0))


def _reader(inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width))


def scorer(inputs: int, outputs: int, *, hidden: int = 64) -> nn.Sequential:
    """A head of one hidden layer."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


def _same_row(rows: Tensor) -> Tensor:
    """(B, X) row numbers, 0 = in no row -> (B, X, X) bool."""
    return (rows[:, :, None] == rows[:, None, :]) & (rows[:, :, None] > 0)


def tensors(arrays: dict[str, NDArray[np.generic]]) -> dict[str, Tensor]:
    """Arrays as tensors, without a copy."""
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def run(network: ElementSetPolicy, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Forward pass of a padded batch or a packed one by names; "pictures" are looked at where they are given."""
    if MARK not in inputs and network.hasty and "pictures" not in inputs and len(inputs["kind_can"]) > FEW:
        inputs = packed.of(inputs)
    if MARK in inputs:
        return dict(zip(f.OUTPUTS, packed.outputs(network, inputs), strict=True))
    outputs = network(*(inputs[name] for name in f.INPUTS), pictures=inputs.get("pictures"))
    return dict(zip(f.OUTPUTS, outputs, strict=True))


def build(spec: dict[str, int]) -> ElementSetPolicy:
    """A network from its sizes."""
    return ElementSetPolicy(Shape(**spec))


def sizes(shape: Shape) -> dict[str, int]:
    """Sizes as plain data for a spec."""
    return asdict(shape)
