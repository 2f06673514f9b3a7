"""Phases are over when their data says so, exploration follows coverage, and a farmed reward is noticed."""

import msgspec
import pytest

from learning.phases import PHASES, Condition, Phase, Progression, Settled, collapsed, evenness

EXPLORE = Phase("explore", (Condition("coverage", at_least=0.92, updates=2),), most=10, even=0.2)
REFINE = Phase("refine", (), most=5)


def _curve(name: str, *values: float) -> list[dict[str, float]]:
    return [{name: value} for value in values]


def test_a_condition_holds_only_in_as_many_updates_in_a_row() -> None:
    condition = Condition("coverage", at_least=0.9, at_most=0.99, updates=2)
    assert condition.holds(_curve("coverage", 0.1, 0.95, 0.9))
    assert not condition.holds(_curve("coverage", 0.95, 0.1, 0.95))
    assert not condition.holds(_curve("coverage", 0.95, 1.0))
    assert not condition.holds(_curve("coverage", 0.95))
    assert not condition.holds(_curve("reward", 0.95, 0.95))


def test_a_number_has_settled_when_it_no_longer_rises() -> None:
    settled = Settled("success", gain=0.01, updates=2)
    assert settled.holds(_curve("success", 0.5, 0.8, 0.8, 0.8, 0.8))
    assert not settled.holds(_curve("success", 0.5, 0.6, 0.7, 0.8))
    assert not settled.holds(_curve("success", 0.8, 0.8, 0.8))


def test_the_next_phase_begins_when_the_conditions_hold_or_time_is_up() -> None:
    progression = Progression()
    names = [progression.step((EXPLORE, REFINE), {"coverage": each}).name for each in (0.5, 0.95, 0.95, 0.1)]
    assert names == ["explore", "explore", "refine", "refine"]
    slow = Progression()
    assert [slow.step((EXPLORE, REFINE), {"coverage": 0.0}).name for _ in range(10)][-2:] == ["explore", "refine"]


def test_the_last_phase_has_no_end_and_none_ends_without_conditions_before_its_time() -> None:
    progression = Progression()
    found = [progression.step((REFINE, EXPLORE, REFINE), {"coverage": 1.0}).name for _ in range(20)]
    assert found[3:5] == ["refine", "explore"]
    assert found[-1] == "refine"
    assert len(progression.history) == 13


def test_where_a_practice_stands_is_plain_data() -> None:
    progression = Progression()
    progression.step((EXPLORE, REFINE), {"coverage": 0.5})
    assert msgspec.convert(msgspec.to_builtins(progression), Progression) == progression


@pytest.mark.parametrize(("coverage", "even"), [(0.0, 0.2), (0.5, 0.1), (1.0, 0.0), (1.5, 0.0)])
def test_less_is_tried_the_more_is_covered(coverage: float, even: float) -> None:
    assert evenness(EXPLORE, coverage) == pytest.approx(even)


def test_the_phases_that_are_shipped_ask_for_coverage_and_consistency() -> None:
    asked = {(each.name, until.metric) for each in PHASES for until in each.until}
    assert [each.name for each in PHASES] == ["calibrate", "explore", "refine", "stress"]
    assert {("explore", "coverage"), ("stress", "consistency")} <= asked
    assert [each.critic_only for each in PHASES] == [True, False, False, False]


def test_reward_that_rises_while_success_falls_is_a_collapse() -> None:
    before = [{"reward": 0.5 + 0.01 * (n % 2), "success": 0.8} for n in range(4)]
    farmed = [{"reward": 0.9, "success": 0.5}] * 4
    worse = [{"reward": 0.3, "success": 0.5}] * 4
    better = [{"reward": 0.9, "success": 0.9}] * 4
    assert collapsed([*before, *farmed], window=4)
    assert not collapsed([*before, *worse], window=4)
    assert not collapsed([*before, *better], window=4)
    assert not collapsed(farmed, window=4)
