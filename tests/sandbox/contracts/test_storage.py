"""What is written comes back as it was, byte for byte, and nothing else is taken for it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, Navigate, Press, Select, Type
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Proposal, past
from sandbox.contracts.schema import schema
from sandbox.contracts.storage import (
    BadTrajectory,
    address,
    from_builtins,
    from_json,
    pack,
    to_builtins,
    to_json,
    unpack,
)
from sandbox.contracts.takeover import HandEvent, KeyStroke, Pointer
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory, history

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
refs = st.integers(0, 10**6)
numbers = st.floats(-1e6, 1e6)
actions = st.one_of(
    st.builds(Click, refs),
    st.builds(Type, refs, texts),
    st.builds(Select, refs, texts),
    st.builds(Press, st.sampled_from(["Enter", "Tab"])),
    st.builds(Navigate, texts),
    st.builds(Finish, texts),
)
elements = st.builds(
    Element,
    refs,
    texts,
    texts,
    value=texts,
    states=st.lists(texts, max_size=2).map(tuple),
    box=st.builds(Box, numbers, numbers, numbers, numbers),
    options=st.lists(texts, max_size=2).map(tuple),
)
observations = st.builds(Observation, texts, texts, st.lists(elements, max_size=3).map(tuple), fingerprint=texts)
steps = st.builds(
    Step,
    observation=observations,
    proposal=st.none() | st.builds(Proposal, actions, st.floats(0, 1), value=st.floats(0, 1)),
    actor=st.sampled_from(["policy", "operator", "oracle"]),
    decision=st.sampled_from([None, "approved", "corrected"]),
    source=st.sampled_from([None, "user"]),
    risk=st.sampled_from(list(Risk)),
    action=actions,
    result=st.builds(ActResult, st.sampled_from(list(ActOutcome)), texts),
)
tasks = st.builds(Task, texts, texts, st.builds(Goal, texts, st.lists(st.tuples(texts, texts)).map(tuple)), refs)
trajectories = st.builds(
    Trajectory, texts, tasks, st.lists(steps, max_size=3).map(tuple), st.builds(Verification, st.just(Outcome.VERIFIED))
)


@given(trajectories)
def test_a_trajectory_comes_back_as_it_was(trajectory: Trajectory) -> None:
    content = pack(trajectory)
    assert unpack(content) == trajectory
    assert pack(unpack(content)) == content


@given(trajectories)
def test_json_comes_back_as_it_was(trajectory: Trajectory) -> None:
    assert from_json(to_json(trajectory), Trajectory) == trajectory
    assert from_builtins(to_builtins(trajectory), Trajectory) == trajectory


@given(actions)
def test_every_action_is_known_by_its_kind(action: Action) -> None:
    assert from_json(to_json(action), Action) == action


@given(trajectories, st.data())
def test_a_file_cut_short_or_lengthened_is_refused(trajectory: Trajectory, data: st.DataObject) -> None:
    content = pack(trajectory)
    short = content[: data.draw(st.integers(0, len(content) - 1))]
    for wrong in (short, content + b"x"):
        with pytest.raises(BadTrajectory):
            unpack(wrong)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(content: bytes) -> None:
    for wrong in (content, b"BELAY-TRAJECTORY-1\n" + content):
        with pytest.raises(BadTrajectory):
            unpack(wrong)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "explode"}',
        '{"kind": "click"}',
        '{"kind": "click", "element": "1"}',
        '{"kind": "wait", "extra": 1}',
        "[]",
        "",
    ],
)
def test_nonsense_is_no_action(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        from_json(text, Action)


@given(trajectories)
def test_memory_follows_the_steps(trajectory: Trajectory) -> None:
    remembered = history(trajectory.steps)
    assert [each.action for each in remembered] == [step.action for step in trajectory.steps]


def test_a_past_holds_what_was_acted_on() -> None:
    seen = Observation("", "", (Element(3, "textbox", "Name", value="old", row="one | two"),))
    remembered = past(seen, Type(3, "new"), ActResult(ActOutcome.DONE))
    assert (remembered.role, remembered.name, remembered.value, remembered.row) == (
        "textbox",
        "Name",
        "old",
        "one | two",
    )


def test_risks_rise_in_their_order() -> None:
    assert [risk.value for risk in sorted(Risk, key=lambda risk: risk.rank)] == [
        "read",
        "reversible",
        "cost",
        "credential",
        "destructive",
        "unknown",
    ]


def test_hands_are_read_by_their_kind() -> None:
    assert from_json('{"kind": "key", "key": "a"}', HandEvent) == KeyStroke("a")
    assert from_json('{"kind": "pointer", "x": 1, "y": 2.5}', HandEvent) == Pointer(1, 2.5)


def test_an_address_is_the_hash_of_the_content() -> None:
    assert address(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_schema_names_every_action() -> None:
    assert {"Click", "Type", "Select", "Trajectory", "Template"} <= set(schema()["$defs"])
