"""What the network reads of a page."""

import hashlib
from collections.abc import Iterable
from dataclasses import fields

import numpy as np
import pytest
from msgspec import structs

from learning import arrays as sizes
from learning.features import Scene, scene
from sandbox.contracts.actions import ActOutcome, Click, Press, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal
from tests.learning.pages import a_form, a_goal, a_list, remembered

ASKS_AND_HOLDS = 12

SCENES = (
    (a_list("logs-31", "logs-3", quotas=("10 GB", "50 GB")), a_goal("logs-3"), ()),
    (
        a_form("50", "MB"),
        a_goal(),
        (remembered(a_list("logs-3"), Click(12)), remembered(a_form(), Type(71, "50")), remembered(a_form(), Wait())),
    ),
    (
        a_form("50", "MB"),
        Goal('Let "logs-3" hold 20 GB'),
        (remembered(a_form(), Press("Enter"), ActOutcome.NO_EFFECT),),
    ),
)
WHAT_VERSION_1_READS = "fd1e8f14c14ee732dcb56dbda51573df1f30af1460a871a04c0b740a5ea7d0d0"


def test_arrays_have_the_sizes_they_are_declared_with() -> None:
    arrays = scene(a_list("logs-3", "web-1"), a_goal(), ()).arrays
    assert arrays.element_words.shape == (12, sizes.FIELDS, sizes.WORDS)
    assert arrays.element_numbers.shape == (12, sizes.ELEMENT_NUMBERS)
    assert arrays.element_pairs.shape == (12, sizes.GOALS, sizes.PAIRS)
    assert arrays.goal_there.sum() == 4


@pytest.mark.parametrize("name", [each for each in sizes.NAMES if each != "goal_words"])
def test_another_name_in_goal_and_page_reads_the_same(name: str) -> None:
    one = scene(a_list("amber", "web-1"), a_goal("amber"), ()).arrays
    other = scene(a_list("heron", "web-1"), a_goal("heron"), ()).arrays
    assert np.array_equal(getattr(one, name), getattr(other, name))


def test_the_row_that_the_goal_names_stands_out() -> None:
    pairs = scene(a_list("logs-31", "logs-3"), a_goal("logs-3"), ()).arrays.element_pairs
    in_row = pairs[:, 0, sizes.IN_ROW]
    assert in_row.tolist() == [0.0] * 8 + [1.0] * 4
    assert pairs[8, 0, sizes.EQUAL_NAME] == 1.0


def test_a_field_that_holds_what_is_asked_differs_from_one_that_does_not() -> None:
    empty = scene(a_form(), a_goal(), ()).arrays.element_pairs[1, 1]
    filled = scene(a_form("50"), a_goal(), ()).arrays.element_pairs[1, 1]
    assert (empty[ASKS_AND_HOLDS], filled[ASKS_AND_HOLDS], filled[sizes.EQUAL_VALUE]) == (0.0, 1.0, 1.0)


def test_a_select_knows_which_option_the_goal_names_and_which_is_chosen() -> None:
    seen = scene(a_form("50", "MB"), a_goal(), ())
    assert [text for _, text in seen.options] == ["MB", "GB", "TB"]
    assert seen.arrays.option_pairs[:, 2, 0].tolist() == [0.0, 1.0, 0.0]
    assert seen.arrays.option_numbers[:, 0].tolist() == [1.0, 0.0, 0.0]


def test_what_was_acted_on_is_remembered_with_its_effect() -> None:
    page = a_list("logs-3")
    first = scene(page, a_goal(), ()).arrays.element_numbers
    again = scene(page, a_goal(), (remembered(page, Click(12), ActOutcome.NO_EFFECT),)).arrays.element_numbers
    changed = np.flatnonzero((first != again).any(axis=1))
    assert changed.tolist() == [6]


def test_history_is_newest_first() -> None:
    page = a_form()
    history = (remembered(page, Type(71, "5")), remembered(page, Click(73)))
    kinds = scene(page, a_goal(), history).arrays.history_kinds
    assert kinds[:3, 0].tolist() == [sizes.KINDS.index("click") + 1, sizes.KINDS.index("type") + 1, 0]


def test_a_huge_page_keeps_its_dialog_and_what_the_goal_names() -> None:
    crowd = tuple(Element(ref=n, role="cell", name=f"cell {n}", actionable=False) for n in range(1, 300))
    named = Element(ref=900, role="link", name="logs-3", row="logs-3 | 10 GB")
    button = Element(ref=901, role="button", name="Save", region="dialog")
    page = structs.replace(a_list(), elements=(*crowd, named, button))
    seen = scene(page, a_goal("logs-3"), ())
    assert len(seen.elements) == sizes.MAX_ELEMENTS
    assert [each.ref for each in seen.elements[-2:]] == [900, 901]


def test_what_cannot_be_done_is_masked() -> None:
    page = structs.replace(a_list("logs-3"), elements=(Element(ref=1, role="button", name="Go", states=("disabled",)),))
    can = scene(page, a_goal(), ()).arrays.kind_can
    assert [bool(can[sizes.KINDS.index(kind)]) for kind in ("click", "type", "select", "wait")] == [
        False,
        False,
        False,
        True,
    ]


def test_free_text_has_its_own_goal_tokens() -> None:
    seen = scene(a_list("logs-3"), Goal("Open bucket logs-3"), ())
    assert seen.texts == (("", "logs-3"),)


def test_the_arrays_mean_what_shipped_policies_learnt_them_to_mean() -> None:
    """Another digest is another meaning: raise arrays.VERSION, and train the starter anew."""
    assert sizes.VERSION == 1
    assert digest(scene(*each) for each in SCENES) == WHAT_VERSION_1_READS


def digest(scenes: Iterable[Scene]) -> str:
    """One hash over every number of every array."""
    found = hashlib.sha256()
    for each in scenes:
        for field in fields(each.arrays):
            array = getattr(each.arrays, field.name)
            found.update(f"{field.name} {array.shape} {array.dtype}".encode())
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def test_of_a_page_too_long_what_the_goal_names_is_kept() -> None:
    links = tuple(Element(ref, "link", f"Thing number {ref}") for ref in range(2 * sizes.MAX_ELEMENTS))
    page = Observation("http://c.example/", "Start", (*links, Element(999, "link", "Retention policies")))
    seen = scene(page, Goal("Delete the retention policies of web-1."), ())
    assert len(seen.elements) == sizes.MAX_ELEMENTS
    assert seen.elements[-1].name == "Retention policies"
    assert [each.ref for each in seen.elements[:-1]] == list(range(sizes.MAX_ELEMENTS - 1))
