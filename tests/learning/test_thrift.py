"""A budget is never overrun, whatever is asked, fails and succeeds in which order; answers are kept whole."""

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from learning.thrift import Answers, Budget, OverBudget, Spent

CALLS, TOKENS = 12, 1_000


class Spending(RuleBasedStateMachine):
    """Calls that reserve, and settle later in any order for no more than they reserved."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = Budget(calls=CALLS, tokens=TOKENS)
        self.open: list[int] = []
        self.used = self.calls = 0

    @precondition(lambda self: self.calls < CALLS)
    @rule(share=st.floats(0, 1))
    def reserve_what_is_left(self, share: float) -> None:
        tokens = int(share * (TOKENS - self.used - sum(self.open)))
        self.budget.reserve(tokens)
        self.open.append(tokens)
        self.calls += 1

    @rule(more=st.integers(1, TOKENS))
    def nothing_beyond_is_given(self, more: int) -> None:
        with pytest.raises(OverBudget):
            self.budget.reserve(TOKENS - self.used - sum(self.open) + more)

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0, CALLS), share=st.floats(0, 1))
    def settle(self, which: int, share: float) -> None:
        reserved = self.open.pop(which % len(self.open))
        used = int(share * reserved)
        self.budget.settle(reserved=reserved, used=used)
        self.used += used

    @precondition(lambda self: self.calls == CALLS)
    @rule()
    def no_call_is_left(self) -> None:
        with pytest.raises(OverBudget, match="all 12 calls are used"):
            self.budget.reserve(0)

    @invariant()
    def what_is_spent_is_what_was_used_and_is_reserved(self) -> None:
        assert self.budget.spent == Spent(self.calls, self.used + sum(self.open))
        assert self.budget.spent.tokens <= TOKENS


TestSpending = Spending.TestCase
TestSpending.settings = settings(max_examples=60, deadline=None)


def test_an_answer_is_found_again_by_what_was_asked_in_any_order(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "kept")
    answers.put({"model": "m", "messages": [1]}, "yes")
    assert Answers(tmp_path / "kept").get({"messages": [1], "model": "m"}) == "yes"
    assert answers.get({"messages": [2], "model": "m"}) is None


def test_answers_are_for_nobody_else_to_read(tmp_path: Path) -> None:
    Answers(tmp_path / "kept")
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
