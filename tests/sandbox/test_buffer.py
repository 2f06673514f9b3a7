"""The buffer never holds more than its bytes, drops the stalest first, and stops producers in time."""

import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sandbox.buffer import ByteBuffer, Held, TooLarge


class BufferMachine(RuleBasedStateMachine):
    """The buffer beside a plain list that does the same slowly."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer: ByteBuffer[int] = ByteBuffer(100)
        self.model: list[Held[int]] = []
        self.arrived = 0

    @rule(size=st.integers(0, 60), version=st.integers(0, 4))
    def put(self, size: int, version: int) -> None:
        gone = self.buffer.put(self.arrived, size=size, version=version)
        self.model.append(Held(self.arrived, size, version))
        self.arrived += 1
        expected = []
        while sum(held.size for held in self.model) > 100:
            stalest = min(self.model, key=lambda held: held.version)  # of equals the first, the oldest
            self.model.remove(stalest)
            expected.append(stalest)
        assert list(gone) == expected

    @rule(limit=st.integers(0, 5))
    def take(self, limit: int) -> None:
        assert self.buffer.take(limit) == self.model[:limit]
        self.model = self.model[limit:]

    @rule(version=st.integers(0, 4))
    def drop_older(self, version: int) -> None:
        kept = [held for held in self.model if held.version >= version]
        assert self.buffer.drop_older_than(version) == len(self.model) - len(kept)
        self.model = kept

    @invariant()
    def counts_add_up(self) -> None:
        metrics = self.buffer.metrics()
        assert metrics["buffer_bytes"] == sum(held.size for held in self.model) <= 100
        assert metrics["buffer_put"] == metrics["buffer_taken"] + metrics["buffer_dropped"] + len(self.model)

    @invariant()
    def producers_stand_still_when_it_is_full(self) -> None:
        held = self.buffer.metrics()["buffer_bytes"]
        assert not (self.buffer.has_room and held > 80)
        assert self.buffer.has_room or held > 50


TestBuffer = BufferMachine.TestCase
TestBuffer.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_an_item_larger_than_the_buffer_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(TooLarge, match="101 bytes into a buffer of 100: raise its limit"):
        ByteBuffer[int](100).put(1, size=101, version=0)


def test_a_producer_waits_until_the_consumer_has_made_room() -> None:
    buffer: ByteBuffer[int] = ByteBuffer(100)
    buffer.put(1, size=90, version=0)
    assert not buffer.wait_for_room(0.01)
    taker = threading.Thread(target=buffer.take, args=(1,))
    taker.start()
    assert buffer.wait_for_room(5)
    taker.join()


def test_a_consumer_waits_until_there_is_enough() -> None:
    buffer: ByteBuffer[int] = ByteBuffer(100)
    putter = threading.Thread(target=lambda: [buffer.put(n, size=1, version=0) for n in range(3)])
    putter.start()
    assert [held.item for held in buffer.take(3, timeout_s=5, at_least=3)] == [0, 1, 2]
    putter.join()
    assert buffer.take(1, timeout_s=0.01) == []
