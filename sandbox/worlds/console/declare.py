"""The language in which a console is declared: kinds of resource, their fields, states, verbs and pages."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule

FieldType: TypeAlias = Literal["text", "integer", "choice", "boolean", "reference", "date", "tags", "secret"]
ServerCheck: TypeAlias = Literal["", "unique", "cidr", "grows", "future", "email"]  # grows: an edit may only raise it
Generated: TypeAlias = Literal["", "private_ip", "public_ip", "key_id", "hostname", "today"]  # made by the server
Condition: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]  # ((field, values that fit), ...): all must hold
Confirm: TypeAlias = Literal["modal", "typed"]  # typed: the object's name has to be written out
Method: TypeAlias = Literal["POST", "PUT", "DELETE"]


class BadDeclaration(ValueError):
    """The declaration contradicts itself; each problem is one line that names its place."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Field(Struct, frozen=True, forbid_unknown_fields=True):
    """One property of a kind.

    Values are held as text: integers in decimal, booleans as yes/no, dates as YYYY-MM-DD, tags joined by commas.
    What is typed into a secret is never held: the world keeps "set-" and some digits of its digest.
    """

    name: str
    title: str
    type: FieldType = "text"
    help: str = ""
    default: str = ""
    required: bool = True
    pattern: str = ""  # full match
    pattern_help: str = ""  # the pattern in words, shown when it refuses
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 63
    choices: tuple[str, ...] = ()
    unit: str = ""
    references: str = ""  # name of the kind referred to
    same: tuple[str, ...] = ()  # fields in which the two ends of a reference must agree
    check: ServerCheck = ""
    generated: Generated = ""
    visible_when: Condition = ()  # asked for and shown only then; empty otherwise


class Slow(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of state that takes a while: `via` is shown for `ticks` ticks, then `to`.

    With `to` "" the state before comes back; what is deleted is then gone.
    """

    via: str
    to: str = ""
    ticks: int = 2


class Verb(Struct, frozen=True, forbid_unknown_fields=True):
    """Something done to one existing object (or, with `bulk`, to all that are ticked), by a button and a dialog."""

    name: str
    title: str  # the button
    risk: Risk
    done: str  # what the notice says after "<Kind> <name> "
    confirm: Confirm = "modal"
    warning: str = ""  # what the dialog says
    from_states: tuple[str, ...] = ()  # () = any
    fields: tuple[str, ...] = ()  # asked for in the dialog and set
    clears: tuple[str, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()  # (field, value) that it always writes
    renews: tuple[str, ...] = ()  # generated fields that get a new value
    when: Condition = ()  # possible only then
    slow: Slow | None = None
    deletes: bool = False
    bulk: bool = False

    @property
    def method(self) -> Method:
        """HTTP method of its request: deletes DELETE, edits in place PUT, others POST."""
        if self.deletes:
            return "DELETE"
        return "PUT" if self.fields and self.slow is None else "POST"


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """What an object costs in cents a month: a base, so much per value of a choice, so much per unit of an integer."""

    base: int = 0
    by_value: tuple[tuple[str, str, int], ...] = ()  # (field, value, cents)
    per_unit: tuple[tuple[str, int], ...] = ()  # (field, cents)

    def of(self, values: Mapping[str, str]) -> int:
        """Cents a month; what is not a number yet counts nothing."""
        total = self.base + sum(cents for field, value, cents in self.by_value if values.get(field) == value)
        return total + sum(int(v) * c for f, c in self.per_unit if (v := values.get(f, "")).isascii() and v.isdigit())


class WizardStep(Struct, frozen=True, forbid_unknown_fields=True):
    """One screen of the create form."""

    title: str
    fields: tuple[str, ...]


class Tab(Struct, frozen=True, forbid_unknown_fields=True):
    """One tab of the detail page: facts, the rows of a child kind or of a kind that refers here, or the activity."""

    name: str
    title: str
    fields: tuple[str, ...] = ()
    rows_of: str = ""  # a kind with a reference to this one
    activity: bool = False


class Quota(Struct, frozen=True, forbid_unknown_fields=True):
    """At most `limit` objects, or, with `field`, at most `limit` of its sum; `per` counts within one parent."""

    title: str
    limit: int
    field: str = ""
    per: str = ""


class Kind(Struct, frozen=True, forbid_unknown_fields=True, dict=True, eq=False):
    """One kind of resource. A kind with a `parent` (one of its reference fields) lives on a tab of that parent.

    Compared by identity: a declaration is made once and looked things up in all the time.
    """

    name: str
    title: str
    plural: str
    group: str  # heading in the side navigation
    prefix: str  # of ids
    fields: tuple[Field, ...]
    columns: tuple[str, ...]
    summary: str = ""
    create_title: str = ""
    create_risk: Risk = Risk.REVERSIBLE
    created: str = "was created"  # what the notice says after "<Kind> <name> "
    create_slow: Slow | None = None
    wizard: tuple[WizardStep, ...] = ()
    tabs: tuple[Tab, ...] = ()
    verbs: tuple[Verb, ...] = ()
    states: tuple[str, ...] = ()  # those that last; slow ones are named by Slow.via
    quotas: tuple[Quota, ...] = ()
    parent: str = ""
    label: str = "{name}"  # how an object is called; blanks are fields
    filters: tuple[str, ...] = ()  # choices, booleans or "state" by which the list can be narrowed
    drawer: tuple[str, ...] = ()  # fields of the quick look beside the list
    price: Price | None = None

    @cached_property
    def path(self) -> str:
        """Segment of its addresses: `security_group` -> `security-groups`."""
        return self.plural.lower().replace(" ", "-")

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """Fields asked for on creation, in order, the parent aside."""
        return tuple(name for step in self.wizard for name in step.fields)

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each field's value stands in an object."""
        return {field.name: at for at, field in enumerate(self.fields)}

    @cached_property
    def _verbs(self) -> dict[str, Verb]:
        return {verb.name: verb for verb in self.verbs}

    def field(self, name: str) -> Field:
        """The field of this name. Raises KeyError."""
        at = self.index.get(name)
        if at is None:
            raise KeyError(f"{self.name} has no field {name}")
        return self.fields[at]

    def verb(self, name: str) -> Verb:
        """The verb of this name. Raises KeyError."""
        found = self._verbs.get(name)
        if found is None:
            raise KeyError(f"{self.name} has no verb {name}")
        return found

    @property
    def bulk_verbs(self) -> tuple[Verb, ...]:
        """Verbs that can be done to several at once."""
        return tuple(verb for verb in self.verbs if verb.bulk)

    def slow_states(self) -> tuple[str, ...]:
        """States in which an object is on its way to another."""
        slow = [self.create_slow, *(verb.slow for verb in self.verbs)]
        return tuple(dict.fromkeys(s.via for s in slow if s is not None))


class Console(Struct, frozen=True, forbid_unknown_fields=True, dict=True, eq=False):
    """A whole console. Compared by identity."""

    name: str
    title: str
    kinds: tuple[Kind, ...]
    page_size: int = 8
    today: str = "2027-03-01"  # a console's calendar stands still
    operator: str = "operator@example.org"

    @cached_property
    def _by_name(self) -> dict[str, Kind]:
        return {kind.name: kind for kind in self.kinds}

    @cached_property
    def _by_path(self) -> dict[str, Kind]:
        return {kind.path: kind for kind in self.kinds}

    @cached_property
    def _by_prefix(self) -> dict[str, Kind]:
        return {kind.prefix: kind for kind in self.kinds}

    @cached_property
    def _referring(self) -> dict[str, tuple[tuple[Kind, Field], ...]]:
        found: dict[str, list[tuple[Kind, Field]]] = {}
        for kind in self.kinds:
            for field in kind.fields:
                if field.references:
                    found.setdefault(field.references, []).append((kind, field))
        return {name: tuple(pairs) for name, pairs in found.items()}

    def kind(self, name: str) -> Kind:
        """The kind of this name. Raises KeyError."""
        found = self._by_name.get(name)
        if found is None:
            raise KeyError(f"{self.name} has no kind {name}")
        return found

    def at(self, path: str) -> Kind | None:
        """The kind whose addresses have this segment, or None."""
        return self._by_path.get(path)

    def kind_of(self, object_id: str) -> Kind | None:
        """The kind whose ids look like this one, or None."""
        return self._by_prefix.get(object_id.rpartition("-")[0])

    def referring(self, kind: str) -> tuple[tuple[Kind, Field], ...]:
        """Every (kind, field) that refers to this kind."""
        return self._referring.get(kind, ())


def holds(condition: Condition, values: Mapping[str, str]) -> bool:
    """Whether these values fulfil a condition."""
    return all(values.get(field, "") in fitting for field, fitting in condition)


def request_rules(console: Console) -> tuple[RequestRule, ...]:
    """What each writing request of this console may cost, as data for the egress proxy."""
    rules = [RequestRule("POST", "/sign-in", Risk.CREDENTIAL), RequestRule("POST", "/ui/event", Risk.READ)]
    for kind in console.kinds:
        rules.append(RequestRule("POST", f"/api/{kind.path}", kind.create_risk))
        for verb in kind.verbs:
            rules.append(RequestRule(verb.method, request_path(kind, "[a-z0-9-]+", verb), verb.risk))
    return tuple(rules)


def request_path(kind: Kind, object_id: str, verb: Verb) -> str:
    """Address to which the page sends this verb; several objects at once are named in the body, the id is then `-`."""
    base = f"/api/{kind.path}/{object_id}"
    return base if verb.deletes else f"{base}/{verb.name.replace('_', '-')}"
