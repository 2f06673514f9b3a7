"""What a task asks for in terms of the declaration, and what doing it right does to a world."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from sandbox.worlds.console.declare import Console, Tab
from sandbox.worlds.console.world import Object, World


class Create(Struct, frozen=True, tag=True):
    """Make one object of a kind with pages of its own; parameters are called like its fields."""

    kind: str
    fields: tuple[str, ...]


class Do(Struct, frozen=True, tag=True):
    """Do a verb to the object named by the parameter `kind`; `fields` are asked for by the verb."""

    kind: str
    verb: str
    fields: tuple[str, ...] = ()


class AddChild(Struct, frozen=True, tag=True):
    """Make an object of a kind that lives on its parent's page; the parent is named by the parameter `parent`."""

    kind: str
    parent: str
    fields: tuple[str, ...]


class RemoveChild(Struct, frozen=True, tag=True):
    """Delete the one child of a parent that has these values in `fields`."""

    kind: str
    parent: str
    verb: str
    fields: tuple[str, ...]


class Ask(Struct, frozen=True, tag=True):
    """Find out one fact (the parameter `fact`, a field's title) of the object named by the parameter `kind`."""

    kind: str
    facts: tuple[str, ...]  # fields


Job: TypeAlias = Create | Do | AddChild | RemoveChild | Ask


def carry_out(job: Job, world: World, parameters: Mapping[str, str]) -> None:
    """Do the job in the world by its own verbs, exactly once. Raises Refused."""
    match job:
        case Create(kind, fields):
            world.create(kind, {name: parameters[name] for name in fields})
        case AddChild(kind, parent, fields):
            given = {name: parameters[name] for name in fields}
            world.create(kind, {**given, parent: parameters[parent]})
        case Do(kind, verb, fields):
            target = wanted(world, kind, parameters[kind])
            given = {name: parameters[name] for name in fields}
            world.do(target.id, verb, given, confirm=world.label(target))
        case RemoveChild(_, _, verb, _):
            child = wanted_child(job, world, parameters)
            world.do(child.id, verb, {}, confirm=world.label(child))
        case Ask():
            pass


def answer(job: Ask, world: World, parameters: Mapping[str, str]) -> str:
    """The right answer."""
    field = fact_field(job, world.console, parameters["fact"])
    return world.shown(wanted(world, job.kind, parameters[job.kind]), field)


def fact_field(job: Ask, console: Console, title: str) -> str:
    """The field that is called so."""
    kind = console.kind(job.kind)
    return next(name for name in job.facts if kind.field(name).title == title)


def tab_of(console: Console, kind: str, field: str) -> Tab:
    """The tab that shows a field."""
    return next(tab for tab in console.kind(kind).tabs if field in tab.fields)


def wanted(world: World, kind: str, name: str) -> Object:
    """The object a task is about. Raises KeyError where the set-up lacks it."""
    found = world.find(kind, name)
    if found is None:
        raise KeyError(f"there is no {kind} named {name}")
    return found


def wanted_child(job: RemoveChild, world: World, parameters: Mapping[str, str]) -> Object:
    """The child a task is about. Raises KeyError where the set-up lacks it."""
    parent = wanted(world, world.console.kind(job.kind).field(job.parent).references, parameters[job.parent])
    for it in world.of_kind(job.kind):
        if it.values[job.parent] == parent.id and all(it.values[name] == parameters[name] for name in job.fields):
            return it
    raise KeyError(f"there is no such {job.kind} in {parameters[job.parent]}")
