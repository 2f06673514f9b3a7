"""Pages without padding, in numpy: every element, goal token, past step and option once, one behind another.

A page has as many rows as it has things; what has to do with what is told by index. Words that pages share stand once
in a batch, and of the matches of page and goal (most pairs match in nothing) only those that are there. `PACKED` names
what `learning.packed` reads; B pages, T tokens of all of them, N tokens of the longest page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learning.arrays import FIELDS, WORDS, Arrays

Named: TypeAlias = dict[str, NDArray[Any]]
Ints: TypeAlias = NDArray[np.int64]
KINDS = ("element", "goal", "history", "option")  # of what a page has many of
CELLS = ("match", "mates")  # of what two things of a page have to do with each other
MARK = "token_at"  # an input that only packed batches have
_HASH = np.random.default_rng(20_260_101).integers(1, 2**62, WORDS, dtype=np.int64) | 1


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of N pages, one page's behind another's."""

    counts: Ints  # (N,)
    parts: Named  # each (sum of counts, ...)

    def take(self, chosen: Ints) -> tuple[Ints, Named]:
        """(B,) pages -> the page of each of their rows, from 0, and the rows."""
        counts = self.counts[chosen]
        starts = (np.cumsum(self.counts) - self.counts)[chosen]
        at = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        return np.repeat(np.arange(len(chosen)), counts), {name: each[at] for name, each in self.parts.items()}


@dataclass(frozen=True, slots=True)
class Shelf:
    """N pages. Indices within a page count what is there; `slot` is a thing's column where its page is padded."""

    words: NDArray[Any]  # (texts, WORDS) every text once
    ragged: Mapping[str, Ragged]  # by KINDS and CELLS
    pages: Named  # each (N, ...): text_words, state_numbers, kind_can, goal_open
    slots: Mapping[str, int]  # columns at least, by KINDS

    def lengths(self) -> Ints:
        """(N,) tokens of each page."""
        return np.asarray(1 + sum(self.ragged[kind].counts for kind in KINDS[:3]))

    def take(self, chosen: Ints) -> Named:
        """(B,) pages as one batch."""
        pages: dict[str, Ints] = {}
        rows: dict[str, Named] = {}
        for name, each in self.ragged.items():
            pages[name], rows[name] = each.take(chosen)
        counts = {kind: self.ragged[kind].counts[chosen] for kind in KINDS}
        found = {name: each[chosen] for name, each in self.pages.items()}
        found |= self._read(rows)
        found |= _placed(pages, counts)
        for kind in KINDS:
            found |= {f"{kind}_{name}": each for name, each in rows[kind].items() if name not in ("texts", "slot")}
            columns = max(1, self.slots[kind], 1 + int(max(rows[kind]["slot"], default=0)))
            found[f"{kind}_slot"] = pages[kind] * columns + rows[kind]["slot"]
            there = np.zeros(len(chosen) * columns, np.bool_)
            there[found[f"{kind}_slot"]] = True
            found[f"{kind}_there"] = there.reshape(len(chosen), columns)
            found[f"{kind}_page"] = pages[kind]
        firsts = {kind: np.cumsum(counts[kind]) - counts[kind] for kind in KINDS}
        found["option_parents"] = rows["option"]["parents"] + firsts["element"][pages["option"]]
        found["option_pairs"] = rows["option"]["pairs"][:, : found["goal_there"].shape[1]]
        return found | _matched(pages, rows, firsts, counts, found)

    def _read(self, rows: Mapping[str, Named]) -> Named:
        """Texts that are read, once each; of elements by field, since every field is read by weights of its own."""
        held = [rows[kind]["texts"] for kind in KINDS]
        used, local = np.unique(np.concatenate([each.ravel() for each in held]), return_inverse=True)
        parts = np.split(local, np.cumsum([each.size for each in held])[:-1])
        texts = {kind: part.reshape(each.shape) for kind, part, each in zip(KINDS, parts, held, strict=True)}
        keys = texts["element"] + np.arange(FIELDS) * len(used)
        read, at = np.unique(keys, return_inverse=True)
        found: Named = {f"{kind}_texts": each for kind, each in texts.items()}
        found |= {"element_texts": at.reshape(keys.shape), "element_fields": texts["element"]}
        counts = np.bincount(read // len(used), minlength=FIELDS)
        return found | {"words": self.words[used], "read_texts": read % len(used), "read_counts": counts}


def _placed(pages: Mapping[str, Ints], counts: Mapping[str, Ints]) -> Named:
    """Where tokens stand in rows of N: the state, then goal tokens, elements, past steps; and what is a token."""
    elements, goals, past = (counts[kind] for kind in KINDS[:3])
    lengths = 1 + goals + elements + past
    size, before = int(lengths.max()), {"goal": np.ones_like(goals), "element": 1 + goals}
    before["history"] = 1 + goals + elements
    at = {kind: pages[kind] * size + before[kind][pages[kind]] + _places(counts[kind]) for kind in before}
    states = np.arange(len(lengths)) * size
    return {
        MARK: np.concatenate([states, at["goal"], at["element"], at["history"]]),  # (T,)
        "token_there": np.arange(size)[None] < lengths[:, None],  # (B, N)
    }


def _places(counts: Ints) -> Ints:
    """(N,) -> (sum,) 0, 1, 2, ... of every page."""
    return np.asarray(np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts))


def _matched(
    pages: Mapping[str, Ints],
    rows: Mapping[str, Named],
    firsts: Mapping[str, Ints],
    counts: Mapping[str, Ints],
    found: Named,
) -> Named:
    """Matches: of which thing (elements, then past steps) and goal token; and the cells of attention they bear on."""
    page, of = pages["match"], rows["match"]
    thing, goal = of["thing"].astype(np.int64), of["goal"].astype(np.int64)
    size = found["token_there"].shape[1]
    elements, goals = counts["element"][page], counts["goal"][page]
    is_past = thing >= elements
    past_at = int(counts["element"].sum()) + firsts["history"][page] + thing - elements
    line, column = 1 + goals + thing, 1 + goal
    mates = pages["mates"]
    begin: Ints = 1 + counts["goal"][mates]
    one, other = begin + rows["mates"]["one"], begin + rows["mates"]["other"]
    cells = (np.concatenate([line, column, one]), np.concatenate([column, line, other]))
    goal_at = firsts["goal"][page] + goal
    element_at = firsts["element"][page] + thing
    written = np.flatnonzero(~is_past)
    written = written[found["element_can"][element_at[written], 1]]
    columns = found["goal_there"].shape[1]
    slots = found["element_slot"][element_at[written]] * columns
    return {
        "match_values": of["values"],  # (n, PAIRS)
        "match_thing": np.where(is_past, past_at, element_at),
        "match_goal": goal_at,
        "match_written": written,  # matches of elements that can be written into,
        "match_source": slots + found["goal_slot"][goal_at[written]] % columns,  # and where they stand in (B, E, G)
        "cell_page": np.concatenate([page, page, mates]),
        "cell_at": cells[0] * size + cells[1],  # of (N, N)
    }


def shelved(pages: Sequence[Arrays]) -> Shelf:
    """Pages of any size. Raises ValueError where there are none."""
    if not pages:
        raise ValueError("there are no pages to pack: expected at least one")
    goals = max(1, max(len(each.goal_there) for each in pages))
    counts = {
        "element": np.array([len(each.element_kinds) for each in pages], np.int64),
        "option": np.array([len(each.option_parents) for each in pages], np.int64),
        "goal": np.array([len(each.goal_there) for each in pages], np.int64),
        "history": np.array([len(each.history_kinds) for each in pages], np.int64),
    }
    flat = {
        name: np.concatenate([getattr(each, name) for each in pages])
        for name in Arrays.__dataclass_fields__
        if name.partition("_")[0] in KINDS and not name.endswith("_pairs")
    }
    for name in ("element_pairs", "history_pairs", "option_pairs"):
        flat[name] = np.concatenate([_widened(getattr(each, name), goals) for each in pages])
    whole = {name: np.stack([getattr(each, name) for each in pages]) for name in _WHOLE}
    return _shelf(flat, counts, whole, dict.fromkeys(KINDS, 0))


def _widened(pairs: NDArray[Any], goals: int) -> NDArray[Any]:
    missing = goals - pairs.shape[1]
    return np.pad(pairs, ((0, 0), (0, missing), (0, 0))) if missing else pairs


def unpadded(inputs: Named) -> Shelf:
    """The pages of a padded batch (batches.inputs_of); what is not there is left out."""
    count = len(inputs["text_words"])
    counts, flat, slots = dict[str, Ints](), Named(), dict[str, int]()
    for kind, of in (("element", "numbers"), ("goal", "there"), ("history", "kinds"), ("option", "parents")):
        columns = inputs[f"{kind}_{of}"].shape[1]
        counts[kind], slots[kind] = np.full(count, columns, np.int64), columns
    for name, each in inputs.items():
        if name.partition("_")[0] in KINDS:
            flat[name] = each.reshape(-1, *each.shape[2:])
    return _shelf(flat, counts, {name: inputs[name] for name in _WHOLE}, slots)


_WHOLE = ("text_words", "state_numbers", "kind_can")


def _shelf(flat: Named, counts: Mapping[str, Ints], whole: Named, slots: Mapping[str, int]) -> Shelf:
    everything = np.ones(int(counts["element"].sum()), np.bool_), np.ones(int(counts["option"].sum()), np.bool_)
    there = {
        "element": flat.get("element_there", everything[0]).astype(np.bool_),
        "goal": flat["goal_there"].astype(np.bool_),
        "history": flat["history_kinds"][:, 0] > 0,
        "option": flat.get("option_there", everything[1]).astype(np.bool_),
    }
    page = {kind: np.repeat(np.arange(len(counts[kind])), counts[kind]) for kind in KINDS}
    kept = {kind: np.bincount(page[kind][there[kind]], minlength=len(counts[kind])) for kind in KINDS}
    place = {kind: _kept_places(page[kind], there[kind], kept[kind]) for kind in KINDS}
    rows: dict[str, Named] = {kind: {"slot": _places(counts[kind])[there[kind]]} for kind in KINDS}
    for name, each in flat.items():
        kind, _, part = name.partition("_")
        if part not in ("there", "words", "pairs"):
            rows[kind][part] = each[there[kind]]
    held = [flat[f"{kind}_words"][there[kind]] for kind in KINDS]
    words, texts = _texts([each.reshape(-1, WORDS) for each in held])
    for kind, each, ids in zip(KINDS, held, texts, strict=True):
        rows[kind]["texts"] = ids.reshape(each.shape[:-1])
    rows["option"]["pairs"] = flat["option_pairs"][there["option"]]
    firsts = {kind: np.cumsum(counts[kind]) - counts[kind] for kind in KINDS}
    parents = firsts["element"][page["option"][there["option"]]] + rows["option"]["parents"].astype(np.int64)
    rows["option"]["parents"] = place["element"][parents]
    ragged = {kind: Ragged(kept[kind], rows[kind]) for kind in KINDS}
    ragged["match"] = _matches(flat, there, page, kept, place, firsts)
    ragged["mates"] = _mates(page["element"][there["element"]], rows["element"]["kinds"][:, 2], kept["element"])
    whole = {**whole, "goal_open": np.bincount(page["goal"], ~there["goal"], len(counts["goal"])) > 0}
    return Shelf(words, ragged, whole, slots)


def _kept_places(page: Ints, there: NDArray[np.bool_], kept: Ints) -> Ints:
    """The place of each row among those of its page that are there."""
    before: Ints = np.cumsum(there) - there
    return np.asarray(before - (np.cumsum(kept) - kept)[page])


def _matches(
    flat: Named,
    there: Mapping[str, NDArray[np.bool_]],
    page: Mapping[str, Ints],
    kept: Mapping[str, Ints],
    place: Mapping[str, Ints],
    firsts: Mapping[str, Ints],
) -> Ragged:
    """Pairs of thing and goal token that match in something, page by page."""
    found: list[tuple[Ints, Ints, Ints, NDArray[Any]]] = []
    for kind in ("element", "history"):
        pairs, pages = flat[f"{kind}_pairs"][there[kind]], page[kind][there[kind]]
        thing, column = (pairs != 0).any(-1).nonzero()
        known = np.minimum(column, np.bincount(page["goal"], minlength=len(kept["goal"]))[pages[thing]] - 1)
        goal = firsts["goal"][pages[thing]] + known
        real = there["goal"][goal] & (known == column)
        thing, column, goal = thing[real], column[real], goal[real]
        local = place[kind][there[kind]][thing] + (kept["element"][pages[thing]] if kind == "history" else 0)
        found.append((pages[thing], local, place["goal"][goal], pairs[thing, column]))
    at, things, goals, values = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(at, kind="stable")
    parts = {"thing": things[order], "goal": goals[order], "values": values[order]}
    return Ragged(np.bincount(at, minlength=len(kept["element"])), parts)


def _mates(page: Ints, row: NDArray[Any], kept: Ints) -> Ragged:
    """Every two elements (also of one and itself) that stand in the same row of a page, by their places."""
    places = _places(kept)
    inside = np.flatnonzero(row)
    keys = page[inside] * (int(row.max(initial=0)) + 1) + row[inside].astype(np.int64)
    order = inside[np.argsort(keys, kind="stable")]
    sizes = np.unique(keys, return_counts=True)[1]
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes**2)
    nth = _places(sizes**2)
    wide = np.repeat(sizes, sizes**2)
    one, other = order[starts + nth // wide], order[starts + nth % wide]
    counts = np.bincount(page[one], minlength=len(kept))
    return Ragged(counts, {"one": places[one], "other": places[other]})


def _texts(held: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[Ints]]:
    """Texts, (n, WORDS) each -> every text once, and which one each is.

    Told apart by a hash of 64 bits: of a million texts two are taken for one another once in 30 million times.
    """
    words = np.concatenate(held)
    keys = (words.astype(np.int64) * _HASH).sum(1)
    keys ^= keys >> 29
    _, first, ids = np.unique(keys, return_index=True, return_inverse=True)
    return words[first], np.split(ids.ravel(), np.cumsum([len(each) for each in held])[:-1])
