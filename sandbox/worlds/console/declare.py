"""The language in which a console is declared: kinds of resource, their fields, states, verbs and pages."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule

FieldType: TypeAlias = Literal["text", "integer", "choice", "boolean", "reference"]
ServerCheck: TypeAlias = Literal["", "unique", "cidr", "grows"]  # grows: an edit may only raise it
Generated: TypeAlias = Literal["", "private_ip", "public_ip"]  # values that the server makes
Confirm: TypeAlias = Literal["modal", "typed"]  # typed: the object's name has to be written out
Method: TypeAlias = Literal["POST", "PUT", "DELETE"]

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class BadDeclaration(ValueError):
    """The declaration contradicts itself; each problem is one line that names its place."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Field(Struct, frozen=True, forbid_unknown_fields=True):
    """One property of a kind. Values are held as text (integers in decimal, booleans as yes/no)."""

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


class Slow(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of state that takes a while: `via` is shown for `ticks` ticks, then `to` ("" = the state before)."""

    via: str
    to: str = ""
    ticks: int = 2


class Verb(Struct, frozen=True, forbid_unknown_fields=True):
    """Something done to one existing object, by a button on its page and a dialog."""

    name: str
    title: str  # the button
    risk: Risk
    done: str  # what the notice says after "<Kind> <name> "
    confirm: Confirm = "modal"
    warning: str = ""  # what the dialog says
    from_states: tuple[str, ...] = ()  # () = any
    fields: tuple[str, ...] = ()  # asked for in the dialog and set
    clears: tuple[str, ...] = ()
    slow: Slow | None = None
    deletes: bool = False

    @property
    def method(self) -> Method:
        """HTTP method of its request: deletes DELETE, edits in place PUT, others POST."""
        if self.deletes:
            return "DELETE"
        return "PUT" if self.fields and self.slow is None else "POST"


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


class Kind(Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of resource. A kind with a `parent` (one of its reference fields) lives on a tab of that parent."""

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

    @property
    def path(self) -> str:
        """Segment of its addresses: `security_group` -> `security-groups`."""
        return self.plural.lower().replace(" ", "-")

    @property
    def asked(self) -> tuple[str, ...]:
        """Fields asked for on creation, in order, the parent aside."""
        return tuple(name for step in self.wizard for name in step.fields)

    def field(self, name: str) -> Field:
        """The field of this name. Raises KeyError."""
        found = next((f for f in self.fields if f.name == name), None)
        if found is None:
            raise KeyError(f"{self.name} has no field {name}")
        return found

    def verb(self, name: str) -> Verb:
        """The verb of this name. Raises KeyError."""
        found = next((v for v in self.verbs if v.name == name), None)
        if found is None:
            raise KeyError(f"{self.name} has no verb {name}")
        return found

    def slow_states(self) -> tuple[str, ...]:
        """States in which an object is on its way to another."""
        slow = [self.create_slow, *(verb.slow for verb in self.verbs)]
        return tuple(dict.fromkeys(s.via for s in slow if s is not None))


class Console(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole console."""

    name: str
    title: str
    kinds: tuple[Kind, ...]
    page_size: int = 8

    def kind(self, name: str) -> Kind:
        """The kind of this name. Raises KeyError."""
        found = next((k for k in self.kinds if k.name == name), None)
        if found is None:
            raise KeyError(f"{self.name} has no kind {name}")
        return found

    def at(self, path: str) -> Kind | None:
        """The kind whose addresses have this segment, or None."""
        return next((k for k in self.kinds if k.path == path), None)

    def referring(self, kind: str) -> Iterator[tuple[Kind, Field]]:
        """Every (kind, field) that refers to this kind."""
        for other in self.kinds:
            for field in other.fields:
                if field.references == kind:
                    yield other, field


def request_rules(console: Console) -> tuple[RequestRule, ...]:
    """What each writing request of this console may cost, as data for the egress proxy."""
    rules = [RequestRule("POST", "/sign-in", Risk.CREDENTIAL)]
    for kind in console.kinds:
        rules.append(RequestRule("POST", f"/api/{kind.path}", kind.create_risk))
        for verb in kind.verbs:
            rules.append(RequestRule(verb.method, request_path(kind, "[a-z0-9-]+", verb), verb.risk))
    return tuple(rules)


def request_path(kind: Kind, object_id: str, verb: Verb) -> str:
    """Address to which the page sends this verb."""
    base = f"/api/{kind.path}/{object_id}"
    return base if verb.deletes else f"{base}/{verb.name.replace('_', '-')}"


def checked(console: Console) -> Console:
    """The same declaration, if it is sound. Raises BadDeclaration with every problem found."""
    problems = [*_repeats("kind", [k.name for k in console.kinds], console.name)]
    problems += _repeats("path", [k.path for k in console.kinds], console.name)
    for kind in console.kinds:
        for problem in _kind_problems(console, kind):
            problems.append(f"{console.name}.{kind.name}: {problem}")
    if problems:
        raise BadDeclaration(problems)
    return console


def _repeats(what: str, names: list[str], place: str) -> list[str]:
    return [f"{place}: {what} '{name}' is declared {n} times" for name, n in Counter(names).items() if n > 1]


def _kind_problems(console: Console, kind: Kind) -> Iterator[str]:
    yield from _repeats("field", [f.name for f in kind.fields], "fields")
    yield from _repeats("verb", [v.name for v in kind.verbs], "verbs")
    yield from _repeats("tab", [t.name for t in kind.tabs], "tabs")
    for field in kind.fields:
        for problem in _field_problems(console, kind, field):
            yield f"field {field.name}: {problem}"
    known = {f.name for f in kind.fields}
    places: list[tuple[str, tuple[str, ...]]] = [("columns", tuple(c for c in kind.columns if c != "state"))]
    places += [(f"wizard step '{s.title}'", s.fields) for s in kind.wizard]
    places += [(f"tab {t.name}", tuple(f for f in t.fields if f != "state")) for t in kind.tabs]
    places += [(f"verb {v.name}", (*v.fields, *v.clears)) for v in kind.verbs]
    places += [("parent", (kind.parent,) if kind.parent else ())]
    places += [("label", tuple(re.findall(r"{(\w+)}", kind.label)))]
    places += [("quotas", tuple(name for q in kind.quotas for name in (q.field, q.per) if name))]
    for place, names in places:
        for name in names:
            if name not in known:
                yield f"{place}: there is no field '{name}' (fields: {', '.join(sorted(known))})"
    yield from _state_problems(kind)
    yield from _page_problems(console, kind)


def _field_problems(console: Console, kind: Kind, field: Field) -> Iterator[str]:
    if not _NAME.fullmatch(field.name) or field.name in ("id", "state"):
        yield "a name is lower-case letters, digits and _, and neither 'id' nor 'state'"
    if field.type == "choice" and not field.choices:
        yield "a choice needs choices"
    if field.type != "choice" and field.choices:
        yield f"choices belong to a choice, not to a {field.type}"
    if (field.type == "reference") != bool(field.references):
        yield "references (the kind referred to) goes with type reference, and only with it"
    elif field.references and all(k.name != field.references for k in console.kinds):
        yield f"refers to kind '{field.references}', which is not declared"
    elif field.references:
        there = {f.name for f in console.kind(field.references).fields}
        here = {f.name for f in kind.fields}
        yield from (f"same: '{name}' is not a field of both kinds" for name in field.same if name not in here & there)
    if field.type != "integer" and (field.minimum is not None or field.maximum is not None):
        yield "minimum and maximum belong to an integer"
    if field.minimum is not None and field.maximum is not None and field.minimum > field.maximum:
        yield f"minimum {field.minimum} is above maximum {field.maximum}"
    if field.check == "grows" and field.type != "integer":
        yield "the check 'grows' belongs to an integer"
    try:
        re.compile(field.pattern)
    except re.error as problem:
        yield f"pattern: {problem}"
    else:
        if field.default and field.pattern and not re.fullmatch(field.pattern, field.default):
            yield f"default '{field.default}' does not match the pattern"
    if field.default and field.choices and field.default not in field.choices:
        yield f"default '{field.default}' is not one of the choices"


def _state_problems(kind: Kind) -> Iterator[str]:
    slow_ones = [("create_slow", kind.create_slow), *((f"verb {v.name}", v.slow) for v in kind.verbs)]
    for place, slow in slow_ones:
        if slow is None:
            continue
        if slow.ticks < 1:
            yield f"{place}: ticks is at least 1"
        if slow.to and slow.to not in kind.states:
            yield f"{place}: ends in state '{slow.to}', which is not one of {', '.join(kind.states) or '(none)'}"
    if kind.create_slow is not None and not kind.create_slow.to:
        yield "create_slow: a new object has no state before, so 'to' is needed"
    for verb in kind.verbs:
        yield from (
            f"verb {verb.name}: from_states has '{state}', which is not a state"
            for state in verb.from_states
            if state not in kind.states
        )
        if verb.deletes and (verb.slow or verb.fields):
            yield f"verb {verb.name}: what deletes can neither be slow nor ask for fields"


def _page_problems(console: Console, kind: Kind) -> Iterator[str]:
    if not kind.columns:
        yield "columns: a list shows at least one"
    if not kind.parent and not kind.tabs:
        yield "tabs: a kind with pages of its own needs at least one"
    missing = [f.name for f in kind.fields if _must_ask(kind, f) and f.name not in kind.asked]
    if kind.wizard and missing:
        yield f"wizard: required without default, yet never asked for: {', '.join(missing)}"
    for tab in kind.tabs:
        if tab.rows_of and not any(k.name == tab.rows_of for k, _ in console.referring(kind.name)):
            yield f"tab {tab.name}: rows_of '{tab.rows_of}' is no kind with a reference to {kind.name}"
    try:
        parent = kind.field(kind.parent) if kind.parent else None
    except KeyError:
        return  # told already
    if parent is not None and not parent.references:
        yield f"parent: field '{kind.parent}' is not a reference"


def _must_ask(kind: Kind, field: Field) -> bool:
    return field.required and not field.default and not field.generated and field.name != kind.parent
