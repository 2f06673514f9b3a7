"""The element-set policy on pages without padding (learning.packing): the same outputs, several times sooner.

Every layer runs on what is there: readers on texts that differ, heads on things they may choose, and only attention
on rows as long as the longest page of the batch, with its bias put where pages and goals match.
"""

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from learning import arrays as f
from learning import packing
from learning.candidates import LOW
from learning.relations import relations

if TYPE_CHECKING:
    from learning.networks import Block, ElementSetPolicy
    from learning.rows import Named


def of(inputs: "Named") -> "Named":
    """A padded batch (batches.inputs_of) as a packed one, on the same device."""
    shelf = packing.unpadded({name: each.cpu().numpy() for name, each in inputs.items() if name != "pictures"})
    taken = shelf.take(np.arange(len(inputs["text_words"])))
    return {name: torch.from_numpy(each).to(inputs["text_words"].device) for name, each in taken.items()}


def outputs(network: "ElementSetPolicy", inputs: "Named") -> tuple[Tensor, ...]:
    """What `network` says of a packed batch, in the order of arrays.OUTPUTS and padded like its inputs would be."""
    table = scaled(_bags(network.word.weight, inputs["words"]), inputs["words"])  # (texts, w)
    state = _state(network, inputs)
    goals = network.goal_in(torch.cat([table[inputs["goal_texts"]].flatten(1), inputs["goal_numbers"]], -1))
    things = torch.cat([_elements(network, table, inputs), _past(network, table, inputs)])
    things = things + _matched(network, goals, inputs, len(things))
    packed = torch.cat([state, goals, things])  # (T, d)
    there = inputs["token_there"]  # (B, N)
    rows = packed.new_zeros(there.numel(), network.shape.width).index_copy(0, inputs["token_at"], packed)
    rows = rows.view(*there.shape, -1)
    *before, last = zip(network.blocks, _biases(network, inputs), strict=True)
    for block, bias in before:
        rows = _thought(block, rows, _attended(block, rows, bias))  # type: ignore[arg-type]  # a Block, of which ModuleList knows nothing
    seen = _attended(last[0], rows, last[1])  # type: ignore[arg-type]  # as above
    asked = inputs["token_at"][: len(packed) - len(inputs["history_kinds"])]  # no head asks for past steps
    tokens = _thought(last[0], rows.flatten(0, 1)[asked], seen.flatten(0, 1)[asked])  # type: ignore[arg-type]  # as above
    state, goals, elements = network.norm(tokens).split([len(state), len(goals), len(inputs["element_kinds"])])
    return _heads(network, table, (state, goals, elements), inputs)


def apart(tokens: Tensor, inputs: "Named") -> tuple[Tensor, Tensor, Tensor]:
    """What the last norm made of a packed batch: states (B, d), goals (B, G, d), elements (B, E, d); 0 = not there."""
    sizes = [len(inputs["text_words"]), len(inputs["goal_page"]), len(inputs["element_page"])]
    state, goals, elements = tokens.split_with_sizes(sizes)
    goals = _spread(goals, inputs["goal_slot"], inputs["goal_there"], 0.0)
    return state, goals, _spread(elements, inputs["element_slot"], inputs["element_there"], 0.0)


def _bags(vectors: Tensor, words: Tensor) -> Tensor:
    """(V, w), (n, W) -> (n, w): the sum of the vectors of some words; 0 is none."""
    return functional.embedding_bag(words, vectors, mode="sum", padding_idx=0)


def scaled(summed: Tensor, ids: Tensor) -> Tensor:
    """(..., w), (..., W) -> (..., w): a sum over the root of how many words there are, so that more weigh more."""
    return summed / (ids > 0).to(summed.dtype).sum(-1, keepdim=True).clamp(min=1.0).sqrt()


def _state(network: "ElementSetPolicy", inputs: "Named") -> Tensor:
    words = inputs["text_words"]
    parts = words[:, : f.GOAL_TEXT], words[:, f.GOAL_TEXT :]
    read = [scaled(_bags(network.word.weight, each), each) for each in parts]
    return network.state_in(torch.cat([*read, inputs["state_numbers"]], -1))  # type: ignore[no-any-return]  # Module.__call__ is Any


def _elements(network: "ElementSetPolicy", table: Tensor, inputs: "Named") -> Tensor:
    """(E, d). The first layer is linear, so what a text gives to it is worked out once for all elements that say it."""
    first, *rest = network.element_in
    width, kinds = table.shape[1], inputs["element_kinds"]
    sizes = [width] * f.FIELDS + [network.role.embedding_dim, network.region.embedding_dim]
    sizes.append(first.in_features - sum(sizes))  # type: ignore[operator, arg-type]  # a Linear, of which Sequential knows nothing
    *by_text, role, region, numbers = first.weight.split_with_sizes(sizes, 1)  # type: ignore[operator]  # as above
    said = table[inputs["read_texts"]].split_with_sizes(inputs["read_counts"].tolist())
    given = [text @ weight.T for text, weight in zip(said, by_text, strict=True)]
    given += [network.role.weight @ role.T, network.region.weight @ region.T]
    texts, roles = len(inputs["read_texts"]), len(network.role.weight)
    at = torch.cat([inputs["element_texts"], kinds[:, :1] + texts, kinds[:, 1:2] + texts + roles], 1)
    found = functional.embedding_bag(at, torch.cat(given), mode="sum")
    found = found + functional.linear(inputs["element_numbers"], numbers, first.bias)  # type: ignore[arg-type]  # as above
    for layer in rest:
        found = layer(found)
    return found


def _past(network: "ElementSetPolicy", table: Tensor, inputs: "Named") -> Tensor:
    """(H, d)"""
    kinds = inputs["history_kinds"]
    what = [network.did(kinds[:, 0]), network.role(kinds[:, 1]), network.outcome(kinds[:, 2])]
    read = torch.cat([table[inputs["history_texts"]], *what, inputs["history_numbers"]], -1)
    return network.past_in(read)  # type: ignore[no-any-return]  # Module.__call__ is Any


def _matched(network: "ElementSetPolicy", goals: Tensor, inputs: "Named", things: int) -> Tensor:
    """What goal tokens tell things: worked out by token as if nothing matched, then mended where something does."""
    match, goal = network.match, inputs["match_goal"]
    said = match.says(goals)
    plain = functional.gelu(match.gate.bias * said)  # (G, d)
    by_page = plain.new_zeros(len(inputs["text_words"]), plain.shape[1]).index_add(0, inputs["goal_page"], plain)
    more = functional.gelu(match.gate(inputs["match_values"]) * said[goal]) - plain[goal]
    of = torch.cat([inputs["element_page"], inputs["history_page"]])
    return match.out(by_page[of].index_add(0, inputs["match_thing"], more.to(by_page.dtype)))  # type: ignore[no-any-return]  # Module.__call__ is Any


def _biases(network: "ElementSetPolicy", inputs: "Named") -> list[Tensor]:
    """Of each layer, (B * heads, N, N): LOW for what is not there, and where page and goal or row and row match."""
    there, heads = inputs["token_there"], network.shape.heads
    blocks: list[Block] = [*network.blocks]
    batch, count = there.shape
    told = inputs["match_values"] @ torch.cat([torch.cat([b.to_goal.weight, b.to_thing.weight]) for b in blocks]).T
    each = torch.arange(heads, device=there.device)
    cells = (inputs["cell_page"][:, None] * heads + each) * count**2 + inputs["cell_at"][:, None]  # (n, heads)
    mates = len(cells) - 2 * len(told)
    closed = torch.where(there, 0.0, LOW).to(told.dtype)[:, None, None, :]
    more = _related(network, inputs)
    found = []
    for number, block in enumerate(blocks):
        of = told[:, 2 * heads * number : 2 * heads * (number + 1)]
        values = torch.cat([of[:, :heads], of[:, heads:], block.row.to(of.dtype).expand(mates, -1)])
        bias = closed.expand(batch, heads, count, count).contiguous()
        bias.view(-1).index_put_((cells.view(-1),), values.reshape(-1))
        if more is not None:
            bias = bias + (more @ block.related.to(more.dtype)).permute(0, 3, 1, 2)
        found.append(bias.view(batch * heads, count, count))
    return found


def _related(network: "ElementSetPolicy", inputs: "Named") -> Tensor | None:
    """(B, N, N, relations): how elements stand to each other, where the network reads that."""
    if not network.shape.relations:
        return None
    there, numbers = inputs["token_there"], inputs["element_numbers"]
    begin = len(inputs["text_words"]) + len(inputs["goal_page"])
    at = inputs["token_at"][begin : begin + len(numbers)]
    fields = inputs["words"][inputs["element_fields"]]  # (E, FIELDS, WORDS)
    words = fields.new_zeros(there.numel(), *fields.shape[1:]).index_copy(0, at, fields)
    boxes = numbers.new_zeros(there.numel(), numbers.shape[1]).index_copy(0, at, numbers)
    return relations(words.view(*there.shape, *fields.shape[1:]), boxes.view(*there.shape, -1))


def _attended(block: "Block", rows: Tensor, bias: Tensor) -> Tensor:
    """(B, N, d), (B * heads, N, N) -> (B, N, d): what each token sees of the others; as Block.forward."""
    batch, count, width = rows.shape
    each = width // block.heads
    mixed = block.mix(block.norm_attend(rows)).view(batch, count, 3, block.heads, each)
    query, key, value = mixed.permute(2, 0, 3, 1, 4).reshape(3, batch * block.heads, count, each)
    scores = torch.baddbmm(bias.to(query.dtype), query, key.transpose(1, 2), alpha=1 / math.sqrt(each))
    seen = torch.bmm(scores.softmax(-1).to(value.dtype), value).view(batch, block.heads, count, each)
    return seen.transpose(1, 2).reshape(batch, count, width)


def _thought(block: "Block", tokens: Tensor, seen: Tensor) -> Tensor:
    """(..., d), (..., d) -> (..., d): the rest of Block.forward."""
    tokens = tokens + block.out(seen)
    return tokens + block.think(block.norm_think(tokens))  # type: ignore[no-any-return]  # Module.__call__ is Any


def _heads(
    network: "ElementSetPolicy", table: Tensor, tokens: tuple[Tensor, Tensor, Tensor], inputs: "Named"
) -> tuple[Tensor, ...]:
    state, goals, elements = tokens  # (B, d), (G, d), (E, d)
    page = inputs["element_page"]
    total = state.new_zeros(state.shape).index_add(0, page, elements)
    mean = total / torch.bincount(page, minlength=len(state)).clamp(min=1)[:, None]
    there = inputs["element_there"]
    usable = inputs["element_can"].any(1).nonzero()[:, 0]
    first, second, last = network.pointer
    pointed = last(second(_beside(first, elements[usable], state, page[usable])))  # type: ignore[arg-type]  # a Linear, of which Sequential knows nothing
    pointed = pointed.masked_fill(~inputs["element_can"][usable], LOW)
    pointers = _spread(pointed, inputs["element_slot"][usable], there, LOW).unbind(-1)
    change = _beside(network.change, elements, state, page)
    return (
        network.kind(torch.cat([state, mean], -1)).masked_fill(~inputs["kind_can"], LOW),
        *pointers,
        _sources(network, goals, elements, inputs),
        _options(network, table, state, elements, inputs),
        network.key(state),
        network.direction(state),
        network.value(state)[..., 0],
        _spread(change, inputs["element_slot"], there, 0.0),
    )


def _beside(layer: torch.nn.Linear, elements: Tensor, state: Tensor, page: Tensor) -> Tensor:
    """A linear layer of elements (n, d) with the state of their page beside them: the state's part once a page."""
    own, common = layer.weight.chunk(2, 1)
    return functional.linear(elements, own) + functional.linear(state, common, layer.bias)[page]


def _spread(values: Tensor, slot: Tensor, there: Tensor, rest: float) -> Tensor:
    """(n, ...) things to their columns: (B, X, ...)."""
    found = values.new_full((there.numel(), *values.shape[1:]), rest).index_copy(0, slot, values)
    return found.view(*there.shape, *values.shape[1:])


def _sources(network: "ElementSetPolicy", goals: Tensor, elements: Tensor, inputs: "Named") -> Tensor:
    """(B, E, G): which goal token is written into which element, asked of elements that can be written into."""
    values, there = inputs["match_values"], inputs["element_there"]
    keys = _spread(network.source_key(goals), inputs["goal_slot"], inputs["goal_there"], 0.0)  # (B, G, d)
    asked = inputs["element_can"][:, 1].nonzero()[:, 0]
    query = network.source_query(elements[asked])[:, None]
    nothing = network.source_match(values.new_zeros(1, values.shape[1]))[0, 0]
    more = network.source_match(values[inputs["match_written"]])[:, 0] - nothing
    said = (query * keys[inputs["element_page"][asked]]).sum(-1) / math.sqrt(network.shape.width) + nothing
    source = _spread(said, inputs["element_slot"][asked], there, 0.0)
    matched = source.reshape(-1).index_add(0, inputs["match_source"], more.to(source.dtype)).view(source.shape)
    return matched.masked_fill(~inputs["goal_there"][:, None], LOW)


def _options(network: "ElementSetPolicy", table: Tensor, state: Tensor, elements: Tensor, inputs: "Named") -> Tensor:
    """(B, O)"""
    page = inputs["option_page"]
    there = inputs["goal_there"][page]  # (O, G)
    rest = torch.where(inputs["goal_open"], 0.0, LOW)[page]  # what a goal token that is not there counts as
    matched = network.option_match(inputs["option_pairs"])  # (O, G, 24)
    best = torch.where(there[..., None], matched, rest[:, None, None].to(matched.dtype)).amax(1)
    best = torch.maximum(best, rest[:, None].to(best.dtype))
    if network.shape.sentences:
        best = best.clamp(min=0.0)
    read = [elements[inputs["option_parents"]], state[page], table[inputs["option_texts"]], best]
    said = network.option(torch.cat([*read, inputs["option_numbers"]], -1))[:, 0]
    return _spread(said, inputs["option_slot"], inputs["option_there"], LOW)
