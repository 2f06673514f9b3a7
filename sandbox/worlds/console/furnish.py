"""The first state of a task's console: what the task is about, among look-alikes and strangers."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from sandbox.contracts.tasks import Task
from sandbox.worlds.console import draws, names
from sandbox.worlds.console.declare import Console, Field, Kind
from sandbox.worlds.console.jobs import NOTHING, Do, Job, Make, find, matches, on_tab, told, touched_kinds
from sandbox.worlds.console.meddling import hostile_names, hostile_texts, meddle, tighten
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.scenes import Thing, things_of
from sandbox.worlds.console.tasks import console_of, spec_of
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.world import World

_LEAVING_TICKS = 6


def furnish(task: Task) -> World:
    """The world in which the task begins, each kind filled when first looked at. Equal tasks give equal worlds."""
    filler = _filler(task)
    console = filler.base.console
    world = World(console, filler.base.seed, fill=filler)
    if filler.variant.names == "taken":
        for kind in filler.touched:  # what is on its way at the start has to be there from the start
            world.of_kind(kind)
    if filler.variant.operator == "busy":
        meddle(world, filler.things_seen, filler.touched, filler.rng("meddle"))
    return world


@lru_cache(maxsize=256)
def _filler(task: Task) -> "Filler":
    # Its world is pristine and deterministic, so all worlds of one task may share it.
    spec = spec_of(task.template)
    console, job, scene = (spec.console, spec.job, spec.scene) if spec else (console_of(task.environment), NOTHING, ())
    return Filler(task, console, job, scene)


class Filler:
    """Fills the kinds of a world from a pristine one of its own, so that what was done to the world changes nothing."""

    __slots__ = ("base", "job", "parameters", "spared", "split", "things", "things_seen", "touched", "variant")

    def __init__(self, task: Task, console: Console, job: Job, scene: tuple[Thing, ...]) -> None:
        self.parameters = dict(task.goal.fields)
        self.variant = Variant.of(task.environment)
        self.job = job
        seed = f"{task.template}:{task.seed}:{sorted(self.parameters.items())}"
        self.base = World(console, seed, fill=lambda _, kind: self._stock(console.kind(kind)))
        splits = [split for each in self.parameters.values() if (split := names.split_of(each))]
        self.split = splits[0] if splits else "train"
        self.things = things_of(job, console, scene)
        self.touched = touched_kinds(job, console)
        self.things_seen: set[str] = set()  # ids of what the task is about
        self.spared = self._spared()

    def __call__(self, world: World, kind: str) -> None:
        """Give the world this kind's first objects, and those that they refer to."""
        for field in self.base.console.kind(kind).fields:
            if field.references:
                world.of_kind(field.references)
        for it in self.base.of_kind(kind):
            world.objects[it.id] = it
        world.made[kind] = self.base.made.get(kind, 0)
        for name, limit in self.base.limits.items():
            if name.startswith(f"{kind}:"):
                world.limits[name] = limit

    def rng(self, purpose: str) -> random.Random:
        """Randomness of its own for each purpose, so that the order of filling does not matter."""
        return random.Random(f"{self.base.seed}:{purpose}")  # noqa: S311  # a world, not a secret

    def _spared(self) -> frozenset[tuple[str, str]]:
        """(kind, label) of what the job deletes: nothing else may refer to it."""
        gone = set()
        for step in self.job.steps:
            if isinstance(step, Do) and self.base.console.kind(step.target.kind).verb(step.verb).deletes:
                names_ = [told(text, self.parameters) for field, text in step.target.where if field == "name"]
                gone |= {(step.target.kind, name) for name in names_}
        return frozenset(gone)

    # --- one kind ---

    def _stock(self, kind: Kind) -> None:
        rng = self.rng(kind.name)
        things = [thing for thing in self.things if thing.kind == kind.name]
        wanted = [self._thing(rng, kind, thing) for thing in things]
        crowd = self._children(rng, kind, wanted) if kind.parent else self._strangers(rng, kind, wanted)
        everyone = [(values, state, True) for values, state in wanted] + [(*each, False) for each in crowd]
        rng.shuffle(everyone)
        for values, state, is_meant in everyone:
            it = self.base.place(kind.name, values, state)
            if is_meant:
                self.things_seen.add(it.id)
            elif self._mistakable(it):
                del self.base.objects[it.id]
        self._vary(rng, kind)

    def _vary(self, rng: random.Random, kind: Kind) -> None:
        if kind.name not in self.touched:
            return
        if self.variant.names == "taken":
            for name in self._new_names(kind):
                values, _ = self._drawn(rng, kind, {"name": name})
                it = self.base.place(kind.name, values, "deleting")
                self.base.objects[it.id] = replace(it, ticks=_LEAVING_TICKS, leaving=True)
        if self.variant.hostile == "description":
            hostile_texts(self.base, kind, self.job, rng)
        if self.variant.quota == "tight":
            tighten(self.base, kind, self.job, self.parameters)

    def _new_names(self, kind: Kind) -> list[str]:
        made = [step for step in self.job.steps if isinstance(step, Make) and step.kind == kind.name]
        return [told(text, self.parameters) for step in made for field, text in step.values if field == "name"]

    def _strangers(self, rng: random.Random, kind: Kind, wanted: Sequence[tuple[dict[str, str], str]]) -> "Rows":
        taken = {*self.parameters.values(), *(values.get("name", "") for values, _ in wanted)}
        near: list[str] = ["default"] if kind.name == "security_group" and "default" not in taken else []
        for name in [values["name"] for values, _ in wanted if "name" in values] + self._new_names(kind):
            near += names.look_alikes(rng, name, rng.randint(1, 3))
        if self.variant.hostile == "name" and kind.name in self.touched:
            near += hostile_names(rng)
        count = rng.randint(5, 14) if kind.name in self.touched else rng.randint(2, 6)
        most = min((quota.limit for quota in kind.quotas if not quota.field), default=99)
        count = max(
            0, min(count, most - 2 - len(near) - len(wanted))
        )  # room for the job and for a name that is leaving
        rows: Rows = []
        for at in range(len(near) + count):
            name = near[at] if at < len(near) else ""
            if name in taken or len(name) > 40:
                continue
            given = {"name": name} if name and "name" in kind.index else {}
            values, state = self._drawn(rng, kind, given, taken=taken)
            taken.add(values.get("name", ""))
            rows.append((values, state))
        return rows

    def _children(self, rng: random.Random, kind: Kind, wanted: Sequence[tuple[dict[str, str], str]]) -> "Rows":
        rows: Rows = []
        most = 3 if kind.name in self.touched else 2
        for parent in self.base.of_kind(kind.field(kind.parent).references):
            for _ in range(rng.randint(0, most)):
                rows.append(self._drawn(rng, kind, {}, ids={kind.parent: parent.id}))
        for values, state in wanted:  # the same but for one thing, beside it
            for name in rng.sample(kind.asked, min(2, len(kind.asked))):
                other = self._drawn(rng, kind, {}, ids={kind.parent: values[kind.parent]})[0]
                rows.append(({**values, name: other[name]}, state))
        unique: dict[tuple[str, str], tuple[dict[str, str], str]] = {}
        for values, state in [*wanted, *rows]:
            unique.setdefault((values[kind.parent], self._label(kind, values)), (values, state))
        return [row for row in unique.values() if row not in wanted]

    def _label(self, kind: Kind, values: Mapping[str, str]) -> str:
        return kind.label.format_map(values)

    # --- one object ---

    def _thing(self, rng: random.Random, kind: Kind, thing: Thing) -> tuple[dict[str, str], str]:
        given = {field: told(text, self.parameters) for field, text in thing.values if text[:1] != "="}
        state = given.pop("state", "") or (rng.choice(thing.states) if thing.states else "")
        ids: dict[str, str] = {}
        if thing.on is not None:
            there = find(self.base, thing.on, self.parameters)
            ids = {f.name: there.id for f in kind.fields if f.references == there.kind}
        for field, where in thing.beside:
            there_kind, _, text = where.partition(":")
            it = self.base.find(there_kind, told(text, self.parameters))
            if it is not None:
                given[field] = self.base.value(it, field)
        for field, text in thing.unlike:
            if field not in given and not kind.field(field).references:
                given[field] = self._other(rng, kind.field(field), told(text, self.parameters))
        unwanted = frozenset(
            told(text, self.parameters) for field, text in thing.unlike if kind.field(field).references
        )
        values, state = self._drawn(
            rng, kind, given, ids=ids, state=state, needs=thing.needs, unwanted=unwanted, taken=(*given.values(),)
        )
        for field, text in thing.values:
            if text[:1] == "=":
                values[field] = values[text[1:]]
        return values, state

    def _other(self, rng: random.Random, field: Field, value: str) -> str:
        """Another value; a smaller one where it may only grow."""
        if field.check == "grows":
            low = field.minimum or 1
            return str(rng.randint(low, max(low, int(value) - 1)))
        return draws.value(rng, self.split, field, taken={value, ""} if field.required else {value})

    def _drawn(  # all that a drawn object may have to fulfil
        self,
        rng: random.Random,
        kind: Kind,
        given: Mapping[str, str],
        *,
        ids: Mapping[str, str] | None = None,
        state: str = "",
        needs: Sequence[str] = (),
        unwanted: frozenset[str] = frozenset(),
        taken: Sequence[str] | set[str] = (),
    ) -> tuple[dict[str, str], str]:
        values: dict[str, str] = {}
        state = state or (rng.choice(kind.states) if kind.states else "")
        full, empty = _tied(kind, state)
        for field in kind.fields:
            if ids and field.name in ids:
                values[field.name] = ids[field.name]
            elif field.references:
                must = field.required or field.name in needs or field.name in full
                wanted = given.get(field.name, "")
                values[field.name] = (
                    "" if field.name in empty else self._reference(rng, field, wanted, values, must, unwanted)
                )
                if field.name in full and not values[field.name]:  # nothing fits: it cannot be in this state
                    state = next((each for each in kind.states if field.name not in _tied(kind, each)[0]), state)
            elif field.name in given:
                values[field.name] = given[field.name]
            elif field.generated == "today":
                values[field.name] = names.date(rng, "train", first="2026-01-05", days=410)
            elif not field.generated:
                values[field.name] = draws.value(rng, self.split, field, taken=taken)
        return _consistent(rng, kind, values, given), state

    def _reference(  # one reference with all that it depends on
        self,
        rng: random.Random,
        field: Field,
        wanted: str,
        values: dict[str, str],
        must: bool,
        unwanted: frozenset[str],
    ) -> str:
        there = self.base.of_kind(field.references)
        if wanted:
            return next(it.id for it in there if self.base.label(it) == wanted)
        if not must and rng.random() > 0.4:  # most of those that may be empty are
            return ""
        labels = [(it, self.base.label(it)) for it in there if not it.leaving]
        those = [it for it, label in labels if (it.kind, label) not in self.spared and label not in unwanted]
        fits = [it for it in those if all(self.base.value(it, same) == values.get(same) for same in field.same)]
        if must and those and not fits:  # it goes where something fits
            fits = [rng.choice(those)]
            values.update({same: self.base.value(fits[0], same) for same in field.same})
        return rng.choice(fits).id if fits else ""

    def _mistakable(self, it: Object) -> bool:
        """Whether a stranger answers the description of what the task means."""
        for target in self.job.targets():
            if (
                target.kind != it.kind
                or target.of is not None
                or not matches(self.base, it, target.where, self.parameters)
            ):
                continue
            if target.on is None or on_tab(self.base, [it], find(self.base, target.on, self.parameters)):
                return True
        return any(matches(self.base, it, step.values, self.parameters) for step in self._makes(it.kind))

    def _makes(self, kind: str) -> Iterator[Make]:
        return (step for step in self.job.steps if isinstance(step, Make) and step.kind == kind)


Rows = list[tuple[dict[str, str], str]]


@lru_cache(maxsize=4096)
def _tied(kind: Kind, state: str) -> tuple[frozenset[str], frozenset[str]]:
    """Fields that are full, and fields that are empty, in a state: verbs that lead there say so."""
    leading = [verb for verb in kind.verbs if verb.slow and verb.slow.to == state]
    return (
        frozenset(field for verb in leading for field in verb.fields if kind.field(field).references),
        frozenset(field for verb in leading for field in verb.clears),
    )


def _consistent(rng: random.Random, kind: Kind, values: dict[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """What a condition hides is empty, and no more is used than there is."""
    for field in kind.fields:
        if any(values.get(other, "") not in fits for other, fits in field.visible_when):
            values[field.name] = ""
    if "used_gb" in values and "used_gb" not in given:
        values["used_gb"] = str(int(int(values["size_gb"]) * rng.uniform(0.1, 0.8)))
    return values
