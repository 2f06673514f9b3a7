"""What a task asks for in terms of the declaration, and what doing it right does to a world."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from sandbox.worlds.console.declare import Console, Kind
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.world import World

Values: TypeAlias = tuple[tuple[str, str], ...]  # (field, text with {parameters}); "=other": as the field `other`


class Target(Struct, frozen=True, forbid_unknown_fields=True):
    """Which object is meant: the one of a kind with these shown values.

    With `on`, it stands on a tab of that object (it refers to it). With `of`, it is what the field `link` of that
    object names. With `pick` ("least:made", "most:size_gb") the first or last by a field among several.
    """

    kind: str
    where: Values = ()
    on: "Target | None" = None
    of: "Target | None" = None
    link: str = ""
    pick: str = ""

    def beneath(self) -> Iterator["Target"]:
        """The targets by which this one is found, the outermost first, and itself."""
        for inner in (self.on, self.of):
            if inner is not None:
                yield from inner.beneath()
        yield self


class Make(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Make one object with these values; a kind that lives on its parent's page names the parent as `on`."""

    kind: str
    values: Values
    on: Target | None = None


class Do(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Do a verb to the target; `values` are what the verb's dialog asks for."""

    target: Target
    verb: str
    values: Values = ()


class Tell(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Answer what a field of the target shows; "{fact}" is a parameter that holds the field's title."""

    target: Target
    fact: str


Step: TypeAlias = Make | Do | Tell


class Job(Struct, frozen=True, forbid_unknown_fields=True):
    """Steps in the order in which they have to be done."""

    steps: tuple[Step, ...]

    @property
    def answers(self) -> bool:
        """Whether it ends in an answer."""
        return any(isinstance(step, Tell) for step in self.steps)

    def targets(self) -> Iterator[Target]:
        """Every object that has to be found, in order."""
        for step in self.steps:
            found = step.on if isinstance(step, Make) else step.target
            if found is not None:
                yield from found.beneath()


NOTHING = Job(())


def named(kind: str, parameter: str = "") -> Target:
    """The object whose name is the parameter (called like the kind where nothing else is said)."""
    return Target(kind, (("name", "{" + (parameter or kind) + "}"),))


def told(text: str, parameters: Mapping[str, str]) -> str:
    """An expression with its parameters filled in."""
    return text.format_map(parameters) if "{" in text else text


def matches(world: World, it: Object, where: Values, parameters: Mapping[str, str]) -> bool:
    """Whether an object shows these values."""
    for field, text in where:
        wanted = world.shown(it, text[1:]) if text[:1] == "=" else told(text, parameters)
        if world.shown(it, field) != wanted:
            return False
    return True


def find(world: World, target: Target, parameters: Mapping[str, str]) -> Object:
    """The object that is meant. Raises KeyError where the world lacks it."""
    if target.of is not None:
        return world.objects[world.value(find(world, target.of, parameters), target.link)]
    found = [it for it in world.of_kind(target.kind) if matches(world, it, target.where, parameters)]
    if target.on is not None:
        found = on_tab(world, found, find(world, target.on, parameters))
    if not found:
        raise KeyError(f"there is no {target.kind} with {dict(target.where)} for {dict(parameters)}")
    return picked(world, found, target.pick) if target.pick else found[0]


def on_tab(world: World, those: list[Object], there: Object) -> list[Object]:
    """The ones that refer to an object."""
    if not those:
        return []
    kind = world.console.kind(those[0].kind)
    places = [kind.index[f.name] for f in kind.fields if f.references == there.kind]
    return [it for it in those if any(it.values[place] == there.id for place in places)]


def picked(world: World, those: list[Object], pick: str) -> Object:
    """The first or last by a field."""
    which, _, field = pick.partition(":")
    return (min if which == "least" else max)(those, key=lambda it: sort_key(world.shown(it, field)))


def sort_key(text: str) -> tuple[int, int, str]:
    """Numbers by size, then texts by letters."""
    return (0, int(text), "") if text.isascii() and text.isdigit() else (1, 0, text)


def carry_out(job: Job, world: World, parameters: Mapping[str, str]) -> None:
    """Do the job in the world by its own verbs, exactly once, waiting between steps. Raises Refused."""
    for kind in touched_kinds(job, world.console):
        world.of_kind(kind)  # what is on its way there has to arrive first
    world.settle()
    for step in job.steps:
        match step:
            case Make(kind, values, on):
                given = {field: told(text, parameters) for field, text in values}
                if on is not None:
                    given[world.console.kind(kind).parent] = world.label(find(world, on, parameters))
                world.create(kind, given)
            case Do(target, verb, values):
                it = find(world, target, parameters)
                world.do(it.id, verb, {f: told(t, parameters) for f, t in values}, confirm=world.label(it))
            case Tell():
                pass
        world.settle()


def answer(job: Job, world: World, parameters: Mapping[str, str]) -> str:
    """The right answer, or "" where nothing is asked."""
    for step in job.steps:
        if isinstance(step, Tell):
            field = fact_field(world.console.kind(step.target.kind), step.fact, parameters)
            return world.shown(find(world, step.target, parameters), field)
    return ""


def answer_unit(job: Job, console: Console, parameters: Mapping[str, str]) -> str:
    """In what the right answer is measured, or ""."""
    for step in job.steps:
        if isinstance(step, Tell):
            kind = console.kind(step.target.kind)
            field = fact_field(kind, step.fact, parameters)
            return "" if field == "state" else kind.field(field).unit
    return ""


def fact_field(kind: Kind, fact: str, parameters: Mapping[str, str]) -> str:
    """The field that is asked for, by its name or by its title. Raises KeyError."""
    title = told(fact, parameters)
    if title in ("state", "State"):
        return "state"
    found = next((f.name for f in kind.fields if title in (f.name, f.title)), None)
    if found is None:
        raise KeyError(f"{kind.name} has no field called {title}")
    return found


def touched_kinds(job: Job, console: Console) -> tuple[str, ...]:
    """Kinds that the job is about, in order of mention."""
    kinds = [target.kind for target in job.targets()]
    kinds += [step.kind for step in job.steps if isinstance(step, Make)]
    return tuple(dict.fromkeys(kind for kind in kinds if console.kind(kind)))
