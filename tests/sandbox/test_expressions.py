"""Reward expressions: what is allowed gives the number it says, what is not is refused by its place."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.expressions import FACTS, LARGEST, BadExpression, parse

TOKENS = frozenset({"CREATED", "FORM_OPEN"})
FACT_VALUES = {**dict.fromkeys(FACTS, 0.0), "progress": 0.5, "step": 3.0}


def value(text: str, now: set[str] | None = None, met: set[str] | None = None) -> float:
    """What an expression gives."""
    return parse(text, TOKENS)(FACT_VALUES, now or set(), met or set())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1", 0.1),
        ("-progress", -0.5),
        ("0.1 * first(CREATED) + now(FORM_OPEN)", 1.1),
        ("met(CREATED)", 0.0),
        ("progress * 2 if step > 2 else 9", 1.0),
        ("min(step, 2, 7) - max(0.25, progress) / 2", 1.75),
        ("now(CREATED) and not met(CREATED)", 1.0),
        ("step >= 4 or progress == 0.5", 1.0),
        ("abs(progress - step)", 2.5),
    ],
)
def test_what_is_allowed_gives_its_number(text: str, expected: float) -> None:
    assert value(text, now={"CREATED", "FORM_OPEN"}) == pytest.approx(expected)


def test_first_is_paid_once() -> None:
    assert value("first(CREATED)", now={"CREATED"}, met={"CREATED"}) == 0.0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("__import__('os').system('true')", "not allowed"),
        ("progress.__class__", "'progress.__class__' at character 1 is not allowed; expected numbers, progress"),
        ("(lambda: 1)()", "not allowed"),
        ("[x for x in (1, 2)]", "not allowed"),
        ("2 ** 9", "'2 ** 9' at character 1 is not allowed"),
        ("1 / progress", "not allowed"),
        ("1 / 0", "division by a number that is not 0"),
        ("1 < step < 3", "not allowed"),
        ("now(MADE_UP)", "MADE_UP at character 1 is no token; expected CREATED, FORM_OPEN"),
        ("now(*CREATED)", "not allowed"),
        ("reward", "'reward' at character 1 is not allowed"),
        ("'text'", "not allowed"),
        ("1e999", "not allowed"),
        ("progress +", "expected an expression such as 0.1 * first(CREATED)"),
        ("1+" * 120 + "1", "at most 100 parts"),
        ("1" * 500, "at most 400 characters"),
        ("progress := 3", "expected an expression"),
    ],
)
def test_what_is_not_allowed_is_told(text: str, fault: str) -> None:
    with pytest.raises(BadExpression) as told:
        parse(text, TOKENS)
    assert fault in str(told.value)


@settings(deadline=None)
@given(
    st.recursive(
        st.sampled_from(["progress", "step", "1e6", "-3", "now(CREATED)"]),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda three: f"({' '.join(three)})"),
        max_leaves=20,
    ),
    st.floats(-1e6, 1e6),
)
def test_every_expression_ends_with_a_finite_number(text: str, progress: float) -> None:
    found = parse(text, TOKENS)({**FACT_VALUES, "progress": progress}, {"CREATED"}, frozenset())
    assert math.isfinite(found)
    assert abs(found) <= LARGEST
