"""What has to stand in a console before a task begins, told from the job itself."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sandbox.worlds.console.declare import Console, Kind
from sandbox.worlds.console.jobs import Do, Job, Make, Step, Target, Values


class Thing(Struct, frozen=True, forbid_unknown_fields=True):
    """One object that a task needs; what is not said of it is drawn. References are given by label."""

    kind: str
    values: Values = ()
    states: tuple[str, ...] = ()  # one of these; () = any that lasts
    on: Target | None = None  # it refers to that object
    unlike: Values = ()  # these fields begin with another value
    needs: tuple[str, ...] = ()  # fields that may not be empty
    beside: Values = ()  # (field of this kind that both share with it, reference field, name): "zone" of the instance


def things_of(job: Job, console: Console, scene: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Everything the job names or speaks of, the scene's own things first."""
    found: dict[object, Thing] = {}
    for thing in scene:
        found[(thing.kind, _name(thing.values) or len(found), None)] = thing
    made = {(step.kind, name) for step in job.steps if isinstance(step, Make) and (name := _name(step.values))}
    drawn = {thing.kind for thing in scene if not _name(thing.values)}
    for step in job.steps:
        for target in _targets(step):
            _note_target(found, target, made, drawn)
            _note_references(found, console.kind(target.kind), target.where, made)
        _note_references(found, _kind(step, console), getattr(step, "values", ()), made)
        if isinstance(step, Do):
            _note_verb(found, step, console)
    return tuple(found.values())


def _targets(step: Step) -> Iterator[Target]:
    target = step.on if isinstance(step, Make) else step.target
    if target is not None:
        yield from target.beneath()


def _note_target(found: dict[object, Thing], target: Target, made: set[tuple[str, str]], drawn: set[str]) -> None:
    name = _name(target.where)
    if target.of is not None:
        source = _key(target.of)
        if source in found:
            thing = found[source]
            found[source] = replace(thing, needs=(*thing.needs, target.link))
        return
    if target.pick or (target.kind, name) in made or (not name and target.kind in drawn):
        return
    key = _key(target)
    if key not in found:
        found[key] = Thing(target.kind, target.where, on=target.on)


def _note_references(found: dict[object, Thing], kind: Kind, values: Values, made: set[tuple[str, str]]) -> None:
    """What values refer to has to be there, unless the job makes it."""
    for field, text in values:
        there = kind.field(field).references if field in kind.index else ""
        if there and (there, text) not in made:
            found.setdefault((there, text, None), Thing(there, (("name", text),)))


def _note_verb(found: dict[object, Thing], step: Do, console: Console) -> None:
    key = _key(step.target)
    thing = found.get(key)
    if thing is None:
        return
    kind = console.kind(step.target.kind)
    verb = kind.verb(step.verb)
    fixed = {field for field, _ in (*thing.values, *thing.unlike)}
    new = tuple((field, text) for field, text in step.values if field not in fixed)
    beside = tuple(
        (same, f"{kind.field(field).references}:{text}")
        for field, text in step.values
        for same in kind.field(field).same
    )
    hides = [pair for field in verb.fields for pair in kind.field(field).visible_when if pair[0] not in verb.fields]
    when = tuple((field, fits[0]) for field, fits in (*verb.when, *hides) if field not in fixed)
    found[key] = replace(
        thing,
        values=(*thing.values, *when),
        states=thing.states or verb.from_states,
        unlike=(*thing.unlike, *new),
        beside=(*thing.beside, *beside),
    )


def _kind(step: Step, console: Console) -> Kind:
    return console.kind(step.kind if isinstance(step, Make) else step.target.kind)


def _key(target: Target) -> object:
    name = _name(target.where)
    return (target.kind, name, None) if name else (target.kind, target.where, target.on)


def _name(values: Values) -> str:
    return next((text for field, text in values if field == "name"), "")
