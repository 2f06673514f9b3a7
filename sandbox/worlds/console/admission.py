"""Whether a console takes a write: values one by one and beside each other, references, quotas, confirmations."""

import hashlib
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

from sandbox.worlds.console.answers import one
from sandbox.worlds.console.declare import Field, Kind, Quota, Verb, holds
from sandbox.worlds.console.fields import problem
from sandbox.worlds.console.records import Object, Refused

if TYPE_CHECKING:
    from sandbox.worlds.console.world import World

_NOT_HERE = "This cannot be set here."


def wrong(world: "World", kind: Kind, given: Mapping[str, str], *, fields: Sequence[str] = ()) -> dict[str, str]:
    """What is wrong with part of a create form (`fields` of it, or all that are given), by field."""
    errors: dict[str, str] = {}
    beside = {field.name: given.get(field.name, field.default) for field in kind.fields}
    for name in fields or given:
        field = kind.field(name) if name in kind.asked else None
        if field and holds(field.visible_when, beside):
            _read(world, kind, field, given.get(name, "").strip(), errors, beside)
    return errors


def to_create(world: "World", kind: Kind, given: Mapping[str, str]) -> dict[str, str]:
    """Values of an object to be, as they are held. Raises Refused."""
    asked = (*kind.asked, *((kind.parent,) if kind.parent else ()))
    errors = {name: _NOT_HERE for name in given if name not in asked}
    beside = {f.name: given.get(f.name, f.default) if f.name in asked else f.default for f in kind.fields}
    values: dict[str, str] = {}
    for field in kind.fields:
        values[field.name] = value = beside[field.name].strip()
        if not holds(field.visible_when, beside):
            values[field.name] = ""
        elif field.name in asked:
            values[field.name] = beside[field.name] = _read(world, kind, field, value, errors, beside)
    _raise_if(errors)
    for quota in kind.quotas:
        _check_room(world, kind, quota, values, freed=0)
    return values


def to_do(  # one write with what, to what and how
    world: "World", it: Object, verb: Verb, given: Mapping[str, str], confirm: str
) -> dict[str, str]:
    """Values that a verb sets, as they are held. Raises Refused."""
    kind = world.console.kind(it.kind)
    if not world.allowed(it, verb):
        state = it.state or "as it is"
        raise Refused(HTTPStatus.CONFLICT, f"{verb.title} is not possible while it is {state}.")
    if verb.confirm == "typed" and confirm != world.label(it):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"Type {world.label(it)} to confirm.")
    if verb.deletes:
        _check_unused(world, it)
        return {}
    held = world.facts(it)
    errors = {name: _NOT_HERE for name in given if name not in verb.fields}
    beside = {**held, **{name: value for name, value in given.items() if name in verb.fields}}
    values: dict[str, str] = {}
    for name in verb.fields:
        field = kind.field(name)
        if not holds(field.visible_when, beside):
            values[name] = ""
        elif field.references and not given.get(name, "").strip():
            errors[name] = f"{field.title} is required."
        elif field.type != "secret" or name in given:
            value = given.get(name, held[name]).strip()
            values[name] = _read(world, kind, field, value, errors, beside, before=it)
    _raise_if(errors)
    for quota in kind.quotas:
        if quota.field in values:
            _check_room(world, kind, quota, {**held, **values}, freed=int(held[quota.field] or 0))
    return values


def _read(  # one value with all that it is judged by
    world: "World",
    kind: Kind,
    field: Field,
    value: str,
    errors: dict[str, str],
    beside: Mapping[str, str],
    before: Object | None = None,
) -> str:
    held = before.values[kind.index[field.name]] if before else ""
    wrong_so = problem(field, value, before=held, today=world.console.today)
    if not wrong_so and field.check == "unique" and value and _is_taken(world, kind, field, value, before):
        wrong_so = f"There is already {one(kind.title)} named {value}."
    if not wrong_so and field.references and value:
        there = next((o for o in world.of_kind(field.references) if world.label(o) == value), None)
        title = world.console.kind(field.references).title
        if there is None:
            wrong_so = f"There is no {title.lower()} named {value}."
        elif apart := next((n for n in field.same if world.value(there, n) != beside[n]), ""):
            wrong_so = f"{value} is in {world.value(there, apart)}, not in {beside[apart]}."
        else:
            return there.id
    if wrong_so:
        errors[field.name] = wrong_so
        return value
    if field.type == "secret" and value:
        return f"set-{hashlib.sha256(value.encode()).hexdigest()[:8]}"
    return str(int(value)) if field.type == "integer" and value else value


def _is_taken(world: "World", kind: Kind, field: Field, value: str, before: Object | None) -> bool:
    at = kind.index[field.name]
    mine = before.id if before else ""
    return any(each.values[at] == value and each.id != mine for each in world.of_kind(kind.name))


def _check_room(world: "World", kind: Kind, quota: Quota, values: Mapping[str, str], *, freed: int) -> None:
    wanted = int(values[quota.field] or 0) if quota.field else 1
    if wanted > world.room(kind, quota, values) + freed:
        limit = world.limit(kind, quota)
        raise Refused(HTTPStatus.CONFLICT, f"Quota exceeded: at most {limit} {quota.title}.")


def _check_unused(world: "World", it: Object) -> None:
    for other, field in world.referring(it):
        kind = world.console.kind(other.kind)
        if kind.parent != field.name:
            raise Refused(HTTPStatus.CONFLICT, f"It is in use by {kind.title.lower()} {world.label(other)}.")


def _raise_if(errors: Mapping[str, str]) -> None:
    if errors:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, next(iter(errors.values())), errors)
