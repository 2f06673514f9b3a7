"""The export says what the network says, whatever the size of the page."""

from pathlib import Path

import pytest
import torch

from learning import artefact, bc, export, features
from learning.losses import Diverged
from learning.networks import Shape
from tests.learning.pages import NAMES, a_form, a_goal, a_list


@pytest.mark.parametrize("rows", [0, 1, 2, 9])
def test_parity_on_lists_of_any_length(folder: Path, rows: int) -> None:
    arrays = features.scene(a_list(*NAMES[:rows]), a_goal("cedar"), ()).arrays
    difference = export.largest_difference(artefact.load(folder), folder / "policy.onnx", [arrays])
    assert difference <= export.TOLERANCE


def test_parity_on_a_form_with_options(folder: Path) -> None:
    arrays = features.scene(a_form("50"), a_goal(), ()).arrays
    difference = export.largest_difference(artefact.load(folder), folder / "policy.onnx", [arrays])
    assert difference <= export.TOLERANCE


def test_an_export_of_other_weights_is_refused(folder: Path) -> None:
    arrays = features.scene(a_form("50"), a_goal(), ()).arrays
    with pytest.raises(export.NotEqual, match="differs"):
        export.proved(bc.fresh(Shape(), seed=99), folder / "policy.onnx", [arrays])


def test_a_network_that_says_what_is_no_number_is_refused(folder: Path) -> None:
    arrays = features.scene(a_form("50"), a_goal(), ()).arrays
    broken = artefact.load(folder)
    torch.nn.init.constant_(broken.norm.weight, float("nan"))
    with pytest.raises(export.NotEqual, match="differs from the network by nan"):
        export.proved(broken, folder / "policy.onnx", [arrays])


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 70_000.0])  # the last is none in half precision
def test_weights_that_are_no_finite_numbers_are_not_written(tmp_path: Path, weight: float) -> None:
    broken = bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4), seed=1)
    torch.nn.init.constant_(broken.norm.weight, weight)
    with pytest.raises(Diverged, match="Student is not written: 1 of its"):
        artefact.write(tmp_path / "out", broken, examples=[], templates={}, evaluation={}, receipt={}, title="Student")
    assert not (tmp_path / "out").exists()
