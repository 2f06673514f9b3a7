"""Teachers: they solve every template in every variant, nothing solves none, and they find back after wrong steps."""

from pathlib import Path

import pytest

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click, Finish, GiveUp, Navigate, Type
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Risk, Split
from sandbox.env import Gym
from sandbox.worlds.console.optimal import optimal_steps
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.specs import ConsoleTask
from sandbox.worlds.console.tasks import TASKS, spec_of
from sandbox.worlds.console.variant import DIMENSIONS
from tests.sandbox.console.play import any_recipe, drawn, play, play_on

each_task = pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.template.id)
DIFFERENCES = [(d.name, value) for d in DIMENSIONS for value in d.values[1:]]
IN_CHROMIUM = ("create-instance", "narrow-open-rule", "delete-oldest-snapshot", "group-of-instance", "onboard-user")


def spec(name: str) -> ConsoleTask:
    """A template by its short name."""
    found = spec_of(f"cloud/{name}")
    assert found is not None
    return found


@each_task
def test_the_oracle_solves_it_and_doing_nothing_does_not(kind: ConsoleTask) -> None:
    simulator = ConsoleSimulator()
    for seed in range(2):
        task = drawn(kind, seed, "test")
        simulator.reset(task)
        assert simulator.verify("").outcome is Outcome.FAILED
        found, history = play(simulator, kind, task)
        assert found.outcome is Outcome.VERIFIED, (task.goal, found, history)
        assert len(history) < task.max_steps


@each_task
def test_the_oracle_solves_it_in_any_variant(kind: ConsoleTask) -> None:
    splits: tuple[Split, ...] = ("train", "validation", "test")
    for seed, split in enumerate(splits):
        task = drawn(kind, seed, split, any_recipe((kind.template.id, seed), split))
        found, history = play(ConsoleSimulator(), kind, task)
        assert found.outcome is Outcome.VERIFIED, (task, found, history)
        assert len(history) < task.max_steps


@pytest.mark.parametrize(("name", "value"), DIFFERENCES)
def test_the_oracle_masters_each_difference(name: str, value: str) -> None:
    for kind in TASKS[::6]:
        found, history = play(ConsoleSimulator(), kind, drawn(kind, 1, "train", {name: value}))
        assert found.outcome is Outcome.VERIFIED, (kind.template.id, found, history)


@each_task
def test_the_oracle_finds_back_after_wrong_steps(kind: ConsoleTask) -> None:
    task = drawn(kind, 11)
    found, history = play(ConsoleSimulator(), kind, task, noise=0.35)
    assert found.outcome is Outcome.VERIFIED, (task.goal, found, history)


@pytest.mark.parametrize("faults", ["fail", "lost"])
def test_the_oracle_finds_back_after_wrong_steps_where_writes_fail(faults: str) -> None:
    for kind in TASKS[::4]:
        task = drawn(kind, 21, recipe={"faults": faults})
        found, history = play(ConsoleSimulator(), kind, task, noise=0.35)
        assert found.outcome is Outcome.VERIFIED, (task, found, history)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("faults", ["fail", "lost"])
@each_task
def test_the_oracle_always_finds_back_after_wrong_steps_where_writes_fail(kind: ConsoleTask, faults: str) -> None:
    splits: tuple[Split, ...] = ("train", "validation", "test")
    for seed in range(12):
        task = drawn(kind, seed, splits[seed % 3], {"faults": faults})
        found, history = play(ConsoleSimulator(), kind, task, noise=0.35)
        assert found.outcome is Outcome.VERIFIED, (task, found, history)


@pytest.mark.parametrize(("split", "seed"), [("validation", 16), ("validation", 68), ("train", 136)])
def test_what_is_called_like_its_owner_or_like_anothers_is_still_told_apart(split: Split, seed: int) -> None:
    kind = spec("delete-oldest-snapshot")
    found, _ = play(ConsoleSimulator(), kind, drawn(kind, seed, split, {"popups": "cookies"}))
    assert found.outcome is Outcome.VERIFIED


def test_the_oldest_is_made_out_anew_after_a_wrong_row_was_opened() -> None:
    kind = spec("delete-oldest-snapshot")
    for recipe in ({}, {"list": "cards"}, {"locale": "zh", "order": "shuffled"}, {"faults": "lost"}):
        simulator, task = ConsoleSimulator(), drawn(kind, 2, recipe=recipe)
        simulator.reset(task)
        disk = simulator.world.find("disk", dict(task.goal.fields)["disk"])
        assert disk is not None
        _, page = simulator.act(Navigate(f"/disks/{disk.id}?tab=snapshots"))
        newest = max((each for each in page.elements if each.role == "link" and "2026-11-09" in each.row), key=str)
        result, after = simulator.act(Click(newest.ref))
        found, history = play_on(simulator, kind, task, after, [past(page, Click(newest.ref), result)])
        assert found.outcome is Outcome.VERIFIED, (task, found, history)


def test_a_change_that_a_hidden_field_would_show_is_known_not_to_have_been_done() -> None:
    kind = spec("change-versions-bucket")
    task = drawn(kind, 0, recipe={"faults": "fail"})
    found, history = play(ConsoleSimulator(), kind, task, noise=0.35)
    assert found.outcome is Outcome.VERIFIED, (found, history)
    assert len(history) < task.max_steps


# Each went wrong once: a dialog of another row, a send that failed and was left, a form that was opened anew.
HARD = (
    ("alarm-to-new-channel", "lost", 102),
    ("change-access-subnet", "fail", 5),
    ("drain-and-stop", "fail", 4),
    ("narrow-open-rule", "lost", 8),
    ("office-server", "fail", 5),
    ("office-server", "lost", 201),
    ("onboard-user", "lost", 9),
    ("reboot-instance", "fail", 100),
    ("replace-key", "lost", 11),
    ("resize-database-safely", "fail", 104),
    ("web-behind-balancer", "fail", 5),
    ("widen-full-disk", "lost", 4),
)


@pytest.mark.parametrize(("name", "faults", "seed"), HARD)
def test_the_oracle_finds_back_from_where_it_once_did_not(name: str, faults: str, seed: int) -> None:
    split: Split = ("train", "validation", "test")[seed % 3]
    task = drawn(spec(name), seed, split, {"faults": faults})
    found, history = play(ConsoleSimulator(), spec(name), task, noise=0.35)
    assert found.outcome is Outcome.VERIFIED, (found, history)


def test_what_a_later_step_finds_missing_was_not_made() -> None:
    kind = spec("alarm-to-new-channel")
    hard = {"faults": "fail", "locale": "zh", "names": "taken", "operator": "busy", "quota": "tight"}
    task = drawn(kind, 6, recipe=hard)
    found, history = play(ConsoleSimulator(), kind, task, noise=0.2)
    assert "no_such_option" in [each.result.outcome.value for each in history]
    assert found.outcome is Outcome.VERIFIED, (found, history)


@each_task
def test_the_oracle_is_told_nothing_but_what_is_seen(kind: ConsoleTask) -> None:
    task = drawn(kind, 3)
    page = ConsoleSimulator().reset(task)
    assert kind.oracle(task).act(page, task.goal, []) == kind.oracle(task).act(page, task.goal, [])


def test_the_fewest_steps_are_those_that_a_person_counts() -> None:
    # Instances, the row (or search and the row), Stop, the confirmation, the end.
    assert {optimal_steps(drawn(spec("stop-instance"), seed)) for seed in range(8)} == {5, 6}
    # Security groups, Create, name, description, Create, the end.
    assert optimal_steps(drawn(spec("create-security-group"), 1)) == 6
    # As many in a variant: its hindrances are no part of the task.
    hard = {"latency": "long", "faults": "fail", "popups": "both", "session": "expires"}
    assert optimal_steps(drawn(spec("create-security-group"), 1, recipe=hard)) == 6


def test_an_oracle_gives_up_on_what_is_not_there() -> None:
    kind = spec("stop-instance")
    shown, other = drawn(kind, 1), drawn(kind, 2, "test")
    simulator, oracle = ConsoleSimulator(), kind.oracle(other)
    page = simulator.reset(shown)
    history: list[Past] = []
    for _ in range(3):
        action = oracle.act(page, other.goal, history).action
        result, after = simulator.act(action)
        history.append(past(page, action, result))
        page = after
    assert isinstance(oracle.act(page, other.goal, history).action, GiveUp)


def test_an_oracle_ignores_what_a_hostile_text_tells_it() -> None:
    kind = spec("delete-network")
    for seed in range(6):
        task = drawn(kind, seed, "train", {"hostile": "description"})
        found, history = play(ConsoleSimulator(), kind, task)
        assert found.outcome is Outcome.VERIFIED
        assert all(
            each.action.text in dict(task.goal.fields).values() for each in history if isinstance(each.action, Type)
        )


@pytest.mark.parametrize("name", IN_CHROMIUM)
def test_the_oracle_solves_it_in_chromium(cloud: Gym, name: str) -> None:
    for seed, recipe in ((1, {}), (2, any_recipe(name, "train"))):
        task = drawn(spec(name), seed, "train", recipe)
        observation = cloud.reset(task)
        oracle = spec(name).oracle(task)
        history: list[Past] = []
        while not isinstance(action := oracle.act(observation, task.goal, history).action, Finish | GiveUp):
            result, after = cloud.act(action)
            history.append(past(observation, action, result))
            observation = after
        assert isinstance(action, Finish), (task, history)
        assert cloud.verify(action.answer).outcome is Outcome.VERIFIED, (task, history)


async def test_in_a_live_session_requests_are_no_riskier_than_permitted(tmp_path: Path) -> None:
    task = sessions.sample("cloud/create-instance", seed=3, split="test")
    session = await sessions.open_session(task, folder=tmp_path / "session")
    oracle = sessions.oracle(task)
    history: list[Past] = []
    try:
        observation = await session.observe()
        while not isinstance(action := oracle.act(observation, task.goal, history).action, Finish | GiveUp):
            # Never more than reversible at first: the console must not hear of the create.
            permit = (Risk.REVERSIBLE, Risk.COST)[bool(blocked(history))]
            history.append(past(observation, action, await session.act(action, permit=permit)))
            observation = await session.observe()
        assert blocked(history)[0].name == "Create instance"
        assert (await session.verify("")).outcome is Outcome.VERIFIED
    finally:
        await session.close()


@pytest.mark.parametrize("name", ["create-instance", "enlarge-disk", "terminate-instance"])
async def test_what_the_page_shows_tells_enough_to_permit_the_request(tmp_path: Path, name: str) -> None:
    task = sessions.sample(f"cloud/{name}", seed=4, split="test")
    session = await sessions.open_session(task, folder=tmp_path / "session")
    oracle = sessions.oracle(task)
    history: list[Past] = []
    try:
        observation = await session.observe()
        while not isinstance(action := oracle.act(observation, task.goal, history).action, Finish | GiveUp):
            permit = session.risk(action, observation)
            assert permit is not Risk.UNKNOWN
            history.append(past(observation, action, await session.act(action, permit=permit)))
            observation = await session.observe()
        assert blocked(history) == []
        assert (await session.verify("")).outcome is Outcome.VERIFIED
    finally:
        await session.close()


def blocked(history: list[Past]) -> list[Past]:
    """Steps whose request was stopped at the proxy."""
    return [each for each in history if each.result.outcome is ActOutcome.BLOCKED_REQUEST]
