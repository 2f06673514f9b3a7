"""The watchdog: whatever one simulator does, its slot answers by name, and the others go on."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.contracts.actions import Click
from sandbox.contracts.tasks import Outcome
from sandbox.fleet import Fleet
from sandbox.nursery import Nursery, NurseryLost
from sandbox.pool import Pool
from sandbox.stage import LocalStage, Stage
from sandbox.worker import Broken, Frames, Judged, Reply, Shown, Start, frame, request_decoder
from tests.sandbox.tiny import REF, make, task

MAKER = "tests.sandbox.tiny:make"
LIMIT_S = 0.3


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    """Two workers of two slots each."""
    made = Fleet(2, slots_per_worker=2, limit_s=LIMIT_S, grace_s=0.3, maker=MAKER)
    yield made
    made.close()


@pytest.fixture
def local() -> LocalStage:
    """Two slots in this process."""
    return LocalStage(2, pool=Pool(2, make=make))


def replies(stage: Stage, count: int) -> dict[int, Reply]:
    """The next replies by slot, each of which must come within ten seconds."""
    found: dict[int, Reply] = {}
    until = time.monotonic() + 10
    while len(found) < count:
        assert time.monotonic() < until, f"only {found}"
        found |= {reply.slot: reply for reply in stage.poll(1)}
    return found


def start(stage: Stage, *slots: int) -> None:
    """Begin tasks and see their first screens."""
    for slot in slots:
        stage.start(slot, task())
    shown = replies(stage, len(slots))
    assert all(isinstance(reply, Shown) and reply.result is None for reply in shown.values())


@pytest.mark.parametrize("kind", ["fleet", "local"])
def test_an_episode_is_played_and_judged(kind: str, request: pytest.FixtureRequest) -> None:
    stage: Stage = request.getfixturevalue(kind)
    before = stage.metrics()["stage_steps"]
    start(stage, 0)
    progress = []
    for _ in range(3):
        stage.act(0, Click(REF["more"]))
        shown = replies(stage, 1)[0]
        assert isinstance(shown, Shown)
        progress.append(shown.progress)
    assert progress == pytest.approx([1 / 3, 2 / 3, 1.0])
    stage.judge(0, "")
    judged = replies(stage, 1)[0]
    assert isinstance(judged, Judged)
    assert judged.verification.outcome is Outcome.VERIFIED
    assert stage.metrics()["stage_steps"] == before + 3


@pytest.mark.parametrize(
    ("button", "trouble", "forks"),
    [
        ("hang", "timed_out", 0),
        ("spin", "timed_out", 0),
        ("raise", "raised", 0),
        ("nonsense", "nonsense", 0),
        ("wild", "nonsense", 0),
        ("deaf", "timed_out", 1),
        ("die", "died", 1),
    ],
)
def test_a_fault_is_named_and_its_slot_plays_on(fleet: Fleet, button: str, trouble: str, forks: int) -> None:
    start(fleet, 0, 1, 2)
    before = fleet.metrics()["stage_forks"]
    fleet.act(0, Click(REF[button]))
    broken = replies(fleet, 1 + forks)[0]  # a killed worker answers for both of its slots
    assert isinstance(broken, Broken)
    assert broken.trouble == trouble
    start(fleet, 0)
    fleet.act(2, Click(REF["more"]))  # a slot of another worker never noticed
    assert isinstance(replies(fleet, 1)[2], Shown)
    assert fleet.metrics()["stage_forks"] == before + forks
    assert fleet.metrics()["stage_recovery_longest_s"] < 2


def test_a_slot_that_shared_the_process_is_a_bystander(fleet: Fleet) -> None:
    start(fleet, 0, 1)
    fleet.act(0, Click(REF["die"]))
    fleet.act(1, Click(REF["more"]))
    answered = replies(fleet, 2)
    assert [getattr(answered[slot], "trouble", None) for slot in (0, 1)] == ["died", "bystander"]
    start(fleet, 0, 1)


def test_a_neighbour_of_a_step_that_was_interrupted_keeps_its_state(fleet: Fleet) -> None:
    start(fleet, 0, 1)
    fleet.act(1, Click(REF["more"]))
    replies(fleet, 1)
    fleet.act(0, Click(REF["hang"]))
    fleet.act(1, Click(REF["more"]))
    answered = replies(fleet, 2)
    assert isinstance(answered[1], Shown)
    assert answered[1].observation.elements[-1].name == "2"


def test_who_was_away_does_not_blame_the_workers(fleet: Fleet) -> None:
    start(fleet, 0)
    before = fleet.metrics()["stage_timed_out"]
    fleet.act(0, Click(REF["more"]))
    ready = time.monotonic() + 2 * LIMIT_S + 0.3
    while time.monotonic() < ready:  # busy with something else, as a learner is
        sum(range(1000))
    assert isinstance(replies(fleet, 1)[0], Shown)
    assert fleet.metrics()["stage_timed_out"] == before


def test_a_worker_killed_from_outside_while_idle_is_replaced(fleet: Fleet) -> None:
    start(fleet, 0, 1)
    os.kill(fleet.pids[0], signal.SIGKILL)
    answered = replies(fleet, 2)
    assert [getattr(answered[slot], "trouble", None) for slot in (0, 1)] == ["died", "died"]
    start(fleet, 0)


def test_closing_leaves_no_process() -> None:
    fleet = Fleet(2, maker=MAKER)
    pids = fleet.pids
    fleet.close()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    fleet.close()


def test_a_maker_that_is_not_there_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NurseryLost, match=r"no worker can be made by tests[.]sandbox[.]tiny:absent"):
        Nursery("tests.sandbox.tiny:absent")
    assert "absent" in capfd.readouterr().err


def test_senseless_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="expected at least one worker"):
        Fleet(0)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 9), max_size=5), st.integers(1, 40))
def test_messages_arrive_whole_however_they_are_cut(slots: list[int], size: int) -> None:
    sent = [Start(slot, task(slot)) for slot in slots]
    stream = b"".join(map(frame, sent))
    frames, heard = Frames(), []
    for place in range(0, len(stream), size):
        heard += [request_decoder.decode(body) for body in frames.feed(stream[place : place + size])]
    assert heard == sent
