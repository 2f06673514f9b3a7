"""How elements stand to each other is told from their places and words alone."""

import torch
from torch import Tensor

from learning import arrays as f
from learning.relations import RELATIONS, relations


def _page(
    *boxes: tuple[float, float, float, float], names: tuple[int, ...] = (), labels: tuple[int, ...] = ()
) -> Tensor:
    count = len(boxes)
    numbers = torch.zeros(1, count, f.ELEMENT_NUMBERS)
    numbers[0, :, len(f.STATES) : len(f.STATES) + 4] = torch.tensor(boxes)
    words = torch.zeros(1, count, f.FIELDS, f.WORDS, dtype=torch.int64)
    words[0, :, 0, 0] = torch.tensor(names or (0,) * count)
    words[0, :, 1, 0] = torch.tensor(labels or (0,) * count)
    return relations(words, numbers)[0]


def _holds(found: Tensor, name: str) -> list[list[float]]:
    return [[float(cell) for cell in row] for row in found[..., RELATIONS.index(name)]]


def test_what_stands_beside_shares_a_line_and_what_stands_below_a_column() -> None:
    found = _page((0, 0, 10, 10), (20, 2, 10, 10), (1, 30, 10, 10))
    assert _holds(found, "line") == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert _holds(found, "column") == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_what_lies_in_another_is_inside_it_and_not_the_other_way_round() -> None:
    found = _page((0, 0, 100, 100), (10, 10, 5, 5))
    assert _holds(found, "inside") == [[0, 0], [1, 0]]
    assert _holds(found, "holds") == [[0, 1], [0, 0]]


def test_the_same_place_is_inside_nothing() -> None:
    assert _page((0, 0, 10, 10), (0, 0, 10, 10))[..., RELATIONS.index("inside")].sum() == 0


def test_a_text_labels_the_field_that_has_its_words_as_label() -> None:
    found = _page((0, 0, 10, 10), (0, 20, 10, 10), names=(7, 9), labels=(0, 7))
    assert _holds(found, "labels") == [[0, 1], [0, 0]]
    assert _holds(found, "labelled") == [[0, 0], [1, 0]]


def test_what_has_no_place_has_no_relation() -> None:
    assert _page((0, 0, 0, 0), (0, 0, 0, 0)).sum() == 0


def test_another_order_gives_the_same_relations_in_that_order() -> None:
    boxes = ((0.0, 0.0, 100.0, 100.0), (10.0, 10.0, 5.0, 5.0), (30.0, 12.0, 5.0, 5.0))
    order = [2, 0, 1]
    straight, turned = _page(*boxes), _page(*(boxes[index] for index in order))
    assert torch.equal(straight[order][:, order], turned)
