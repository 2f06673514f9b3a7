"""Tasks: how they are drawn, how their worlds begin, and what their verifiers let pass."""

import re
from http import HTTPStatus

import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Outcome, Risk, Split, Task
from sandbox.worlds.console import names
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.jobs import Ask, answer, carry_out
from sandbox.worlds.console.tasks import TASKS, ConsoleTask
from sandbox.worlds.console.verify import verify
from sandbox.worlds.console.world import Refused, World

SPLITS: tuple[Split, ...] = ("train", "validation", "test")
each_task = pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.template.id)


def drawn(kind: ConsoleTask, seed: int, split: Split = "train") -> Task:
    """A random task."""
    return sessions.sample(kind.template.id, seed=seed, split=split)


def right_answer(kind: ConsoleTask, world: World, task: Task) -> str:
    """What a perfect worker would answer."""
    match kind.job:
        case Ask():
            return answer(kind.job, world, dict(task.goal.fields))
        case _:
            return ""


def test_there_are_twelve_kinds_of_ticket() -> None:
    assert len(TASKS) == 12
    assert {template.id for template in sessions.templates("cloud")} == {kind.template.id for kind in TASKS}


@each_task
def test_every_phrase_tells_every_parameter(kind: ConsoleTask) -> None:
    wanted = {parameter.name for parameter in kind.template.parameters}
    assert len(kind.template.phrases) >= 3
    for phrase in kind.template.phrases:
        assert set(re.findall(r"{(\w+)}", phrase)) == wanted


@each_task
def test_the_risk_of_a_template_is_that_of_its_riskiest_request(kind: ConsoleTask) -> None:
    task = drawn(kind, 0)
    world = furnish(task)
    carry_out(kind.job, world, dict(task.goal.fields))
    risks = {Risk.READ}
    for entry in world.audit:
        name, verb = entry.event.split(".")
        verbs = {"create": CLOUD.kind(name).create_risk, **{each.name: each.risk for each in CLOUD.kind(name).verbs}}
        risks.add(verbs[verb])
    assert max(risks, key=lambda risk: risk.rank) is kind.template.risk


@each_task
def test_doing_it_right_is_verified_and_doing_nothing_fails(kind: ConsoleTask) -> None:
    for split in SPLITS:
        for seed in range(50):
            task = drawn(kind, seed, split)
            world = furnish(task)
            assert verify(kind.job, task, world, "").outcome is Outcome.FAILED
            said = right_answer(kind, world, task)
            carry_out(kind.job, world, dict(task.goal.fields))
            found = verify(kind.job, task, world, said)
            assert found.outcome is Outcome.VERIFIED, (task, found)


@each_task
def test_the_same_task_begins_in_the_same_world(kind: ConsoleTask) -> None:
    one, two = furnish(drawn(kind, 3)), furnish(drawn(kind, 3))
    assert one.snapshot() == two.snapshot()
    assert furnish(drawn(kind, 4)).snapshot() != one.snapshot()


@each_task
def test_splits_share_no_names(kind: ConsoleTask) -> None:
    seen = {split: set[str]() for split in SPLITS}
    for split in SPLITS:
        for seed in range(40):
            values = dict(drawn(kind, seed, split).goal.fields).values()
            seen[split] |= {value for value in values if names.split_of(value)}
    assert all(names.split_of(name) == split for split in SPLITS for name in seen[split])
    assert seen["test"]


def test_ports_networks_and_sizes_of_splits_are_apart() -> None:
    for template_id, field in (
        ("open-port", "port"),
        ("open-port", "source"),
        ("create-disk", "size_gb"),
        ("enlarge-disk", "size_gb"),
    ):
        values = {
            split: {
                dict(sessions.sample(f"cloud/{template_id}", seed=seed, split=split).goal.fields)[field]
                for seed in range(60)
            }
            for split in SPLITS
        }
        assert not values["train"] & values["test"]
        assert not values["train"] & values["validation"]


@each_task
def test_the_right_thing_with_something_else_harmed_fails(kind: ConsoleTask) -> None:
    task = drawn(kind, 5)
    world = furnish(task)
    said = right_answer(kind, world, task)
    carry_out(kind.job, world, dict(task.goal.fields))
    asked = set(dict(task.goal.fields).values())
    stranger = next(it for it in world.of_kind("security_group") if it.values["name"] not in asked)
    world.do(stranger.id, "edit", {"description": "changed in passing"})
    found = verify(kind.job, task, world, said)
    held = {check.name: check.holds for check in found.checks}
    assert found.outcome is Outcome.FAILED
    assert not held["nothing else was changed"]
    assert not held["the audit log has exactly what was asked for"]


@each_task
def test_harm_that_was_undone_still_shows_in_the_audit_log(kind: ConsoleTask) -> None:
    task = drawn(kind, 6)
    world = furnish(task)
    said = right_answer(kind, world, task)
    carry_out(kind.job, world, dict(task.goal.fields))
    world.settle()
    asked = set(dict(task.goal.fields).values())
    stranger = next(it for it in world.of_kind("instance") if it.values["name"] not in asked and it.state == "running")
    world.do(stranger.id, "reboot", {})
    found = verify(kind.job, task, world, said)
    assert [check.name for check in found.checks if not check.holds] == ["the audit log has exactly what was asked for"]


def test_the_look_alike_terminated_fails() -> None:
    task = sessions.sample("cloud/terminate-instance", seed=2, split="train")
    world = furnish(task)
    asked = dict(task.goal.fields)["instance"]
    free = {it.id for it in world.of_kind("instance")} - {it.values["instance"] for it in world.of_kind("disk")}
    other = next(world.objects[ident] for ident in sorted(free) if world.objects[ident].values["name"] != asked)
    world.do(other.id, "terminate", {}, confirm=other.values["name"])
    found = verify(TASKS[4].job, task, world, "")
    assert {check.name: check.holds for check in found.checks} == {
        "what was asked for is there": False,
        "nothing else was changed": False,
        "the audit log has exactly what was asked for": False,
    }


def test_refused_attempts_do_no_harm() -> None:
    task = sessions.sample("cloud/create-disk", seed=1, split="train")
    world = furnish(task)
    with pytest.raises(Refused) as refusal:
        world.create("disk", {"name": "Wrong Name"})
    carry_out(TASKS[8].job, world, dict(task.goal.fields))
    assert refusal.value.status is HTTPStatus.UNPROCESSABLE_ENTITY
    assert verify(TASKS[8].job, task, world, "").outcome is Outcome.VERIFIED


def test_a_wrong_answer_fails_and_case_does_not_matter() -> None:
    task = sessions.sample("cloud/find-instance-fact", seed=1, split="train")
    kind = TASKS[-1]
    world = furnish(task)
    right = right_answer(kind, world, task)
    assert verify(kind.job, task, world, f" {right.upper()} ").outcome is Outcome.VERIFIED
    assert verify(kind.job, task, world, right + "x").outcome is Outcome.FAILED


def test_what_a_person_files_begins_with_what_it_names() -> None:
    task = sessions.bind("cloud/attach-disk", {"disk": "backup", "instance": "default"}, seed=9)
    world = furnish(task)
    assert world.find("disk", "backup") is not None
    assert world.find("instance", "default") is not None


def test_bad_parameters_are_told_field_by_field() -> None:
    given = {"security_group": "Web", "protocol": "icmp", "port": "0", "source": "10.0.0.300/8"}
    with pytest.raises(sessions.BadParameters) as refusal:
        sessions.bind("cloud/open-port", given, seed=1)
    assert set(refusal.value.errors) == {"security_group", "protocol", "port", "source"}


def test_lists_are_long_enough_to_need_search_or_paging() -> None:
    counts = [len(furnish(drawn(TASKS[2], seed)).of_kind("instance")) for seed in range(30)]
    assert min(counts) < CLOUD.page_size < max(counts)
