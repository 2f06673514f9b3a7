"""The pool: warm ones are used again, the limit holds, and nothing is lent twice."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sandbox.pool import Pool, PoolEmpty, from_registry
from sandbox.registry import NoSuchFace, UnknownEnvironment
from tests.sandbox.tiny import Tiny, make, task

BASES = st.sampled_from(("a", "b", "c", "a?tone=t1", "b?tone=t2"))


class PoolMachine(RuleBasedStateMachine):
    """A pool of four under any order of taking, giving back and discarding."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Tiny] = []
        self.used: list[Tiny] = []
        self.discarded: list[Tiny] = []
        self.pool = Pool(4, make=self.build)

    def build(self, _: str) -> Tiny:
        self.made.append(Tiny())
        return self.made[-1]

    @precondition(lambda self: len(self.used) < 4)
    @rule(base=BASES)
    def take(self, base: str) -> None:
        taken = self.pool.take(base)
        assert isinstance(taken, Tiny)
        assert taken not in self.used
        assert taken not in self.discarded
        assert not taken.closed
        self.used.append(taken)

    @precondition(lambda self: len(self.used) == 4)
    @rule(base=BASES)
    def take_too_many(self, base: str) -> None:
        with pytest.raises(PoolEmpty, match="give one back"):
            self.pool.take(base)

    @precondition(lambda self: self.used)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        self.pool.give_back(self.used.pop(data.draw(st.integers(0, len(self.used) - 1))))

    @precondition(lambda self: self.used)
    @rule()
    def discard(self) -> None:
        self.discarded.append(self.used.pop())
        self.pool.discard(self.discarded[-1])

    @invariant()
    def counts_add_up(self) -> None:
        metrics = self.pool.metrics()
        assert metrics["pool_live"] <= 4
        assert metrics["pool_used"] == len(self.used)
        gone = metrics["pool_evicted"] + metrics["pool_discarded"]
        assert metrics["pool_made"] == len(self.made) == metrics["pool_live"] + gone
        assert metrics["pool_evicted"] == sum(each.closed for each in self.made)


TestPool = PoolMachine.TestCase
TestPool.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)


def test_a_warm_one_plays_another_variant_without_being_built_again() -> None:
    pool = Pool(2, make=make)
    first = pool.take("tiny?tone=t1")
    first.reset(task())
    pool.give_back(first)
    assert pool.take("tiny?tone=t2") is first
    assert pool.metrics()["pool_made"] == 1


def test_closing_closes_what_is_idle() -> None:
    pool = Pool(2, make=make)
    idle, used = pool.take("tiny"), pool.take("tiny")
    pool.give_back(idle)
    pool.close()
    assert isinstance(idle, Tiny)
    assert isinstance(used, Tiny)
    assert (idle.closed, used.closed) == (True, False)


def test_what_is_not_there_is_told_by_name() -> None:
    with pytest.raises(UnknownEnvironment):
        Pool(1).take("nowhere")
    with pytest.raises(NoSuchFace, match="without a browser"):
        from_registry("object-store")
