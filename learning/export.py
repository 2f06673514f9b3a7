"""A trained network as ONNX, and the proof that it says the same."""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray

from learning import batches
from learning.arrays import INPUTS, OUTPUTS, Arrays
from learning.networks import ElementSetPolicy, tensors
from learning.policy import open_session

TOLERANCE = 1e-4
OPSET = 18


class NotEqual(RuntimeError):
    """The exported network does not say what the trained one says."""


def to_onnx(network: ElementSetPolicy, path: Path, examples: Sequence[Arrays]) -> float:
    """Write the network for one state at a time, of any size; returns the largest difference. Raises NotEqual.

    The largest example shapes the graph.
    """
    network.eval()
    example = max(examples, key=lambda arrays: (len(arrays.option_parents), len(arrays.element_kinds)))
    inputs = tensors(_widened(example))
    elements, options = torch.export.Dim("elements", min=1, max=4096), torch.export.Dim("options", min=1, max=4096)
    goals = torch.export.Dim("goals", min=1, max=4096) if network.shape.sentences else None
    shapes = tuple(_dynamic(name, elements, options, goals) for name in INPUTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            network,
            tuple(inputs[name] for name in INPUTS),
            str(path),
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_shapes=shapes,
            opset_version=OPSET,
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    _without_notes(path)
    return proved(network, path, examples)


def _without_notes(path: Path) -> None:
    """Take out the tracer's notes: they name the files and folders of the machine that exported."""
    model = onnx.load(path)
    del model.graph.metadata_props[:]
    for node in (*model.graph.node, *(node for function in model.functions for node in function.node)):
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info, *model.graph.initializer):
        del value.metadata_props[:]
    onnx.save(model, path)


def proved(network: ElementSetPolicy, path: Path, examples: Sequence[Arrays]) -> float:
    """The largest difference, if it is small enough to be rounding. Raises NotEqual."""
    difference = largest_difference(network, path, examples)
    if not difference <= TOLERANCE:  # not a number is no small difference
        raise NotEqual(f"the export differs from the network by {difference:.2e}, more than {TOLERANCE}")
    return difference


def _widened(arrays: Arrays) -> dict[str, NDArray[np.generic]]:
    """The example padded to three elements and two options: sizes 0 and 1 are special to a tracer."""
    inputs = batches.inputs_of([arrays])
    widened = {}
    for name, array in inputs.items():
        least = {"element": 3, "option": 2}.get(name.split("_")[0], 0)
        missing = max(0, least - array.shape[1]) if least else 0
        widths = [(0, 0), (0, missing)] + [(0, 0)] * (array.ndim - 2)
        widened[name] = np.pad(array, widths) if missing else array
    return widened


def _dynamic(
    name: str, elements: torch.export.Dim, options: torch.export.Dim, goals: torch.export.Dim | None
) -> dict[int, torch.export.Dim]:
    """The axes that vary; a goal read by its fields has always as many tokens."""
    kind = name.partition("_")[0]
    found = {"element": {1: elements}, "option": {1: options}}.get(kind, {})
    if goals is not None and kind == "goal":
        found[1] = goals
    if goals is not None and name.endswith("_pairs"):
        found[2] = goals
    return found


@torch.no_grad()
def largest_difference(network: ElementSetPolicy, path: Path, examples: Sequence[Arrays]) -> float:
    """Over all heads and examples, between the network and its export; not a number where one of them says so."""
    network.eval()
    session = open_session(path)
    worst = 0.0
    for arrays in examples:
        inputs = batches.inputs_of([arrays])
        exported = session.run(list(OUTPUTS), inputs)
        own = network(*(tensors(inputs)[name] for name in INPUTS))
        for theirs, ours in zip(exported, own, strict=True):
            worst = float(np.maximum(worst, np.abs(theirs - ours.numpy()).max()))
    return worst
