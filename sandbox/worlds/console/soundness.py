"""Whether a declaration is sound: each contradiction found, with its place and what was expected."""

import re
from collections import Counter
from collections.abc import Iterator

from sandbox.worlds.console.declare import BadDeclaration, Condition, Console, Field, Kind

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# Browsers' eyes mask what stands beside such words, so only real secrets are called so.
_SECRET = re.compile(r"pass(?:word|phrase)|secret|\btoken\b|private[ _-]?key|api[ _-]?key", re.IGNORECASE)


def checked(console: Console) -> Console:
    """The same declaration, if it is sound. Raises BadDeclaration with every problem found."""
    problems = [*_repeats("kind", [k.name for k in console.kinds], console.name)]
    problems += _repeats("path", [k.path for k in console.kinds], console.name)
    problems += _repeats("prefix", [k.prefix for k in console.kinds], console.name)
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
    places += [("filters", tuple(f for f in kind.filters if f != "state"))]
    places += [("drawer", tuple(f for f in kind.drawer if f != "state"))]
    places += [(f"verb {v.name}", (*(f for f, _ in v.sets), *v.renews)) for v in kind.verbs]
    places += [("price", _priced(kind))]
    places += [("label", tuple(re.findall(r"{(\w+)}", kind.label)))]
    places += [("quotas", tuple(name for q in kind.quotas for name in (q.field, q.per) if name))]
    for place, names in places:
        for name in names:
            if name not in known:
                yield f"{place}: there is no field '{name}' (fields: {', '.join(sorted(known))})"
    yield from _condition_problems(kind)
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
    yield from _check_problems(field)
    if field.type != "integer" and (field.minimum is not None or field.maximum is not None):
        yield "minimum and maximum belong to an integer"
    if field.type != "integer" and field.unit:
        yield "a unit belongs to an integer"
    if field.minimum is not None and field.maximum is not None and field.minimum > field.maximum:
        yield f"minimum {field.minimum} is above maximum {field.maximum}"
    try:
        re.compile(field.pattern)
    except re.error as problem:
        yield f"pattern: {problem}"
    else:
        if field.default and field.pattern and not re.fullmatch(field.pattern, field.default):
            yield f"default '{field.default}' does not match the pattern"
    if field.default and field.choices and field.default not in field.choices:
        yield f"default '{field.default}' is not one of the choices"


def _check_problems(field: Field) -> Iterator[str]:
    if field.check == "grows" and field.type != "integer":
        yield "the check 'grows' belongs to an integer"
    if field.check == "future" and field.type != "date":
        yield "the check 'future' belongs to a date"
    if field.type == "secret" and field.default:
        yield "a secret has no default"
    if field.type != "secret" and _SECRET.search(field.title):
        yield f"the title '{field.title}' is what a secret is called, so its value would be masked: choose another"


def _condition_problems(kind: Kind) -> Iterator[str]:
    conditions: list[tuple[str, Condition]] = [(f"field {f.name}: visible_when", f.visible_when) for f in kind.fields]
    conditions += [(f"verb {v.name}: when", v.when) for v in kind.verbs]
    for place, condition in conditions:
        for name, fitting in condition:
            field = next((f for f in kind.fields if f.name == name), None)
            if field is None:
                yield f"{place}: there is no field '{name}'"
            elif field.choices and (strange := set(fitting) - {*field.choices, ""}):
                yield f"{place}: {', '.join(sorted(strange))}: not among the choices of {name}"
    for verb in kind.verbs:
        for name in verb.renews:
            if any(f.name == name and not f.generated for f in kind.fields):
                yield f"verb {verb.name}: renews '{name}', which is not generated"


def _priced(kind: Kind) -> tuple[str, ...]:
    if kind.price is None:
        return ()
    return (*(field for field, _, _ in kind.price.by_value), *(field for field, _ in kind.price.per_unit))


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
        if verb.deletes and (verb.fields or (verb.slow and verb.slow.to)):
            yield f"verb {verb.name}: what deletes can neither ask for fields nor end in a state"
        if verb.bulk and (verb.fields or verb.confirm == "typed"):
            yield f"verb {verb.name}: what is done to several can neither ask for fields nor for a typed name"


def _page_problems(console: Console, kind: Kind) -> Iterator[str]:
    if not kind.columns:
        yield "columns: a list shows at least one"
    if not kind.parent and not kind.tabs:
        yield "tabs: a kind with pages of its own needs at least one"
    missing = [f.name for f in kind.fields if _must_ask(kind, f) and f.name not in kind.asked]
    if kind.wizard and missing:
        yield f"wizard: required without default, yet never asked for: {', '.join(missing)}"
    if kind.filters:
        fits = {f.name for f in kind.fields if f.type in ("choice", "boolean")} | {"state"}
        yield from (
            f"filters: '{name}' is neither a choice, a boolean nor 'state'" for name in kind.filters if name not in fits
        )
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
