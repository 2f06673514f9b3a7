"""The orchestrator: episodes come and go in their slots, limits cut, faults are told, everything is counted."""

import itertools
import random
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sandbox.contracts.actions import Click, Finish, GiveUp
from sandbox.contracts.tasks import Outcome
from sandbox.episode import Turn
from sandbox.fleet import Fleet
from sandbox.levels import Deck
from sandbox.orchestrator import Orchestrator
from sandbox.pool import Pool
from sandbox.registry import find_environment
from sandbox.semantics.rules import adapter_for
from sandbox.stage import LocalStage
from tests.sandbox.tiny import REF, REGISTERED, Counting, make


def orchestra(slots: int = 2, *, seed: int = 1, limit_s: float = 600.0) -> Orchestrator:
    """Slots in this process, on tiny worlds."""
    stage = LocalStage(slots, pool=Pool(slots, make=make))
    return Orchestrator(stage, Deck.of([REGISTERED], seed=seed), episode_limit_s=limit_s)


def answer(it: Orchestrator, turn: Turn) -> None:
    """What the oracle does."""
    it.act(turn.slot, Counting().act(turn.observation, turn.task.goal, ()).action)


def ended_of(told: list[Turn]) -> list[Turn]:
    """The last turns of episodes."""
    return [turn for turn in told if turn.end]


def waiting_of(told: list[Turn]) -> list[Turn]:
    """The turns that wait for an action."""
    return [turn for turn in told if not turn.end]


def until_ended(it: Orchestrator, count: int) -> list[Turn]:
    """Let the oracle play until so many episodes have ended."""
    ended: list[Turn] = []
    while len(ended) < count:
        told = it.turns()
        ended += ended_of(told)
        for turn in waiting_of(told):
            answer(it, turn)
    return ended


def test_oracles_episodes_are_verified_and_well_paid() -> None:
    it = orchestra()
    ended = until_ended(it, 12)
    assert len(ended) >= 12
    assert {(turn.end, turn.terminated, turn.truncated) for turn in ended} == {("finish", True, False)}
    assert {turn.verification.outcome for turn in ended if turn.verification} == {Outcome.VERIFIED}
    metrics = it.metrics()
    assert metrics["orchestrator_verified_share"] == 1.0
    assert metrics["pool_made"] == 2
    assert metrics["reward_count"] == metrics["orchestrator_episodes"] == len(ended)
    assert metrics["reward_mean"] > 0.4
    assert metrics["farming_suspected"] == 0


def test_a_short_task_does_not_wait_for_a_long_one() -> None:
    it = orchestra(3)
    first = {turn.slot: turn for turn in it.turns()}
    slow = first.pop(0)
    for turn in first.values():
        it.act(turn.slot, GiveUp())
    ended = [turn for turn in it.turns() if turn.end]
    assert {turn.slot for turn in ended} == {1, 2}
    again = it.turns()
    assert {turn.slot for turn in again} == {1, 2}
    assert {turn.episode for turn in again} == {4, 5}
    it.act(slow.slot, Click(REF["more"]))
    assert [turn.episode for turn in it.turns()] == [slow.episode]


def test_the_step_limit_truncates_and_giving_up_terminates() -> None:
    it = orchestra(1)
    (turn,) = it.turns()
    for _ in range(turn.task.max_steps):
        it.act(0, Click(REF["less"]))
        (turn,) = it.turns()
    assert (turn.end, turn.terminated, turn.truncated, turn.step) == ("steps", False, True, 12)
    it.turns()
    it.act(0, GiveUp())
    (turn,) = it.turns()
    assert (turn.end, turn.terminated) == ("give_up", True)


def test_danger_terminates_and_a_wrong_finish_is_paid_nothing_for_success() -> None:
    it = orchestra(1)
    it.turns()
    it.act(0, Click(REF["break"]))
    (turn,) = it.turns()
    assert (turn.end, turn.terminated, turn.parts["danger"]) == ("danger", True, -1.0)
    it.turns()
    it.act(0, Finish())
    (turn,) = it.turns()
    assert turn.verification is not None
    assert (turn.end, turn.verification.outcome, "success" in turn.parts) == ("finish", Outcome.FAILED, False)


def test_the_time_limit_truncates() -> None:
    it = orchestra(1, limit_s=0.0)
    it.turns()
    it.act(0, Click(REF["less"]))
    (turn,) = it.turns()
    assert (turn.end, turn.truncated) == ("time", True)


@pytest.mark.parametrize(("button", "trouble"), [("raise", "raised"), ("nonsense", "nonsense"), ("wild", "nonsense")])
def test_a_fault_truncates_and_the_slot_plays_on(button: str, trouble: str) -> None:
    it = orchestra(1)
    it.turns()
    it.act(0, Click(REF[button]))
    (lost,) = it.turns()
    assert (lost.end, lost.truncated, lost.reward) == (trouble, True, 0.0)
    (again,) = it.turns()
    assert (again.episode, again.step) == (2, 0)
    assert it.metrics()[f"orchestrator_ended_{trouble}"] == 1


def test_acting_where_nobody_waits_is_refused() -> None:
    it = orchestra(1)
    it.turns()
    it.act(0, Click(REF["more"]))
    with pytest.raises(RuntimeError, match="no action is waited for"):
        it.act(0, Click(REF["more"]))
    with pytest.raises(KeyError):
        it.act(7, Finish())


def test_levels_come_again_by_the_learners_score() -> None:
    stage = LocalStage(1, pool=Pool(1, make=make))
    it = Orchestrator(stage, Deck.of([REGISTERED], seed=1, replay=1.0))
    (first,) = it.turns()
    it.score(first.level, 3.0)
    it.act(0, GiveUp())
    it.turns()
    (again,) = it.turns()
    assert (again.level, again.task) == (first.level, first.task)


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Two worker processes."""
    made = Fleet(2, limit_s=0.2, maker="tests.sandbox.tiny:make")
    yield made
    made.close()


def test_with_faults_in_worker_processes_every_slot_plays_on(fleet: Fleet) -> None:
    it = Orchestrator(fleet, Deck.of([REGISTERED], seed=1))
    faults = itertools.cycle(["hang", "die", "nonsense", "deaf"])
    ends: dict[int, list[str]] = {0: [], 1: []}
    while min(len(each) for each in ends.values()) < 4:
        told = it.turns()
        for turn in ended_of(told):
            ends[turn.slot].append(turn.end)
        for turn in waiting_of(told):
            it.act(turn.slot, Click(REF[next(faults)]))
    assert {end for each in ends.values() for end in each} <= {"timed_out", "died", "nonsense"}
    assert it.metrics()["stage_recovery_longest_s"] < 2


@pytest.mark.parametrize("suspect_s", [0.1, None], ids=["told", "by what is usual"])
def test_a_spare_steps_in_for_a_slot_that_may_hang(suspect_s: float | None) -> None:
    with closing(Fleet(2, limit_s=30.0, suspect_s=suspect_s, maker="tests.sandbox.tiny:make")) as fleet:
        it = Orchestrator(fleet, Deck.of([REGISTERED], seed=1), playing=1)
        (only,) = it.turns(10)
        it.act(only.slot, Click(REF["hang"]))
        began = time.monotonic()
        (spare,) = it.turns(10)
        assert time.monotonic() - began < 4
        assert (spare.slot, spare.step) == (1 - only.slot, 0)
        it.act(spare.slot, Click(REF["more"]))
        assert [turn.slot for turn in it.turns(10)] == [spare.slot]


def test_the_workbench_is_played_by_its_oracles() -> None:
    registered = find_environment("workbench")
    it = Orchestrator(LocalStage(4), Deck.of([registered], seed=3))
    ended: list[Turn] = []
    while len(ended) < 20:
        told = it.turns()
        ended += ended_of(told)
        for turn in waiting_of(told):
            oracle = registered.templates[turn.task.template].oracle(turn.task)
            it.act(turn.slot, oracle.act(turn.observation, turn.task.goal, ()).action)
    assert {turn.end for turn in ended} == {"finish"}
    assert it.metrics()["orchestrator_verified_share"] == 1.0
    assert it.metrics()["coverage_silent_share_workbench"] == 0.0


class Conducting(RuleBasedStateMachine):
    """Any actions in any order: slots, episodes and counts stay whole."""

    def __init__(self) -> None:
        super().__init__()
        self.it = orchestra(3, seed=7)
        self.waiting: dict[int, Turn] = {}
        self.acted = 0
        self.ended = 0

    @rule()
    def hear(self) -> None:
        told = self.it.turns(0.0)
        assert all(turn.terminated + turn.truncated == bool(turn.end) for turn in told)
        assert not self.waiting.keys() & {turn.slot for turn in told}
        self.ended += len(ended_of(told))
        self.waiting |= {turn.slot: turn for turn in waiting_of(told)}

    @rule(
        button=st.sampled_from(["more", "less", "break", "raise", "nonsense"]),
        other=st.sampled_from([None, Finish(), GiveUp()]),
        seed=st.integers(0, 99),
    )
    def act(self, button: str, other: Finish | GiveUp | None, seed: int) -> None:
        for slot in random.Random(seed).sample(sorted(self.waiting), len(self.waiting) // 2 or len(self.waiting)):
            self.it.act(slot, other or Click(REF[button]))
            del self.waiting[slot]
            self.acted += 1

    @invariant()
    def all_is_counted(self) -> None:
        metrics = self.it.metrics()
        assert metrics["orchestrator_steps"] == self.acted
        assert metrics["orchestrator_episodes"] == self.ended
        assert metrics["orchestrator_dealt"] == metrics["orchestrator_playing"] + self.ended
        assert all(isinstance(value, float) for value in metrics.values())


TestConducting = Conducting.TestCase
TestConducting.settings = settings(max_examples=40, deadline=None)


def test_an_adapter_of_ones_own_can_be_given() -> None:
    stage = LocalStage(1, pool=Pool(1, make=make))
    it = Orchestrator(stage, Deck.of([REGISTERED], seed=1), adapter=lambda _: adapter_for("workbench"))
    it.turns()
    it.act(0, GiveUp())
    (turn,) = it.turns()
    assert turn.tokens == {"GAVE_UP", "NOTHING_HAPPENED"}
