"""Actions to indices and back, with exact probabilities."""

import math

import numpy as np
import pytest

from learning import candidates, features
from learning.arrays import GOALS, KINDS
from learning.candidates import LOW, label, ranked
from learning.features import Scene
from sandbox.contracts.actions import Action, Click, Finish, Navigate, Press, Scroll, Select, Type, Wait
from tests.learning.pages import a_form, a_goal, a_list


def _logits(seen: Scene, **some: dict[int, float]) -> dict[str, np.ndarray]:
    e, o = len(seen.elements), len(seen.options)
    sizes = {"kind": len(KINDS), "click": e, "type": e, "answer": e, "option": o, "key": 8, "direction": 2}
    logits = {name: np.full(size, LOW, np.float32) for name, size in sizes.items()}
    logits["source"] = np.full((e, GOALS), LOW, np.float32)
    for name, values in some.items():
        for index, value in values.items():
            logits[name][index] = value
    return logits


@pytest.mark.parametrize(
    "action",
    [Click(73), Type(71, "50"), Select(72, "GB"), Press("Enter"), Scroll("down"), Wait(), Finish(), Finish("Quota")],
)
def test_what_is_labelled_comes_back_as_the_same_action(action: Action) -> None:
    seen = features.scene(a_form(), a_goal(), ())
    right = label(seen, action)
    assert right is not None
    logits = _logits(seen, kind={right.kind: 9.0}, key={right.key: 9.0}, direction={right.direction: 9.0})
    for head in ("click", "type", "answer"):
        logits[head] = np.where(right.elements, 9.0, LOW).astype(np.float32)
    logits["source"][:] = np.where(right.sources, 9.0, LOW)
    logits["option"] = np.where(right.options, 9.0, LOW).astype(np.float32)
    assert ranked(seen, logits)[0].action == action


@pytest.mark.parametrize(
    "action", [Navigate("/x"), Type(71, "not in the goal"), Click(999), Select(72, "PB"), Finish("nowhere")]
)
def test_what_the_network_cannot_say_has_no_label(action: Action) -> None:
    assert label(features.scene(a_form(), a_goal(), ()), action) is None


def test_a_probability_is_the_product_along_the_heads() -> None:
    seen = features.scene(a_form(), a_goal(), ())
    logits = _logits(
        seen,
        kind={KINDS.index("type"): math.log(3), KINDS.index("wait"): math.log(1)},
        type={1: 0.0},
    )
    logits["source"][1, 0], logits["source"][1, 1] = math.log(1), math.log(4)
    found = {each.action: math.exp(each.log_probability) for each in ranked(seen, logits)}
    assert found[Type(71, "50")] == pytest.approx(3 / 4 * 4 / 5, rel=1e-5)
    assert found[Type(71, "logs-3")] == pytest.approx(3 / 4 * 1 / 5, rel=1e-5)
    assert found[Wait()] == pytest.approx(1 / 4, rel=1e-5)
    assert sum(found.values()) == pytest.approx(1.0, rel=1e-5)


def test_the_same_answer_in_two_places_adds_up() -> None:
    seen = features.scene(a_list("a-1", "b-1"), a_goal("a-1"), ())
    logits = _logits(seen, kind={KINDS.index("answer"): 0.0}, answer={5: 0.0, 9: 0.0, 4: 0.0})
    found = {each.action: math.exp(each.log_probability) for each in ranked(seen, logits)}
    assert found[Finish("10 GB")] == pytest.approx(2 / 3, rel=1e-5)


def test_two_goal_values_that_read_alike_are_both_right() -> None:
    right = label(features.scene(a_form(), a_goal("50", "50"), ()), Type(71, "50"))
    assert right is not None
    assert right.sources[:3].tolist() == [True, True, False]


def test_an_empty_axis_has_no_softmax_to_speak_of() -> None:
    assert candidates.log_softmax(np.zeros((0,), np.float32)).shape == (0,)
