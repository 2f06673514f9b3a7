"""A goal told as a sentence and a page of few marks, as arrays; and a network that reads them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs

from learning import arrays as f
from learning import batches, bc, export, salience, sentences
from learning.arrays import Arrays
from learning.closeness import CLOSE, OPTION_CLOSE
from learning.lexical import FIRST_WORD, VOCABULARY
from learning.networks import Shape, run, tensors
from sandbox.contracts.actions import ActOutcome, ActResult, Click
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal

SHAPE = Shape(width=16, layers=1, heads=2, word_width=4, sentences=1, relations=1)
GOAL = Goal('Click the "Like" button of @ann and choose Pedro Bay.')
URL = "http://127.0.0.1/miniwob/social-media.html?seed=3"


def _posts(*people: str) -> Observation:
    """A post for each person: a name, a text, and two icons."""
    elements = [Element(0, "text", GOAL.text, actionable=False, box=Box(0, 0, 160, 50))]
    for index, person in enumerate(people):
        top = 60 + 40 * index
        elements += [
            Element(10 * index + 1, "text", f"@{person}", box=Box(5, top, 60, 10), actionable=False),
            Element(10 * index + 2, "text", "Some words.", box=Box(5, top + 12, 90, 10), actionable=False),
            Element(10 * index + 3, "button", "reply", box=Box(5, top + 25, 10, 10)),
            Element(10 * index + 4, "button", "like", box=Box(25, top + 25, 10, 10)),
        ]
    elements.append(Element(99, "combobox", "City", options=("Pedro Bay", "Pedro Lake"), box=Box(5, 190, 60, 15)))
    return Observation(URL, "", tuple(elements))


def _arrays(page: Observation, history: tuple[Past, ...] = ()) -> Arrays:
    return sentences.scene(page, GOAL, history).arrays


def _column(arrays: Arrays, token: str, column: int) -> list[float]:
    texts = [text for _, text in sentences.scene(_posts("ann"), GOAL, ()).texts]
    return [float(each) for each in arrays.element_pairs[:, texts.index(token), column]]


def test_every_array_has_the_columns_that_the_network_reads() -> None:
    arrays = _arrays(_posts("bob", "ann"))
    numbers, pairs, goal_texts, goal_numbers, option_pairs = SHAPE.columns
    goals = len(arrays.goal_there)
    assert arrays.element_numbers.shape == (10, numbers)
    assert arrays.element_pairs.shape == (10, goals, pairs)
    assert arrays.goal_words.shape == (goals, goal_texts, f.WORDS)
    assert arrays.goal_numbers.shape == (goals, goal_numbers)
    assert arrays.option_pairs.shape == (2, goals, option_pairs)
    assert arrays.history_pairs.shape == (f.HISTORY, goals, pairs)


def test_an_icon_that_repeats_belongs_to_what_stands_before_it() -> None:
    before = f.PAIRS + CLOSE
    assert _column(_arrays(_posts("bob", "ann")), "@ann", before) == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0]


def test_an_ordinal_names_a_place_among_its_like_the_place_on_its_page_and_that_page() -> None:
    links = tuple(Element(index, "link", name) for index, name in enumerate(("Ann", "Bob", "Cid", "1", "2")))
    seen = sentences.scene(Observation(URL, "", links), Goal("Click the 5th result."), ())
    ordinal = [text for _, text in seen.texts].index("5")
    ordinals = slice(f.PAIRS + CLOSE + 3, f.PAIRS + CLOSE + sentences.PLACED)
    assert seen.arrays.element_pairs[:, ordinal, ordinals].T.tolist() == [
        [0, 0, 0, 0, 1],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 1],
    ]


def test_a_whole_option_that_the_goal_names_is_told_from_one_that_shares_a_word() -> None:
    whole = f.OPTION_PAIRS
    assert _arrays(_posts("ann")).option_pairs[:, :, whole].max(1).tolist() == [1.0, 0.0]
    assert SHAPE.columns[4] - f.OPTION_PAIRS == OPTION_CLOSE


def test_what_came_of_a_step_is_not_told_for_recordings_do_not_tell_it() -> None:
    page = _posts("ann")
    done, missed = (past(page, Click(3), ActResult(outcome)) for outcome in (ActOutcome.DONE, ActOutcome.MISSED))
    one, other = _arrays(page, (done,)), _arrays(page, (missed,))
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in f.NAMES)


def test_how_often_the_same_was_clicked_is_told_beside_the_number_that_is_asked_for() -> None:
    page, goal = _posts("ann", "ann"), Goal("Like 2 posts.")
    once = past(page, Click(4), ActResult(ActOutcome.DONE))
    told = slice(-salience.GOAL_NUMBERS - 2, -salience.GOAL_NUMBERS)
    found = [sentences.scene(page, goal, (once,) * times).arrays.goal_numbers[1, told].tolist() for times in (0, 1, 2)]
    assert found == [[0, 1], [0, 1], [1, 0]]


def test_the_viewport_around_a_page_does_not_matter() -> None:
    page = _posts("ann")
    wide = structs.replace(page, viewport=(1280, 720))
    assert np.array_equal(_arrays(page).element_numbers, _arrays(wide).element_numbers)


def test_single_letters_read_alike() -> None:
    one, other = (
        _arrays(Observation(URL, "", (Element(1, "button", f"red {sign}"),))).element_words for sign in ("s", "q")
    )
    assert np.array_equal(one, other)


@torch.no_grad()
def test_a_batch_of_goals_of_any_length_says_the_same_as_one_by_one() -> None:
    torch.set_num_threads(1)
    network = bc.fresh(SHAPE, seed=3).eval()
    short = sentences.scene(_posts("ann"), Goal("Click @ann"), ()).arrays
    long = _arrays(_posts("bob", "ann"))
    alone, together = (run(network, tensors(batches.inputs_of(each))) for each in ([short], [short, long]))
    for name, value in alone.items():
        cut = tuple(slice(size) for size in value.shape[1:])
        assert torch.allclose(value[0], together[name][0][cut], atol=1e-5), name


@pytest.mark.parametrize("name", ["click", "type", "answer"])
def test_the_order_of_elements_matters_only_to_what_is_told_by_order(name: str) -> None:
    network = bc.fresh(SHAPE, seed=3).eval()
    arrays = batches.inputs_of([_arrays(_posts("bob", "ann"))])
    order = np.random.default_rng(0).permutation(10)
    place = np.argsort(order)
    turned = {key: value[:, order] if key.startswith("element_") else value for key, value in arrays.items()}
    turned["option_parents"] = place[arrays["option_parents"]]
    with torch.no_grad():
        straight, mixed = run(network, tensors(arrays))[name], run(network, tensors(turned))[name]
    assert torch.allclose(straight[:, order], mixed, atol=1e-5)


def test_its_export_takes_goals_and_pages_of_any_size(tmp_path: Path) -> None:
    network = bc.fresh(SHAPE, seed=3).eval()
    short = sentences.scene(_posts("ann"), Goal("Click @ann"), ()).arrays
    assert export.to_onnx(network, tmp_path / "policy.onnx", [_arrays(_posts("bob", "ann")), short]) < 1e-4


def test_rare_words_are_renamed_alike_on_the_page_and_in_the_goal() -> None:
    inputs = batches.inputs_of([_arrays(_posts("ann"))])
    common = np.ones(VOCABULARY, np.bool_)
    same = batches.renamed(inputs, common, np.random.default_rng(0), share=1.0)
    assert np.array_equal(same["element_words"], inputs["element_words"])
    other = batches.renamed(inputs, ~common, np.random.default_rng(0), share=1.0)
    met = inputs["element_words"].astype(np.int64) >= FIRST_WORD
    assert (other["element_words"][met] != inputs["element_words"][met]).all()
    assert np.array_equal(other["element_words"][~met], inputs["element_words"][~met])
    names = {
        int(old): int(new) for old, new in zip(inputs["element_words"][met], other["element_words"][met], strict=True)
    }
    goal = inputs["goal_words"].astype(np.int64)
    on_both = np.isin(goal, list(names)) & (goal >= FIRST_WORD)
    assert on_both.any()
    assert [names[int(old)] for old in goal[on_both]] == other["goal_words"][on_both].tolist()


@pytest.mark.parametrize("text", ["!!!", "\N{SLIGHTLY SMILING FACE}", "\u200b"])
def test_a_goal_without_words_is_answered_all_the_same(text: str) -> None:
    arrays = sentences.scene(_posts("ann"), Goal(text), ()).arrays
    outputs = run(bc.fresh(SHAPE, seed=1), tensors(batches.inputs_of([arrays])))
    assert torch.isfinite(outputs["kind"][0, arrays.kind_can]).all()
