"""Samples to padded batches, in numpy: which ones at which step of training, and how they are varied."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learning import arrays as f
from learning.lexical import FIRST_WORD, VOCABULARY
from learning.samples import Sample

_WORDS = ("element_words", "goal_words", "history_words", "option_words", "text_words")
_GROUP = 8  # batches drawn together and sorted by length, so that little is padded


def draw(
    lengths: NDArray[np.int64],  # (S,) elements of each sample
    probabilities: NDArray[np.float64],  # (S,)
    *,
    step: int,
    size: int,
    seed: int,
) -> NDArray[np.int64]:
    """Indices of the batch of this step: a pure function of seed and step, so that training resumes bit for bit."""
    rng = np.random.default_rng([seed, 1, step // _GROUP])
    drawn = rng.choice(len(lengths), size=_GROUP * size, p=probabilities)
    ordered = drawn[np.argsort(lengths[drawn], kind="stable")].reshape(_GROUP, size)
    return np.asarray(ordered[rng.permutation(_GROUP)[step % _GROUP]])


def inputs_of(batch: Sequence[f.Arrays]) -> dict[str, NDArray[np.generic]]:
    """Arrays of several states, padded to the longest, in the network's names."""
    elements = max(1, max(len(each.element_kinds) for each in batch))
    options = max(1, max(len(each.option_parents) for each in batch))
    goals = max(1, max(len(each.goal_there) for each in batch))
    padded = {
        name: _stack([getattr(each, name) for each in batch], _sizes(name, elements, options, goals))
        for name in f.NAMES
    }
    padded["element_there"] = _there([len(each.element_kinds) for each in batch], elements)
    padded["option_there"] = _there([len(each.option_parents) for each in batch], options)
    return padded


def _sizes(name: str, elements: int, options: int, goals: int) -> tuple[int, ...]:
    """The padded axes of an array, the first ones; the rest is the same in every state."""
    kind = name.partition("_")[0]
    if kind == "goal":
        return (goals,)
    first = {"element": (elements,), "option": (options,), "history": (f.HISTORY,)}.get(kind, ())
    return (*first, goals) if name.endswith("_pairs") else first


def _stack(arrays: list[NDArray[np.generic]], sizes: tuple[int, ...]) -> NDArray[np.generic]:
    if all(array.shape[: len(sizes)] == sizes for array in arrays):
        return np.stack(arrays)
    stacked = np.zeros((len(arrays), *sizes, *arrays[0].shape[len(sizes) :]), arrays[0].dtype)
    for row, array in enumerate(arrays):
        place: tuple[int | slice, ...] = (row, *(slice(size) for size in array.shape[: len(sizes)]))
        stacked[place] = array
    return stacked


def _there(lengths: list[int], size: int) -> NDArray[np.bool_]:
    return np.arange(size)[None] < np.array(lengths)[:, None]


def labels_of(batch: Sequence[Sample], elements: int, options: int) -> dict[str, NDArray[np.generic]]:
    """Right actions and what came of them, padded like the inputs."""
    goals = max(1, max(len(each.label.sources) for each in batch))
    return {
        "kind": np.array([each.label.kind for each in batch], np.int64),
        "elements": _stack([each.label.elements for each in batch], (elements,)),
        "sources": _stack([each.label.sources for each in batch], (goals,)),
        "options": _stack([each.label.options for each in batch], (options,)),
        "key": np.array([each.label.key for each in batch], np.int64),
        "direction": np.array([each.label.direction for each in batch], np.int64),
        "weight": np.array([each.weight for each in batch], np.float32),
        "succeeded": np.array([each.succeeded for each in batch], np.float32),
        "changed": np.array([each.changed for each in batch], np.float32),
    }


def varied(
    inputs: dict[str, NDArray[np.generic]],
    labels: dict[str, NDArray[np.generic]],
    *,
    step: int,
    seed: int,
    common: NDArray[np.bool_] | None = None,  # (VOCABULARY,) words that keep their vectors
    renaming: float = 0.0,
) -> dict[str, NDArray[np.generic]]:
    """The same states with other names and fewer bystanders: what must not matter is made not to matter.

    Words are swapped for random ones, each by itself; elements that are neither the target nor match the goal vanish,
    boxes move a little.
    """
    rng = np.random.default_rng([seed, 2, step])
    varied_inputs = dict(inputs if common is None else renamed(inputs, common, rng, share=renaming))
    inputs = dict(varied_inputs)
    words = inputs["element_words"].astype(np.int64)  # a copy
    rate = np.array([0.04, 0.04, 0.04, 0.15, 0.1])[None, None, :, None]  # name, label, group, row, value
    swap = (words >= FIRST_WORD) & (rng.random(words.shape) < rate)
    words[swap] = rng.integers(FIRST_WORD, VOCABULARY, int(swap.sum()))
    varied_inputs["element_words"] = words
    for name, share in (("goal_words", 0.1), ("text_words", 0.05), ("history_words", 0.05), ("option_words", 0.05)):
        changed = inputs[name].astype(np.int64)
        swap = (changed >= FIRST_WORD) & (rng.random(changed.shape) < share)
        changed[swap] = rng.integers(FIRST_WORD, VOCABULARY, int(swap.sum()))
        varied_inputs[name] = changed
    pairs = inputs["element_pairs"]
    speaks = (pairs[..., :7] > 0).any((2, 3))  # type: ignore[operator]  # floats, whatever np.generic may be
    target = labels["elements"].astype(np.bool_)
    parents = np.zeros_like(target)
    np.put_along_axis(parents, inputs["option_parents"].astype(np.int64), True, axis=1)
    gone = ~(speaks | target | parents) & (rng.random(target.shape) < 0.05)
    varied_inputs["element_there"] = inputs["element_there"] & ~gone
    numbers = inputs["element_numbers"].copy()
    boxes = slice(len(f.STATES), len(f.STATES) + 4)
    numbers[..., boxes] = numbers[..., boxes] + rng.normal(0, 0.01, numbers[..., boxes].shape).astype(np.float32)
    varied_inputs["element_numbers"] = numbers
    return varied_inputs


def renamed(
    inputs: dict[str, NDArray[np.generic]],
    common: NDArray[np.bool_],  # (VOCABULARY,)
    rng: np.random.Generator,
    *,
    share: float,
) -> dict[str, NDArray[np.generic]]:
    """In a share of the states every word that is not common is another one, the same on the page and in the goal.

    So that a word never met says by its sameness alone what it says, as one of a few demonstrations does.
    """
    rows = len(inputs["text_words"])
    shift = rng.integers(1, VOCABULARY - FIRST_WORD, rows) * (rng.random(rows) < share)
    found = dict(inputs)
    for name in _WORDS:
        words = inputs[name].astype(np.int64)
        by = shift.reshape(-1, *(1,) * (words.ndim - 1))
        moved = FIRST_WORD + (words - FIRST_WORD + by) % (VOCABULARY - FIRST_WORD)
        found[name] = np.where((words >= FIRST_WORD) & ~common[words], moved, words)
    return found


def common_words(samples: Sequence[Sample], *, least: int) -> NDArray[np.bool_]:
    """(VOCABULARY,) bool: words that at least so many trajectories have in their goals or on their pages."""
    seen: dict[str, set[int]] = {}
    for sample in samples:
        words = seen.setdefault(sample.trajectory, set())
        for name in ("element_words", "goal_words", "text_words"):
            words.update(np.unique(getattr(sample.arrays, name)).tolist())
    counts = np.zeros(VOCABULARY, np.int64)
    for words in seen.values():
        counts[list(words)] += 1
    return counts >= least
