"""The world's promises: quotas hold, references resolve, every write is audited, snapshots are whole."""

import contextlib
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sandbox.worlds.console.cloud import CLOUD, IMAGES, SIZES, ZONES
from sandbox.worlds.console.records import Entry, Object, Refused
from sandbox.worlds.console.world import World

NAMES = st.sampled_from(["web-1", "web-2", "db-1", "default", "x", "Bad Name", "cache-9", "api-3", ""])
NUMBERS = st.sampled_from(["10", "50", "2000", "9", "-1", "many", "70000", ""])


def world() -> World:
    """A world with one group, one running instance and one free disk beside it."""
    made = World(CLOUD, "test")
    made.create("security_group", {"name": "default"})
    made.create("instance", {"name": "web-1", "security_group": "default"})
    made.create("disk", {"name": "data-1"})
    made.settle()
    return made


def named(it: World, kind: str, name: str) -> Object:
    """What has this name."""
    found = it.find(kind, name)
    assert found is not None
    return found


def refused(it: World, kind: str, given: Mapping[str, str]) -> Refused:
    """How a create is refused."""
    with pytest.raises(Refused) as refusal:
        it.create(kind, given)
    return refusal.value


def test_slow_states_arrive_after_their_ticks() -> None:
    it = world()
    instance = it.do(named(it, "instance", "web-1").id, "stop", {})
    assert instance.state == "stopping"
    it.advance()
    assert it.objects[instance.id].state == "stopping"
    it.advance()
    assert it.objects[instance.id].state == "stopped"


def test_a_change_without_a_state_of_its_own_returns_to_the_one_before() -> None:
    it = world()
    instance = named(it, "instance", "web-1")
    it.do(instance.id, "resize", {"size": "large"})
    assert it.objects[instance.id].state == "resizing"
    it.settle()
    assert (it.objects[instance.id].state, it.value(it.objects[instance.id], "size")) == ("running", "large")


@pytest.mark.parametrize(
    ("kind", "given", "field", "told"),
    [
        ("disk", {"name": "Data"}, "name", "Use 3 to 40 lower-case letters"),
        ("disk", {"name": ""}, "name", "Name is required."),
        ("disk", {"name": "data-1"}, "name", "There is already a disk named data-1."),
        ("disk", {"name": "data-2", "zone": "moon"}, "zone", "Choose one of: zone-a, zone-b, zone-c."),
        ("disk", {"name": "data-2", "size_gb": "9"}, "size_gb", "Enter 10 or more."),
        ("disk", {"name": "data-2", "size_gb": "2001"}, "size_gb", "Enter 2000 or less."),
        ("disk", {"name": "data-2", "size_gb": "big"}, "size_gb", "Enter a whole number."),
        ("disk", {"name": "data-2", "encrypted": "maybe"}, "encrypted", "Choose yes or no."),
        ("disk", {"name": "data-2", "colour": "red"}, "colour", "This cannot be set here."),
        ("instance", {"name": "web-2"}, "security_group", "Security group is required."),
        ("instance", {"name": "web-2", "security_group": "x"}, "security_group", "There is no security group named x."),
        ("rule", {"security_group": "default", "port": "80", "source": "all"}, "source", "Enter a network in CIDR"),
        ("rule", {"security_group": "default", "port": "80", "source": "1.2.3.4/40"}, "source", "Enter a network"),
        ("security_group", {"name": "abc", "description": "x" * 121}, "description", "Use at most 120 characters."),
    ],
)
def test_bad_fields_are_refused_by_name(kind: str, given: dict[str, str], field: str, told: str) -> None:
    it = world()
    before = it.snapshot()
    refusal = refused(it, kind, given)
    assert refusal.errors[field].startswith(told)
    assert (it.snapshot().objects, it.snapshot().made) == (before.objects, before.made)
    assert not it.audit[-1].accepted
    assert told in it.audit[-1].detail


def test_quotas_refuse_the_one_too_many() -> None:
    it = world()
    for number in range(24):
        it.create("security_group", {"name": f"group-{number}"})
    assert refused(it, "security_group", {"name": "one-more"}).message == "Quota exceeded: at most 25 security groups."
    for port in range(1, 13):
        it.create("rule", {"security_group": "default", "port": str(port), "source": "10.0.0.0/8"})
    again = {"port": "99", "source": "10.0.0.0/8"}
    assert "at most 12 rules" in refused(it, "rule", {"security_group": "default", **again}).message
    assert it.create("rule", {"security_group": "group-1", **again}).kind == "rule"


def test_a_quota_over_a_sum_counts_growth() -> None:
    it = world()
    for number in range(19):
        it.create("disk", {"name": f"disk-{number}", "size_gb": "2000"})
    it.create("disk", {"name": "last-one", "size_gb": "1900"})
    it.settle()
    it.do(named(it, "disk", "data-1").id, "enlarge", {"size_gb": "100"})  # 38,000 + 1,900 + 100
    with pytest.raises(Refused, match="at most 40000 GB of disk"):
        it.do(named(it, "disk", "last-one").id, "enlarge", {"size_gb": "1901"})


def test_a_disk_grows_and_never_shrinks() -> None:
    it = world()
    disk = named(it, "disk", "data-1")
    with pytest.raises(Refused, match="more than 50"):
        it.do(disk.id, "enlarge", {"size_gb": "50"})
    assert it.value(it.do(disk.id, "enlarge", {"size_gb": "060"}), "size_gb") == "60"


def test_references_agree_and_hold_what_they_name() -> None:
    it = world()
    it.create("disk", {"name": "far-1", "zone": "zone-b"})
    it.settle()
    with pytest.raises(Refused, match="web-1 is in zone-a, not in zone-b"):
        it.do(named(it, "disk", "far-1").id, "attach", {"instance": "web-1"})
    with pytest.raises(Refused, match="Instance is required"):
        it.do(named(it, "disk", "data-1").id, "attach", {})
    it.do(named(it, "disk", "data-1").id, "attach", {"instance": "web-1"})
    it.settle()
    with pytest.raises(Refused, match="in use by disk data-1"):
        it.do(named(it, "instance", "web-1").id, "terminate", {}, confirm="web-1")
    with pytest.raises(Refused, match="in use by instance web-1"):
        it.do(named(it, "security_group", "default").id, "delete", {})
    it.do(named(it, "disk", "data-1").id, "detach", {})
    it.settle()
    it.do(named(it, "instance", "web-1").id, "terminate", {}, confirm="web-1")
    assert it.find("instance", "web-1") is None


def test_children_go_with_their_parent() -> None:
    it = world()
    it.create("security_group", {"name": "other"})
    it.create("rule", {"security_group": "other", "port": "80", "source": "10.0.0.0/8"})
    it.do(named(it, "security_group", "other").id, "delete", {})
    assert it.of_kind("rule") == []


def test_what_is_typed_to_confirm_has_to_be_right() -> None:
    it = world()
    with pytest.raises(Refused, match="Type web-1 to confirm"):
        it.do(named(it, "instance", "web-1").id, "terminate", {}, confirm="web-2")
    assert it.find("instance", "web-1") is not None


def test_what_is_on_its_way_waits_its_turn() -> None:
    it = world()
    instance = named(it, "instance", "web-1")
    it.do(instance.id, "stop", {})
    with pytest.raises(Refused, match="not possible while it is stopping"):
        it.do(instance.id, "start", {})


def redo(it: World, entry: Entry) -> None:
    """Do an accepted write again."""
    kind, verb = entry.event.split(".")
    match verb:
        case "create":
            it.create(kind, entry.values)
        case _:
            it.do(entry.object_id, verb, entry.values, confirm=entry.label)


class Writes(RuleBasedStateMachine):
    """Random writes, good and bad, against what must always hold."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(CLOUD, "machine")
        self.attempts = 0

    def create(self, kind: str, given: dict[str, str]) -> None:
        self.attempts += 1
        with contextlib.suppress(Refused):
            self.world.create(kind, given)

    @rule(name=NAMES)
    def group(self, name: str) -> None:
        self.create("security_group", {"name": name})

    @rule(name=NAMES, zone=st.sampled_from(ZONES), size=st.sampled_from(SIZES), group=NAMES)
    def instance(self, name: str, zone: str, size: str, group: str) -> None:
        given = {"name": name, "zone": zone, "size": size, "image": IMAGES[0], "security_group": group}
        self.create("instance", given)

    @rule(group=NAMES, port=NUMBERS)
    def opening(self, group: str, port: str) -> None:
        self.create("rule", {"security_group": group, "port": port, "source": "10.0.0.0/8"})

    @rule(name=NAMES, zone=st.sampled_from(ZONES), size=NUMBERS)
    def disk(self, name: str, zone: str, size: str) -> None:
        self.create("disk", {"name": name, "zone": zone, "size_gb": size})

    @precondition(lambda self: self.world.objects)
    @rule(data=st.data(), size=NUMBERS, host=NAMES, choice=st.sampled_from(SIZES), right=st.booleans())
    def verb(self, data: st.DataObject, size: str, host: str, choice: str, right: bool) -> None:
        it = data.draw(st.sampled_from(sorted(self.world.objects.values(), key=lambda each: each.id)))
        verb = data.draw(st.sampled_from(CLOUD.kind(it.kind).verbs))
        values = {"size_gb": size, "instance": host, "size": choice, "description": "other"}
        given = {name: values.get(name, host) for name in verb.fields}
        self.attempts += 1
        with contextlib.suppress(Refused):
            self.world.do(it.id, verb.name, given, confirm=self.world.label(it) * right)

    @rule(ticks=st.integers(1, 3))
    def time(self, ticks: int) -> None:
        self.world.advance(ticks)

    @rule(seed=st.sampled_from(["machine", "other"]))
    def restored_elsewhere(self, seed: str) -> None:
        kept = self.world.snapshot()
        self.world.settle()
        self.world = World(CLOUD, seed)
        self.world.restore(kept)
        assert self.world.snapshot() == kept

    @invariant()
    def quotas_hold(self) -> None:
        for kind in CLOUD.kinds:
            for quota in kind.quotas:
                parents = {self.world.facts(it).get(quota.per, "") for it in self.world.of_kind(kind.name)}
                assert all(self.world.room(kind, quota, {quota.per: parent}) >= 0 for parent in parents)

    @invariant()
    def references_resolve(self) -> None:
        for it in self.world.objects.values():
            for field in CLOUD.kind(it.kind).fields:
                value = self.world.value(it, field.name)
                assert not (field.references and value) or self.world.objects[value].kind == field.references

    @invariant()
    def names_are_unique(self) -> None:
        for kind in ("instance", "security_group", "disk"):
            names = [self.world.value(it, "name") for it in self.world.of_kind(kind)]
            assert len(names) == len(set(names))

    @invariant()
    def every_attempt_is_in_the_audit_log(self) -> None:
        assert [entry.number for entry in self.world.audit] == list(range(1, self.attempts + 1))

    def teardown(self) -> None:
        """The audit log tells the whole story: doing it again gives the same world."""
        again = World(CLOUD, "machine")
        for entry in (each for each in self.world.audit if each.accepted):
            again.advance(entry.tick - again.tick)
            redo(again, entry)
        again.advance(self.world.tick - again.tick)
        assert again.objects == self.world.objects


Writes.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_writes = Writes.TestCase
