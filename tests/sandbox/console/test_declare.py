"""A declaration that contradicts itself is refused, with every problem and its place."""

import msgspec
import pytest

from sandbox.contracts.tasks import Risk
from sandbox.registry import request_risk
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.declare import (
    BadDeclaration,
    Console,
    Field,
    Kind,
    Price,
    Slow,
    Tab,
    Verb,
    WizardStep,
    request_rules,
)
from sandbox.worlds.console.soundness import checked

NAME = Field(name="name", title="Name")
INSTANCE, DISK = CLOUD.kind("instance"), CLOUD.kind("disk")


def kind(**changes: object) -> Kind:
    """A smallest sound kind, changed."""
    plain = Kind(
        name="box",
        title="Box",
        plural="Boxes",
        group="Things",
        prefix="b",
        fields=(NAME,),
        columns=("name",),
        wizard=(WizardStep(title="Basics", fields=("name",)),),
        tabs=(Tab(name="overview", title="Overview", fields=("name",)),),
    )
    return msgspec.structs.replace(plain, **changes)


def verb(**changes: object) -> Verb:
    """A smallest sound verb, changed."""
    return msgspec.structs.replace(Verb(name="poke", title="Poke", risk=Risk.REVERSIBLE, done="was poked"), **changes)


def test_the_smallest_console_and_the_cloud_are_sound() -> None:
    assert checked(Console(name="c", title="C", kinds=(kind(),))).kinds[0].name == "box"
    assert checked(CLOUD) is CLOUD


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (kind(fields=(NAME, NAME)), "c.box: fields: field 'name' is declared 2 times"),
        (kind(columns=("name", "colour")), "c.box: columns: there is no field 'colour' (fields: name)"),
        (kind(columns=()), "c.box: columns: a list shows at least one"),
        (kind(tabs=()), "c.box: tabs: a kind with pages of its own needs at least one"),
        (kind(wizard=(WizardStep(title="S", fields=()),)), "c.box: wizard: required without default"),
        (kind(fields=(NAME, Field(name="state", title="S"))), "field state: a name is lower-case"),
        (kind(fields=(NAME, Field(name="x", title="X", type="choice"))), "field x: a choice needs choices"),
        (kind(fields=(NAME, Field(name="x", title="X", choices=("a",)))), "field x: choices belong to a choice"),
        (kind(fields=(NAME, Field(name="x", title="X", type="reference"))), "field x: references (the kind"),
        (
            kind(fields=(NAME, Field(name="x", title="X", type="reference", references="cup"))),
            "field x: refers to kind 'cup', which is not declared",
        ),
        (
            kind(fields=(NAME, Field(name="x", title="X", type="reference", references="box", same=("zone",)))),
            "field x: same: 'zone' is not a field of both kinds",
        ),
        (kind(fields=(NAME, Field(name="x", title="X", minimum=1))), "field x: minimum and maximum belong"),
        (kind(fields=(NAME, Field(name="x", title="X", unit="GB"))), "field x: a unit belongs to an integer"),
        (
            kind(fields=(NAME, Field(name="x", title="X", type="integer", minimum=9, maximum=2))),
            "field x: minimum 9 is above maximum 2",
        ),
        (kind(fields=(NAME, Field(name="x", title="X", pattern="("))), "field x: pattern:"),
        (
            kind(fields=(NAME, Field(name="x", title="X", pattern="[a-z]+", default="1"))),
            "field x: default '1' does not match the pattern",
        ),
        (
            kind(fields=(NAME, Field(name="x", title="X", type="choice", choices=("a",), default="b"))),
            "field x: default 'b' is not one of the choices",
        ),
        (kind(fields=(NAME, Field(name="x", title="X", check="grows"))), "field x: the check 'grows' belongs"),
        (kind(verbs=(verb(fields=("size",)),)), "verb poke: there is no field 'size'"),
        (kind(verbs=(verb(from_states=("gone",)),)), "verb poke: from_states has 'gone', which is not a state"),
        (kind(verbs=(verb(slow=Slow(via="poking", to="poked")),)), "verb poke: ends in state 'poked'"),
        (kind(verbs=(verb(slow=Slow(via="poking", ticks=0)),)), "verb poke: ticks is at least 1"),
        (kind(create_slow=Slow(via="making")), "create_slow: a new object has no state before"),
        (kind(verbs=(verb(deletes=True, fields=("name",)),)), "verb poke: what deletes can neither"),
        (kind(verbs=(verb(bulk=True, fields=("name",)),)), "verb poke: what is done to several can neither"),
        (kind(verbs=(verb(renews=("name",)),)), "verb poke: renews 'name', which is not generated"),
        (kind(verbs=(verb(when=(("mood", ("good",)),)),)), "verb poke: when: there is no field 'mood'"),
        (kind(fields=(NAME, Field(name="x", title="X", visible_when=(("y", ("a",)),)))), "visible_when: there is no"),
        (kind(fields=(NAME, Field(name="x", title="API key"))), "field x: the title 'API key' is what a secret"),
        (kind(fields=(NAME, Field(name="x", title="X", check="future"))), "field x: the check 'future' belongs"),
        (kind(filters=("name",)), "filters: 'name' is neither a choice"),
        (kind(drawer=("colour",)), "drawer: there is no field 'colour'"),
        (kind(price=Price(per_unit=(("size", 3),))), "price: there is no field 'size'"),
        (kind(tabs=(Tab(name="t", title="T", rows_of="cup"),)), "tab t: rows_of 'cup' is no kind with a reference"),
        (kind(parent="name"), "parent: field 'name' is not a reference"),
        (kind(parent="owner"), "parent: there is no field 'owner'"),
        (kind(label="{nick}"), "label: there is no field 'nick'"),
    ],
)
def test_each_contradiction_is_told_with_its_place(broken: Kind, told: str) -> None:
    with pytest.raises(BadDeclaration) as refusal:
        checked(Console(name="c", title="C", kinds=(broken,)))
    assert any(told in problem for problem in refusal.value.problems), refusal.value.problems


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(BadDeclaration) as refusal:
        checked(Console(name="c", title="C", kinds=(kind(columns=("a",)), kind(columns=("b",)))))
    assert len(refusal.value.problems) == 5  # the name, the path and the prefix twice, a, b


def test_unknown_names_are_key_errors() -> None:
    with pytest.raises(KeyError, match="no kind cup"):
        CLOUD.kind("cup")
    with pytest.raises(KeyError, match="no field colour"):
        INSTANCE.field("colour")
    with pytest.raises(KeyError, match="no verb eat"):
        INSTANCE.verb("eat")


@pytest.mark.parametrize(
    ("method", "path", "risk"),
    [
        ("POST", "/api/instances", Risk.COST),
        ("POST", "/api/security-groups", Risk.REVERSIBLE),
        ("POST", "/api/instances/i-1a2b/stop", Risk.REVERSIBLE),
        ("POST", "/api/instances/i-1a2b/resize", Risk.COST),
        ("DELETE", "/api/instances/i-1a2b", Risk.DESTRUCTIVE),
        ("DELETE", "/api/rules/r-1", Risk.DESTRUCTIVE),
        ("PUT", "/api/disks/d-1/enlarge", Risk.COST),
        ("POST", "/sign-in", Risk.CREDENTIAL),
        ("GET", "/instances?q=a", Risk.READ),
        ("POST", "/ui/event", Risk.READ),
        ("POST", "/api/instances/i-1/../i-2/stop", Risk.UNKNOWN),
        ("DELETE", "/api/instances", Risk.UNKNOWN),
        ("PATCH", "/api/instances/i-1", Risk.UNKNOWN),
    ],
)
def test_the_risk_of_requests_follows_from_the_declaration(method: str, path: str, risk: Risk) -> None:
    assert request_risk(request_rules(CLOUD), method, path) is risk


def test_methods_follow_from_what_a_verb_does() -> None:
    assert DISK.verb("delete").method == "DELETE"
    assert DISK.verb("enlarge").method == "PUT"
    assert DISK.verb("attach").method == "POST"
    assert INSTANCE.slow_states() == ("creating", "starting", "stopping", "rebooting", "resizing")
