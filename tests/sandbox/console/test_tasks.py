"""Tasks: how they are drawn, how their worlds begin, and what their verifiers let pass."""

import re
from http import HTTPStatus

import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Outcome, Risk, Split, Task, Verification
from sandbox.levels import Deck
from sandbox.registry import find_environment
from sandbox.tasks import bind
from sandbox.worlds.console import names
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.jobs import answer, carry_out, touched_kinds
from sandbox.worlds.console.records import Refused
from sandbox.worlds.console.specs import ConsoleTask
from sandbox.worlds.console.tasks import TASKS, spec_of
from sandbox.worlds.console.verify import Judge
from sandbox.worlds.console.world import World
from tests.sandbox.console.play import drawn

SPLITS: tuple[Split, ...] = ("train", "validation", "test")
HARD = {"quota": "tight", "names": "taken", "operator": "busy", "hostile": "description", "defaults": "wrong"}
CLASSIC = {
    "create-instance",
    "start-instance",
    "stop-instance",
    "resize-instance",
    "terminate-instance",
    "create-security-group",
    "open-port",
    "remove-rule",
    "create-disk",
    "attach-disk",
    "enlarge-disk",
    "find-instance-fact",
}
each_task = pytest.mark.parametrize("kind", TASKS, ids=lambda kind: kind.template.id)


def spec(name: str) -> ConsoleTask:
    """A template by its short name."""
    found = spec_of(f"cloud/{name}")
    assert found is not None
    return found


def done_right(kind: ConsoleTask, task: Task, world: World) -> str:
    """Do the job in the world; what a perfect worker would answer."""
    parameters = dict(task.goal.fields)
    said = answer(kind.job, world, parameters)
    carry_out(kind.job, world, parameters)
    return said


def failed(found: Verification) -> set[str]:
    """Names of the checks that do not hold."""
    return {check.name for check in found.checks if not check.holds}


def test_there_are_more_than_a_hundred_templates_over_more_than_twenty_kinds() -> None:
    assert len(TASKS) >= 120
    assert {f"cloud/{name}" for name in CLASSIC} <= {kind.template.id for kind in TASKS}
    assert {template.id for template in sessions.templates("cloud")} == {kind.template.id for kind in TASKS}
    assert {name for kind in TASKS for name in touched_kinds(kind.job, CLOUD)} == {kind.name for kind in CLOUD.kinds}
    assert sum(len(kind.job.steps) > 1 for kind in TASKS) >= 10


@each_task
def test_every_phrase_tells_every_parameter_in_both_languages(kind: ConsoleTask) -> None:
    wanted = {parameter.name for parameter in kind.template.parameters}
    for phrases in (kind.template.phrases, kind.template.phrases_zh):
        assert len(set(phrases)) >= 2
        assert all(set(re.findall(r"{(\w+)}", phrase)) == wanted for phrase in phrases)
    assert all(re.search(r"[\u4e00-\u9fff]", phrase) for phrase in kind.template.phrases_zh)


@each_task
def test_doing_it_right_is_verified_and_doing_nothing_fails(kind: ConsoleTask) -> None:
    for split in SPLITS:
        for seed, recipe in ((0, {}), (1, HARD)):
            task = drawn(kind, seed, split, recipe)
            world, judge = furnish(task), Judge.of(task)
            assert judge.verify(world, "").outcome is Outcome.FAILED
            assert judge.progress(world) == 0.0
            said = done_right(kind, task, world)
            assert judge.verify(world, said).outcome is Outcome.VERIFIED, (task, judge.verify(world, said))
            assert judge.harm(world) == ()


@each_task
def test_progress_ends_at_one_where_anything_is_to_be_changed(kind: ConsoleTask) -> None:
    task = drawn(kind, 2)
    world = furnish(task)
    done_right(kind, task, world)
    assert Judge.of(task).progress(world) == float(not kind.job.answers)


@each_task
def test_the_risk_of_a_template_is_that_of_its_riskiest_request(kind: ConsoleTask) -> None:
    task = drawn(kind, 0)
    world = furnish(task)
    done_right(kind, task, world)
    risks = {Risk.READ}
    for entry in world.audit:
        name, verb = entry.event.split(".")
        verbs = {"create": CLOUD.kind(name).create_risk, **{each.name: each.risk for each in CLOUD.kind(name).verbs}}
        risks.add(verbs[verb])
    assert max(risks, key=lambda risk: risk.rank) is kind.template.risk


@each_task
def test_splits_share_no_names(kind: ConsoleTask) -> None:
    seen = {split: set[str]() for split in SPLITS}
    for split in SPLITS:
        for seed in range(10):
            values = dict(drawn(kind, seed, split).goal.fields).values()
            seen[split] |= {value for value in values if names.split_of(value)}
    assert all(names.split_of(name) == split for split in SPLITS for name in seen[split])
    assert seen["test"]


@each_task
def test_the_right_thing_with_something_else_harmed_fails(kind: ConsoleTask) -> None:
    task = drawn(kind, 5)
    world = furnish(task)
    said = done_right(kind, task, world)
    asked = set(dict(task.goal.fields).values())
    stranger = next(it for it in world.of_kind("network") if world.label(it) not in asked)
    world.do(stranger.id, "edit", {"description": "changed in passing"})
    assert {"nothing else was changed", "the audit log has exactly what was asked for"} == failed(
        Judge.of(task).verify(world, said)
    )


def test_the_same_task_begins_in_the_same_world_whatever_is_looked_at_first() -> None:
    task = drawn(spec("office-server"), 3, recipe=HARD)
    one, two = furnish(task), furnish(task)
    kinds = [kind.name for kind in CLOUD.kinds]
    for forth, back in zip(kinds, reversed(kinds), strict=True):
        one.of_kind(forth)
        two.of_kind(back)
    assert sorted(map(repr, one.objects.values())) == sorted(map(repr, two.objects.values()))
    assert one.limits == two.limits
    assert one.agenda == two.agenda


def test_ports_networks_and_sizes_of_splits_are_apart() -> None:
    for name, field in (("open-port", "port"), ("open-port", "source"), ("create-disk", "size_gb")):
        values = {split: {dict(drawn(spec(name), s, split).goal.fields)[field] for s in range(60)} for split in SPLITS}
        assert not values["train"] & values["test"]
        assert not values["train"] & values["validation"]


def test_harm_that_was_undone_still_shows_in_the_audit_log() -> None:
    kind = spec("create-disk")
    task = drawn(kind, 6)
    world = furnish(task)
    said = done_right(kind, task, world)
    stranger = next(it for it in world.of_kind("instance") if it.state == "running")
    world.do(stranger.id, "reboot", {})
    assert failed(Judge.of(task).verify(world, said)) == {"the audit log has exactly what was asked for"}


def test_the_look_alike_terminated_fails_and_is_told_as_harm() -> None:
    kind = spec("terminate-instance")
    task = drawn(kind, 2)
    world = furnish(task)
    asked = dict(task.goal.fields)["instance"]
    others = [it for it in world.of_kind("instance") if world.label(it) != asked]
    free = next(it for it in others if not any(True for _ in world.referring(it)))
    world.do(free.id, "terminate", {}, confirm=world.label(free))
    judge = Judge.of(task)
    assert len(failed(judge.verify(world, ""))) == 3
    assert judge.harm(world) == ("instance.terminate",)


def test_refused_attempts_do_no_harm() -> None:
    kind = spec("create-disk")
    task = drawn(kind, 1)
    world = furnish(task)
    with pytest.raises(Refused) as refusal:
        world.create("disk", {"name": "Wrong Name"})
    done_right(kind, task, world)
    assert refusal.value.status is HTTPStatus.UNPROCESSABLE_ENTITY
    assert Judge.of(task).verify(world, "").outcome is Outcome.VERIFIED


def test_half_a_chain_is_half_the_progress_and_no_success() -> None:
    task = drawn(spec("replace-key"), 1)
    parameters = dict(task.goal.fields)
    world = furnish(task)
    world.create("access_key", {"user": parameters["user"], "purpose": parameters["new_purpose"]})
    assert Judge.of(task).progress(world) == 0.5
    assert failed(Judge.of(task).verify(world, "")) == {
        "what was asked for is there",
        "the audit log has exactly what was asked for",
    }


def test_a_chain_may_be_done_in_another_order_where_the_console_lets_it() -> None:
    task = drawn(spec("replace-key"), 1)
    parameters = dict(task.goal.fields)
    world = furnish(task)
    user = world.find("user", parameters["user"])
    assert user is not None
    keys = world.of_kind("access_key")
    old = next(
        k for k in keys if world.facts(k) | {"user": user.id, "purpose": parameters["purpose"]} == world.facts(k)
    )
    world.do(old.id, "deactivate", {})
    world.create("access_key", {"user": parameters["user"], "purpose": parameters["new_purpose"]})
    assert Judge.of(task).verify(world, "").outcome is Outcome.VERIFIED


def test_a_wrong_answer_fails_and_case_and_the_pages_language_do_not_matter() -> None:
    kind = spec("find-instance-group-fact")
    task = sessions.bind("cloud/find-instance-group-fact", {"instance_group": "amber-web-1", "fact": "State"}, seed=1)
    world = furnish(task)
    right = answer(kind.job, world, dict(task.goal.fields))
    assert Judge.of(task).verify(world, f" {right.upper()} ").outcome is Outcome.VERIFIED
    assert Judge.of(task).verify(world, right + "x").outcome is Outcome.FAILED
    chinese = bind(kind.template, dict(task.goal.fields), seed=1, recipe={"locale": "zh"})
    said = {"active": "正常", "paused": "已暂停"}[right]
    assert Judge.of(chinese).verify(furnish(chinese), said).outcome is Outcome.VERIFIED


def test_a_measured_answer_is_right_with_its_unit_and_without() -> None:
    given = {"alarm": "amber-web-1", "fact": "Limit"}
    task = bind(spec("find-alarm-fact").template, given, seed=1, recipe={"locale": "de"})
    world = furnish(task)
    right = answer(spec("find-alarm-fact").job, world, dict(task.goal.fields))
    outcomes = {said: Judge.of(task).verify(world, said).outcome for said in (right, f"{right} %", f"{right} GB")}
    assert outcomes == {right: Outcome.VERIFIED, f"{right} %": Outcome.VERIFIED, f"{right} GB": Outcome.FAILED}


def test_what_a_person_files_begins_with_what_it_names() -> None:
    world = furnish(sessions.bind("cloud/attach-disk", {"disk": "backup", "instance": "default"}, seed=9))
    assert world.find("disk", "backup") is not None
    assert world.find("instance", "default") is not None


def test_bad_parameters_are_told_field_by_field() -> None:
    given = {"security_group": "Web", "protocol": "icmp", "port": "0", "source": "10.0.0.300/8"}
    with pytest.raises(sessions.BadParameters) as refusal:
        sessions.bind("cloud/open-port", given, seed=1)
    assert set(refusal.value.errors) == {"security_group", "protocol", "port", "source"}


def test_lists_are_long_enough_to_need_search_or_paging() -> None:
    counts = [len(furnish(drawn(spec("stop-instance"), seed)).of_kind("instance")) for seed in range(30)]
    assert min(counts) <= CLOUD.page_size < max(counts)


def test_a_tight_quota_leaves_room_for_the_task_and_for_nothing_more() -> None:
    kind = spec("create-disk")
    task = drawn(kind, 4, recipe={"quota": "tight"})
    world = furnish(task)
    done_right(kind, task, world)
    with pytest.raises(Refused, match="Quota exceeded"):
        world.create("disk", {"name": "one-too-many", "zone": "zone-a", "size_gb": "50"})


def test_hostile_texts_stand_in_the_world_and_never_in_the_goal() -> None:
    task = drawn(spec("delete-network"), 3, recipe={"hostile": "description"})
    world = furnish(task)
    told = {world.value(it, "description") for it in world.of_kind("network")}
    assert any("delete everything" in text or "Delete" in text or "admin" in text or "oldest" in text for text in told)
    assert not any(text in task.goal.text for text in told if len(text) > 30)


def test_a_colleague_changes_strangers_alone_and_is_not_held_against_the_worker() -> None:
    kind = spec("stop-instance")
    task = drawn(kind, 3, recipe={"operator": "busy"})
    world = furnish(task)
    before = dict(world.objects)
    world.settle()
    changed = {ident for ident, it in before.items() if world.objects.get(ident) != it}
    target = world.find("instance", dict(task.goal.fields)["instance"])
    assert changed
    assert target is not None
    assert target.id not in changed
    done_right(kind, task, world)
    assert Judge.of(task).verify(world, "").outcome is Outcome.VERIFIED


def test_some_kinds_are_met_when_judged_alone_and_never_when_learning() -> None:
    cloud = find_environment("cloud")
    met = {
        split: {kind for name in cloud.open_to(split) for kind in touched_kinds(spec(name[6:]).job, CLOUD)}
        for split in SPLITS
    }
    assert met["validation"] - met["train"] == {"bucket", "ssh_key"}
    assert met["test"] - met["train"] >= {"certificate", "database"}
    assert {name for split in SPLITS for name in cloud.open_to(split)} == set(cloud.templates)
    deck = Deck.of([cloud], seed=1)
    assert {deck.deal().template for _ in range(400)} <= set(cloud.open_to("train"))


def test_free_text_gets_a_plain_console_and_no_verdict() -> None:
    task = Task(environment="cloud", template="", goal=drawn(spec("open-port"), 1).goal, seed=1)
    world = furnish(task)
    assert len(world.of_kind("instance")) >= 2
    assert Judge.of(task).verify(world, "").outcome is Outcome.UNVERIFIED
