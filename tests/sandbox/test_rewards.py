"""Rewards: each part by a number worked out by hand; progress cannot be farmed; extras are capped; farming is seen."""

import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.contracts.actions import Action, Click, Finish, GiveUp
from sandbox.contracts.observations import Element
from sandbox.contracts.trajectories import Trajectory
from sandbox.documents import BadDocument
from sandbox.rewards import Doing, Earned, FarmingDetector, FarmingReport, Ledger, Spec, default, from_text, load
from sandbox.semantics.trails import Tread

CLICK = Click(1)
FIRST = Tread(frozenset(), None, None, "0")
PLAIN = from_text("reward: plain\nsuccess: 1\nprogress: 1\ngamma: 0.9\n")


def doing(
    progress: float = 0.0,
    *tokens: str,
    action: Action = CLICK,
    before: str = "",
    element: Element | None = None,
    harm: tuple[str, ...] = (),
    verified: bool = False,
    novelty: float = 0.0,
) -> Doing:
    """One step."""
    tread = Tread(frozenset(tokens), action, None, "")
    return Doing(tread, action, element, before, progress, harm, 5, verified, novelty)


def spec(text: str) -> Spec:
    """A reward with nothing in it but this."""
    return from_text(f"reward: mine\nsuccess: 0\n{text}")


def test_the_parts_of_a_good_episode_by_hand() -> None:
    ledger = Ledger(PLAIN, FIRST, 0.2)
    assert ledger.step(doing(0.5)).total == pytest.approx(0.9 * 0.5 - 0.2)
    last = ledger.step(doing(1.0, action=Finish(), verified=True))
    assert last.parts == pytest.approx({"success": 1.0, "progress": -0.5})


@settings(deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=15),
    st.floats(0, 1),
    st.sampled_from([Finish(), GiveUp()]),
    st.floats(0.5, 1.0),
)
def test_no_way_through_an_episode_earns_more_progress_than_another(
    ways: list[float], first: float, end: Action, gamma: float
) -> None:
    ledger = Ledger(msgspec.structs.replace(PLAIN, gamma=gamma, success=0.0), FIRST, first)
    earned = [ledger.step(doing(each)).total for each in ways]
    earned.append(ledger.step(doing(ways[-1], action=end)).total)
    assert math.fsum(gamma**n * each for n, each in enumerate(earned)) == pytest.approx(-first, abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_going_round_and_coming_back_earns_nothing(circle: list[float]) -> None:
    ledger = Ledger(msgspec.structs.replace(PLAIN, gamma=1.0), FIRST, 0.3)
    assert sum(ledger.step(doing(each)).total for each in [*circle, 0.3]) == pytest.approx(0.0, abs=1e-9)


def test_danger_costs_once_and_ends_the_episode() -> None:
    ledger = Ledger(spec("danger: {reward: -2, terminates: true}"), FIRST, 0.0)
    assert not ledger.step(doing()).terminates
    endangered = ledger.step(doing(harm=("disk.delete",)))
    assert (endangered.total, endangered.terminates) == (-2.0, True)
    assert ledger.step(doing(harm=("disk.delete",))).total == 0.0


def test_a_finish_that_is_not_verified_may_cost() -> None:
    ledger = Ledger(spec("failure: -0.5"), FIRST, 0.0)
    assert ledger.step(doing(action=Finish())).parts == {"success": -0.5}
    assert Ledger(spec("failure: -0.5"), FIRST, 0.0).step(doing(action=GiveUp())).total == 0.0


def test_the_same_on_the_same_screen_is_repeating() -> None:
    ledger = Ledger(spec("penalties: {repeating: -0.1}"), FIRST, 0.0)
    costs = [
        ledger.step(doing(before=screen, action=Click(n))).total
        for screen, n in [("a", 1), ("a", 2), ("b", 1), ("a", 1)]
    ]
    assert costs == [0, 0, 0, -0.1]


def test_submitting_before_anything_was_read_costs_once() -> None:
    text = "penalties: {submitting_before_reading: -0.3}\nreading: [LIST_SHOWN]\nsubmitting: [SUBMITTED]"
    hasty = Ledger(spec(text), FIRST, 0.0)
    assert [hasty.step(doing(0.0, "SUBMITTED")).total for _ in range(2)] == [-0.3, 0.0]
    careful = Ledger(spec(text), FIRST, 0.0)
    assert [careful.step(doing(0.0, token)).total for token in ("LIST_SHOWN", "SUBMITTED")] == [0.0, 0.0]


def test_going_back_to_a_tool_with_nothing_gained_is_needless() -> None:
    find, move = (Element(n, "button", name) for n, name in enumerate(("Find", "Move"), 1))
    needless = spec("penalties: {needless_switch: -0.1}")
    idle, useful = Ledger(needless, FIRST, 0.0), Ledger(needless, FIRST, 0.0)
    assert [idle.step(doing(element=each)).total for each in (find, move, find)] == [0, 0, -0.1]
    steps = [(0.1, find), (0.2, move), (0.3, find)]
    assert [useful.step(doing(progress, element=each)).total for progress, each in steps] == [0, 0, 0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["CREATED", "DELETED", "LOADING"]), st.floats(0, 1)), max_size=30))
def test_extras_of_an_episode_never_leave_their_cap(steps: list[tuple[str, float]]) -> None:
    text = """exploration: 0.2
auxiliary:
  - {name: made, reward: 0.4 * now(CREATED)}
  - {name: gone, reward: -0.7 * now(DELETED)}
auxiliary_cap: 0.5
"""
    ledger = Ledger(spec(text), FIRST, 0.0)
    for token, novelty in steps:
        ledger.step(doing(0.0, token, novelty=novelty))
        assert abs(ledger.total) <= 0.5 + 1e-9


def test_an_auxiliary_reward_stands_by_its_name_until_the_cap() -> None:
    ledger = Ledger(spec("auxiliary: [{name: made, reward: 0.3 * now(CREATED)}]\nauxiliary_cap: 0.5"), FIRST, 0.0)
    parts = [ledger.step(doing(0.0, "CREATED")).parts for _ in range(3)]
    assert parts == [{"auxiliary_made": pytest.approx(0.3)}, {"auxiliary_capped": pytest.approx(0.2)}, {}]


def test_reward_without_progress_is_reported() -> None:
    detector = FarmingDetector(earned=0.1, steps=3)
    detector.begin(0.0)
    earned = Earned(0.04, {"exploration": 0.05, "step": -0.01})
    found = [detector.step(earned, progress) for progress in (0.2, 0.2, 0.2, 0.2, 0.1)]
    assert found[:3] == [None, None, None]
    assert detector.suspicions == [found[4]]
    assert found[4] is not None
    assert (found[4].first_step, found[4].last_step) == (2, 5)
    assert found[4].sources == pytest.approx({"exploration": 0.2})
    report = FarmingReport()
    report.add("cloud", detector)
    report.add("cloud", FarmingDetector())
    assert report.metrics() == pytest.approx(
        {"farming_episodes": 2, "farming_suspected": 1, "farming_worst_earned": 0.16}
    )


def test_reward_that_comes_with_progress_is_not_suspicious() -> None:
    detector = FarmingDetector(earned=0.01, steps=2)
    for step in range(9):
        assert detector.step(Earned(0.1, {"progress": 0.1}), (step + 1) / 10) is None


def test_the_default_reward_is_a_good_one() -> None:
    assert default().progress > 0
    assert default().auxiliary_cap < default().success / 2
    assert default().danger_terminates


def test_reward_outcome_and_verdict_stay_three_things() -> None:
    fields = set(Trajectory.__struct_fields__)
    assert {"verification", "verdict"} <= fields
    assert "reward" not in fields
    assert set(Earned.__struct_fields__) == {"total", "parts", "terminates"}


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("reward: a\nstep: 1\n", 2, "step: expected a cost of at most 0, found 1"),
        ("reward: a\nsucces: 1\n", 2, "unknown key 'succes' (did you mean 'success'?)"),
        ("reward: a\nreading: [LISTED]\n", 2, "'LISTED' is no token; expected BLOCKED"),
        (
            "reward: a\nauxiliary:\n  - name: x\n    reward: now(CREATED).real\n",
            4,
            "auxiliary[0].reward: 'now(CREATED).real' at character 1 is not allowed",
        ),
    ],
)
def test_a_broken_reward_is_told_by_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(BadDocument) as told:
        load(file)
    assert f"mine.yaml:{line}: " in str(told.value)
    assert sentence in str(told.value)
