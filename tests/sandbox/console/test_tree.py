"""The console without a browser: outcomes by their names, and what holds whatever is done to it."""

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sandbox import registry
from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    Click,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from sandbox.contracts.observations import Element
from sandbox.contracts.tasks import Task
from sandbox.tasks import bind
from sandbox.variants import VariantGenerator, parse
from sandbox.worlds.console import draw
from sandbox.worlds.console.show import pages, told
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.variant import DIMENSIONS

VARIANTS = VariantGenerator("cloud", DIMENSIONS)


def task(recipe: str = "cloud", *, template: str = "cloud/stop-instance", seed: int = 3) -> Task:
    """A task in a variant."""
    spec = registry.find_template(template)
    return bind(spec.template, spec.sample(seed, "train"), seed=seed, recipe=parse(recipe)[1])


def opened(address: str, recipe: str = "cloud") -> ConsoleSimulator:
    """A console with this page open."""
    console = ConsoleSimulator()
    console.reset(task(recipe))
    assert console.act(Navigate(address))[0].outcome is ActOutcome.DONE
    return console


def the(console: ConsoleSimulator, name: str, role: str = "") -> Element:
    """The first element with this name that can be used."""
    found = [e for e in console.face.observe().elements if e.name == name and e.actionable and role in ("", e.role)]
    assert found, name
    return found[0]


def outcome(console: ConsoleSimulator, action: Action) -> ActOutcome:
    """What came of an action."""
    return console.act(action)[0].outcome


def test_what_lies_behind_a_dialog_is_covered() -> None:
    console = opened("/instances/" + the_first_instance())
    behind = the(console, "Resize")
    console.act(Click(the(console, "Change security group").ref))
    assert console.face.observe().dialogs
    assert outcome(console, Click(behind.ref)) is ActOutcome.COVERED
    assert outcome(console, Press("Escape")) is ActOutcome.DONE
    assert outcome(console, Click(behind.ref)) is ActOutcome.DONE


def the_first_instance() -> str:
    """The id of the first instance of every console here."""
    console = ConsoleSimulator()
    console.reset(task())
    return console.world.of_kind("instance")[0].id


def test_refusals_have_names() -> None:
    console = opened("/instances/" + the_first_instance())
    stopped = [e for e in console.face.observe().elements if "disabled" in e.states]
    assert outcome(console, Click(stopped[0].ref)) is ActOutcome.DISABLED
    assert outcome(console, Type(the(console, "Resize").ref, "x")) is ActOutcome.NOT_EDITABLE
    assert outcome(console, Select(the(console, "Resize").ref, "x")) is ActOutcome.NOT_EDITABLE
    assert outcome(console, Click(12345)) is ActOutcome.VANISHED
    assert outcome(console, Navigate("https://example.org/")) is ActOutcome.BLOCKED_NAVIGATION
    assert outcome(console, Scroll("up")) is ActOutcome.NO_EFFECT
    console.act(Navigate("/instances"))
    assert outcome(console, Select(the(console, "State", "combobox").ref, "asleep")) is ActOutcome.NO_SUCH_OPTION
    search = the(console, "Search instances")
    assert outcome(console, Click(search.ref)) is ActOutcome.DONE
    assert outcome(console, Click(search.ref)) is ActOutcome.NO_EFFECT


def test_a_typed_name_opens_the_way_to_a_deletion() -> None:
    console = opened("/instances")
    name = console.world.label(console.world.of_kind("instance")[0])
    console.act(Type(the(console, "Search instances").ref, name))
    console.act(Click(the(console, name, "link").ref))
    console.act(Click(the(console, "Terminate").ref))
    assert "disabled" in the(console, "Terminate instance").states
    console.act(Type(the(console, f"Type {name} to confirm").ref, name))
    result, after = console.act(Click(the(console, "Terminate instance").ref))
    assert any(each.startswith("DELETE /api/instances/i-") for each in result.requests)
    assert console.world.audit[-1].event == "instance.terminate"
    assert after.toasts or after.dialogs


def test_waiting_ends_with_the_first_change() -> None:
    console = opened("/instances")
    running = next(it for it in console.world.of_kind("instance") if it.state == "running")
    console.act(Navigate(f"/instances/{running.id}"))
    console.act(Click(the(console, "Stop").ref))
    console.act(Click(the(console, "Stop instance").ref))
    assert console.world.objects[running.id].state == "stopping"
    assert outcome(console, Wait()) is ActOutcome.DONE
    assert console.world.objects[running.id].state == "stopped"
    assert outcome(console, Wait()) is ActOutcome.NO_EFFECT


def test_a_session_expires_once_and_is_taken_up_again() -> None:
    console = opened("/instances", "cloud?session=expires")
    seen: list[str] = []
    for _ in range(12):
        seen += console.face.observe().dialogs
        name = "Sign in again" if console.face.observe().dialogs else "Name"
        console.act(Click(the(console, name).ref))
    assert seen == ["Your session has expired"]


@pytest.mark.parametrize(("locale", "days"), [("en", "days"), ("zh", "天"), ("de", "Tage")])
def test_a_unit_stands_behind_its_input_and_its_value(locale: str, days: str) -> None:
    console = opened("/buckets", f"cloud?locale={locale}")
    bucket = next(it for it in console.world.of_kind("bucket") if console.world.value(it, "versions") == "yes")
    kept = console.world.value(bucket, "keep_days")
    console.act(Navigate(f"/buckets/{bucket.id}"))
    assert f"{kept} {days}" in [each.name for each in console.face.observe().elements]
    console.act(Click([e for e in console.face.observe().elements if e.role == "button"][1].ref))
    dialog = [each for each in console.face.observe().elements if each.region == "dialog"]
    field = next(at for at, each in enumerate(dialog) if each.value == kept)
    assert dialog[field + 1].name == days


def test_a_measured_column_is_sorted_by_its_numbers() -> None:
    console = opened("/alarms")
    for at, alarm in enumerate(console.world.of_kind("alarm")):
        console.world.put(alarm, limit=str(9 + at))
    console.act(Click(the(console, "Limit", "button").ref))
    limits = [each.name for each in console.face.observe().elements if each.label == "Limit" and each.role == "cell"]
    assert limits[:2] == ["9 %", "10 %"]


def test_several_are_named_before_something_is_done_to_them() -> None:
    console = opened("/instances")
    ticked = [each for each in console.face.observe().elements if each.role == "checkbox"][1:3]
    for each in ticked:
        console.act(Click(each.ref))
    console.act(Click(the(console, "Stop selected").ref))
    names = [each.name.removeprefix("Select ") for each in ticked]
    assert ", ".join(names) in [each.name for each in console.face.observe().elements if each.region == "dialog"]


def test_the_activity_tells_when() -> None:
    console = opened("/instances/" + the_first_instance())
    console.act(Click(the(console, "Resize").ref))
    console.act(Click(the(console, "Resize instance").ref))
    console.act(Click(the(console, "Activity", "tab").ref))
    rows = [each for each in console.face.observe().elements if each.label == "When"]
    assert rows[0].name == "2027-03-01 09:00:28"


def test_pages_take_their_time_where_the_variant_says_so() -> None:
    console = opened("/instances", "cloud?latency=long")
    assert "Loading…" in [each.name for each in console.face.observe().elements]
    console.act(Wait())
    assert "Loading…" not in [each.name for each in console.face.observe().elements]


@pytest.mark.parametrize("fault", ["fail", "lost"])
def test_a_write_fails_at_most_twice_in_a_row(fault: str) -> None:
    console = opened("/security-groups/new", f"cloud?faults={fault}")
    console.act(Type(the(console, "Name").ref, "made-by-hand"))
    tried = 0
    while not console.world.find("security_group", "made-by-hand"):
        console.act(Click(the(console, "Create security group", "button").ref))
        tried += 1
        assert tried < 4


def test_what_says_nothing_of_a_world_is_drawn_once_for_all() -> None:
    drawn = []
    for seed in (1, 2):
        console = ConsoleSimulator()
        console.reset(task(seed=seed))
        console.act(Navigate("/instances"))
        drawn.append({section.name: section for pane in console.face.screen.panes for section in pane.sections})
    same = {name for name, section in drawn[0].items() if section is drawn[1].get(name)}
    assert same == {"brand", "who", "nav", "crumbs", "head", "tools"}
    assert drawn[0]["rows"].nodes != drawn[1]["rows"].nodes


class Clumsy(RuleBasedStateMachine):
    """Anything done to any variant: observations stay whole, and what was kept equals what is drawn anew."""

    def __init__(self) -> None:
        super().__init__()
        self.console = ConsoleSimulator()
        self.twin = ConsoleSimulator()

    @initialize(seed=st.integers(0, 10_000))
    def begin(self, seed: int) -> None:
        rng = random.Random(seed)
        specs = sorted(registry.find_environment("cloud").templates)
        variant = VARIANTS.draw(rng, "train", changed=6)
        drawn = task(variant, template=rng.choice(specs), seed=seed)
        assert self.console.reset(drawn) == self.twin.reset(drawn)

    @rule(data=st.data(), text=st.sampled_from(["web", "", "10.0.0.0/8", "12", "amber-web-3"]))
    def use(self, data: st.DataObject, text: str) -> None:
        usable = [e for e in self.console.face.observe().elements if e.actionable]
        element = data.draw(st.sampled_from(usable))
        match element.role:
            case "textbox":
                self.both(Type(element.ref, text))
            case "combobox":
                self.both(Select(element.ref, data.draw(st.sampled_from(element.options))))
            case _:
                self.both(Click(element.ref))

    @rule(key=st.sampled_from(["Tab", "Enter", "Escape", "Space", "ArrowDown"]))
    def key(self, key: str) -> None:
        self.both(Press(key))  # type: ignore[arg-type]  # one of the keys

    @rule()
    def wait(self) -> None:
        self.both(Wait())

    def both(self, action: Action) -> None:
        """In the one with the pages at hand, in the other with each drawn anew."""
        done = self.console.act(action)
        draw.forget()
        self.twin.face.rest()
        assert self.twin.act(action) == done

    @invariant()
    def observations_are_whole(self) -> None:
        seen = self.console.face.observe()
        refs = [each.ref for each in seen.elements]
        assert len(refs) == len(set(refs))
        assert sum("focused" in each.states for each in seen.elements) <= 1
        assert all(list(each.states) == sorted(each.states) for each in seen.elements)
        assert self.console.world.audit == self.twin.world.audit


Clumsy.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_clumsy = Clumsy.TestCase


def test_the_pages_of_a_kind_can_be_printed() -> None:
    found = pages("disk", "cloud?latency=long&list=cards")
    assert [address.rpartition("/")[0] for address in found] == ["", "/disks", "/disks"]
    assert "button    Next" in told(found["/disks/new"])
    with pytest.raises(KeyError, match="shown with its security_group"):
        pages("rule", "cloud")
