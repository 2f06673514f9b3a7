"""Samples to padded batches, in numpy: which ones at which step of training, and how they are varied."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learning import arrays as f
from learning.lexical import FIRST_WORD, VOCABULARY
from learning.samples import Sample

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
    padded = {name: _stack([getattr(each, name) for each in batch], _size(name, elements, options)) for name in f.NAMES}
    padded["element_there"] = _there([len(each.element_kinds) for each in batch], elements)
    padded["option_there"] = _there([len(each.option_parents) for each in batch], options)
    return padded


def _size(name: str, elements: int, options: int) -> int | None:
    if name.startswith("element_"):
        return elements
    return options if name.startswith("option_") else None


def _stack(arrays: list[NDArray[np.generic]], size: int | None) -> NDArray[np.generic]:
    if size is None:
        return np.stack(arrays)
    stacked = np.zeros((len(arrays), size, *arrays[0].shape[1:]), arrays[0].dtype)
    for row, array in enumerate(arrays):
        stacked[row, : len(array)] = array
    return stacked


def _there(lengths: list[int], size: int) -> NDArray[np.bool_]:
    return np.arange(size)[None] < np.array(lengths)[:, None]


def labels_of(batch: Sequence[Sample], elements: int, options: int) -> dict[str, NDArray[np.generic]]:
    """Right actions and what came of them, padded like the inputs."""
    return {
        "kind": np.array([each.label.kind for each in batch], np.int64),
        "elements": _stack([each.label.elements for each in batch], elements),
        "sources": np.stack([each.label.sources for each in batch]),
        "options": _stack([each.label.options for each in batch], options),
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
) -> dict[str, NDArray[np.generic]]:
    """The same states with other names and fewer bystanders: what must not matter is made not to matter.

    Words are swapped for random ones (which also renames every word of a row alike now and then), elements that are
    neither the target nor match the goal vanish, boxes move a little.
    """
    rng = np.random.default_rng([seed, 2, step])
    varied_inputs = dict(inputs)
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
