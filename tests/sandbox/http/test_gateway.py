"""Limiter and breaker in virtual time, against plain models of what they promise."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sandbox.worlds.http.gateway import BREAKS_AFTER, OPEN_S, Breaker, Limiter


class BreakerMachine(RuleBasedStateMachine):
    """Requests that go well or not, and time that passes."""

    def __init__(self) -> None:
        super().__init__()
        self.breaker = Breaker()
        self.now = 0
        self.in_a_row = 0
        self.let_through_again_at = 0

    @rule(seconds=st.integers(1, 40))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds

    @rule(failed=st.booleans())
    def a_request_comes(self, failed: bool) -> None:
        waits = self.breaker.wait_s(self.now)
        assert waits == max(0, self.let_through_again_at - self.now)
        self.told(failed=failed, let_through=waits == 0)

    def told(self, *, failed: bool, let_through: bool) -> None:
        self.in_a_row = (self.in_a_row + failed) * (failed or not let_through) if let_through else self.in_a_row
        trips = let_through and failed and (self.in_a_row >= BREAKS_AFTER)
        self.let_through_again_at = self.now + OPEN_S if trips else self.let_through_again_at
        for _ in range(let_through):
            self.breaker.tell(self.now, failed=failed)

    @invariant()
    def its_state_says_what_it_does(self) -> None:
        assert (self.breaker.state(self.now) == "open") is (self.breaker.wait_s(self.now) > 0)


BreakerMachine.TestCase.settings = settings(deadline=None, max_examples=60, stateful_step_count=30)
TestBreaker = BreakerMachine.TestCase


def test_after_the_pause_one_success_closes_it_and_one_failure_opens_it_again() -> None:
    breaker = Breaker()
    for now in range(BREAKS_AFTER):
        breaker.tell(now, failed=True)
    opened = BREAKS_AFTER - 1
    assert [breaker.state(opened + s) for s in (0, OPEN_S - 1, OPEN_S)] == ["open", "open", "half-open"]
    breaker.tell(opened + OPEN_S, failed=True)
    assert breaker.wait_s(opened + OPEN_S) == OPEN_S
    breaker.tell(opened + 2 * OPEN_S, failed=False)
    assert breaker.state(opened + 2 * OPEN_S) == "closed"


@settings(deadline=None)
@given(burst=st.integers(1, 4), refill_s=st.integers(1, 20), gaps=st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_no_window_of_time_lets_more_through_than_burst_and_refill(burst: int, refill_s: int, gaps: list[int]) -> None:
    limiter, now, passed = Limiter(burst=burst, refill_s=refill_s), 0, []
    for gap in gaps:
        now += gap
        passed += [now] * (limiter.wait_s(now) == 0)
    for place, start in enumerate(passed):
        for end in range(place, len(passed)):
            assert end - place + 1 <= burst + (passed[end] - start) // refill_s + 1


@settings(deadline=None)
@given(burst=st.integers(1, 4), refill_s=st.integers(1, 20), gaps=st.lists(st.integers(0, 9), max_size=40))
def test_whoever_waits_as_long_as_told_is_let_through(burst: int, refill_s: int, gaps: list[int]) -> None:
    limiter, now = Limiter(burst=burst, refill_s=refill_s), 0
    for gap in gaps:
        now += gap
        wait_s = limiter.wait_s(now)
        assert 0 <= wait_s <= refill_s
        now += wait_s
        assert wait_s == 0 or limiter.wait_s(now) == 0
