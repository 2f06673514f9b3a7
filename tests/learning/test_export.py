"""The export says what the network says, whatever the size of the page."""

from pathlib import Path

import pytest

from learning import artefact, bc, export, features
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
