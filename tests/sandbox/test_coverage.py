"""Coverage counts what was met; a loop is the same steps on the same screens, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.contracts.actions import Click
from sandbox.coverage import Coverage, Loop, LoopDetector, loops
from sandbox.semantics.rules import adapter_for
from sandbox.semantics.trails import Tread, trail
from tests.sandbox.semantics.pages import failures


def tread(screen: str, *tokens: str) -> Tread:
    """A click that led to this screen."""
    return Tread(frozenset(tokens), Click(1), None, screen)


def test_what_is_met_again_is_less_new() -> None:
    coverage = Coverage(adapter_for("web"))
    new = [coverage.meet(frozenset({"FORM_OPEN"}), frozenset({"CREATED"})) for _ in range(4)]
    assert new == [1.0, pytest.approx(2**-0.5), pytest.approx(3**-0.5), 0.5]
    assert coverage.meet(frozenset(), frozenset()) == 0.0


def test_tokens_and_transitions_are_counted() -> None:
    coverage = Coverage(adapter_for("web"))
    coverage.add([tread("a", "FORM_OPEN"), tread("b", "CREATED", "LIST_SHOWN"), tread("c")])
    assert coverage.transitions == {("FORM_OPEN", "CREATED"): 1, ("FORM_OPEN", "LIST_SHOWN"): 1}
    assert coverage.metrics()["coverage_silent_share"] == pytest.approx(1 / 3)
    assert "CREATED" not in coverage.unmet
    assert "DELETED" in coverage.unmet
    assert coverage.share() == pytest.approx(3 / (3 + len(coverage.unmet)))


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(0, 4))
def test_three_rounds_of_the_same_are_a_loop(period: int, before: int) -> None:
    lead = [tread(f"lead {n}") for n in range(before)]
    found = loops([*lead, *[tread(str(n)) for n in range(period)] * 3])
    assert found == (Loop(before + 3 * period - 1, period, 3),)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), max_size=20))
def test_a_page_that_changes_is_no_loop(actions: list[int]) -> None:
    assert loops([tread(f"{number} left") for number, _ in enumerate(actions)]) == ()


def test_a_loop_in_a_trajectory_is_found() -> None:
    (trajectory,) = failures("loop", 1)
    assert loops(trail(trajectory))[0].period == 2
    with pytest.raises(ValueError, match="at least two rounds"):
        LoopDetector(times=1)
