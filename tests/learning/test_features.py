"""What the network reads of a page."""

import numpy as np
import pytest
from msgspec import structs

from learning import arrays as sizes
from learning import features
from sandbox.contracts.actions import ActOutcome, Click, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.tasks import Goal
from tests.learning.pages import a_form, a_goal, a_list, remembered

EQUAL_NAME, EQUAL_VALUE, IN_ROW, ASKS_AND_HOLDS = 0, 1, 3, 12


def test_arrays_have_the_sizes_they_are_declared_with() -> None:
    arrays = features.scene(a_list("logs-3", "web-1"), a_goal(), ()).arrays
    assert arrays.element_words.shape == (12, sizes.FIELDS, sizes.WORDS)
    assert arrays.element_numbers.shape == (12, sizes.ELEMENT_NUMBERS)
    assert arrays.element_pairs.shape == (12, sizes.GOALS, sizes.PAIRS)
    assert arrays.goal_there.sum() == 4


@pytest.mark.parametrize("name", [each for each in sizes.NAMES if each != "goal_words"])
def test_another_name_in_goal_and_page_reads_the_same(name: str) -> None:
    one = features.scene(a_list("amber", "web-1"), a_goal("amber"), ()).arrays
    other = features.scene(a_list("heron", "web-1"), a_goal("heron"), ()).arrays
    assert np.array_equal(getattr(one, name), getattr(other, name))


def test_the_row_that_the_goal_names_stands_out() -> None:
    pairs = features.scene(a_list("logs-31", "logs-3"), a_goal("logs-3"), ()).arrays.element_pairs
    in_row = pairs[:, 0, IN_ROW]
    assert in_row.tolist() == [0.0] * 8 + [1.0] * 4
    assert pairs[8, 0, EQUAL_NAME] == 1.0


def test_a_field_that_holds_what_is_asked_differs_from_one_that_does_not() -> None:
    empty = features.scene(a_form(), a_goal(), ()).arrays.element_pairs[1, 1]
    filled = features.scene(a_form("50"), a_goal(), ()).arrays.element_pairs[1, 1]
    assert (empty[ASKS_AND_HOLDS], filled[ASKS_AND_HOLDS], filled[EQUAL_VALUE]) == (0.0, 1.0, 1.0)


def test_a_select_knows_which_option_the_goal_names_and_which_is_chosen() -> None:
    seen = features.scene(a_form("50", "MB"), a_goal(), ())
    assert [text for _, text in seen.options] == ["MB", "GB", "TB"]
    assert seen.arrays.option_pairs[:, 2, 0].tolist() == [0.0, 1.0, 0.0]
    assert seen.arrays.option_numbers[:, 0].tolist() == [1.0, 0.0, 0.0]


def test_what_was_acted_on_is_remembered_with_its_effect() -> None:
    page = a_list("logs-3")
    first = features.scene(page, a_goal(), ()).arrays.element_numbers
    again = features.scene(page, a_goal(), (remembered(page, Click(12), ActOutcome.NO_EFFECT),)).arrays.element_numbers
    changed = np.flatnonzero((first != again).any(axis=1))
    assert changed.tolist() == [6]


def test_history_is_newest_first() -> None:
    page = a_form()
    history = (remembered(page, Type(71, "5")), remembered(page, Click(73)))
    kinds = features.scene(page, a_goal(), history).arrays.history_kinds
    assert kinds[:3, 0].tolist() == [sizes.KINDS.index("click") + 1, sizes.KINDS.index("type") + 1, 0]


def test_a_huge_page_keeps_its_dialog_and_what_the_goal_names() -> None:
    crowd = tuple(Element(ref=n, role="cell", name=f"cell {n}", actionable=False) for n in range(1, 300))
    named = Element(ref=900, role="link", name="logs-3", row="logs-3 | 10 GB")
    button = Element(ref=901, role="button", name="Save", region="dialog")
    page = structs.replace(a_list(), elements=(*crowd, named, button))
    seen = features.scene(page, a_goal("logs-3"), ())
    assert len(seen.elements) == sizes.MAX_ELEMENTS
    assert [each.ref for each in seen.elements[-2:]] == [900, 901]


def test_what_cannot_be_done_is_masked() -> None:
    page = structs.replace(a_list("logs-3"), elements=(Element(ref=1, role="button", name="Go", states=("disabled",)),))
    can = features.scene(page, a_goal(), ()).arrays.kind_can
    assert [bool(can[sizes.KINDS.index(kind)]) for kind in ("click", "type", "select", "wait")] == [
        False,
        False,
        False,
        True,
    ]


def test_free_text_has_its_own_goal_tokens() -> None:
    seen = features.scene(a_list("logs-3"), Goal("Open bucket logs-3"), ())
    assert seen.texts == (("", "logs-3"),)
