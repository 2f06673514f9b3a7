"""The state behind a declared console: seeded, with virtual time, snapshots and an audit log of every write."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from sys import intern
from typing import TypeAlias

from msgspec.structs import replace

from sandbox.worlds.console import admission
from sandbox.worlds.console.declare import Console, Field, Kind, Quota, Slow, Verb, holds
from sandbox.worlds.console.fields import generated
from sandbox.worlds.console.records import PAGE, Entry, Object, Planned, Refused, Snapshot


class World:
    """Objects of a console's kinds, changed only by `create` and `do` (and, before a task begins, `place` and `put`).

    With `fill`, a kind's objects are made when somebody first asks for them: twenty kinds cost nothing until looked at.
    When that is must not matter, so what is on its way at the start is asked for at once.
    """

    __slots__ = (
        "agenda", "audit", "console", "fill", "filled", "limits", "made", "moving", "objects", "seed", "tick", "token",
    )  # fmt: skip

    def __init__(self, console: Console, seed: str, *, fill: "Fill | None" = None) -> None:
        self.console = console
        self.seed = seed
        self.fill = fill
        self.tick = 0
        # Equal tokens, equal worlds (of one variant and process): it moves with everything that is done.
        self.token = hash((console, seed))
        self.made: dict[str, int] = {}
        self.filled: set[str] = set()
        self.objects: dict[str, Object] = {}
        self.moving: set[str] = set()  # ids of what is on its way to another state
        self.audit: list[Entry] = []
        self.limits: dict[str, int] = {}  # "<kind>:<quota title>" -> limit in place of the declared one
        self.agenda: tuple[Planned, ...] = ()

    def snapshot(self) -> Snapshot:
        """The whole state, shared with nothing that changes."""
        return Snapshot(
            self.seed,
            self.tick,
            dict(self.made),
            tuple(sorted(self.filled)),
            tuple(self.objects.values()),
            tuple(self.audit),
            dict(self.limits),
            self.agenda,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Be as at the snapshot again."""
        self.seed, self.tick, self.made = snapshot.seed, snapshot.tick, dict(snapshot.made)
        self.filled = set(snapshot.filled)
        self.objects = {each.id: each for each in snapshot.objects}
        self.moving = {each.id for each in snapshot.objects if each.ticks}
        self.audit = list(snapshot.audit)
        self.limits, self.agenda = dict(snapshot.limits), snapshot.agenda
        self.token = hash((self.console, self.seed, snapshot.objects, len(self.audit), self.tick))

    # --- reading ---

    def of_kind(self, kind: str) -> list[Object]:
        """All objects of a kind, oldest first."""
        if kind not in self.filled:
            self._fill(kind)
        return [each for each in self.objects.values() if each.kind == kind]

    def get(self, object_id: str) -> Object | None:
        """The object with this id, or None."""
        it = self.objects.get(object_id)
        if it is None and object_id:
            kind = self.console.kind_of(object_id)
            if kind is not None and kind.name not in self.filled:
                self._fill(kind.name)
                it = self.objects.get(object_id)
        return it

    def find(self, kind: str, name: str) -> Object | None:
        """The object of this kind with this name, or None."""
        at = self.console.kind(kind).index.get("name")
        if at is None:
            return None
        return next((each for each in self.of_kind(kind) if each.values[at] == name), None)

    def value(self, it: Object, field: str) -> str:
        """One field's value as it is held. Raises KeyError."""
        return it.values[self.console.kind(it.kind).index[field]]

    def facts(self, it: Object) -> dict[str, str]:
        """All values by field."""
        return dict(zip(self.console.kind(it.kind).index, it.values, strict=True))

    def label(self, it: Object) -> str:
        """How an object is called."""
        kind = self.console.kind(it.kind)
        if kind.label == "{name}":
            return it.values[kind.index["name"]]
        return kind.label.format_map({**self.facts(it), **self._named(it)})

    def shown(self, it: Object, field: str) -> str:
        """A field's value for people: references by name."""
        if field == "state":
            return it.state
        kind = self.console.kind(it.kind)
        value = it.values[kind.index[field]]
        if value and kind.field(field).references:
            there = self.get(value)
            return self.label(there) if there else "–"
        return value

    def referring(self, it: Object) -> Iterator[tuple[Object, Field]]:
        """Every object that refers to this one, and by which field."""
        for kind, field in self.console.referring(it.kind):
            at = kind.index[field.name]
            yield from ((other, field) for other in self.of_kind(kind.name) if other.values[at] == it.id)

    def allowed(self, it: Object, verb: Verb) -> bool:
        """Whether the verb is possible in the object's present state."""
        if it.ticks or (verb.from_states and it.state not in verb.from_states):
            return False
        return not verb.when or holds(verb.when, self.facts(it))

    def room(self, kind: Kind, quota: Quota, values: Mapping[str, str]) -> int:
        """How much of a quota is left (beside these values' parent, where it counts per parent)."""
        peers = self.of_kind(kind.name)
        if quota.per:
            at = kind.index[quota.per]
            peers = [each for each in peers if each.values[at] == values.get(quota.per)]
        used = sum(int(each.values[kind.index[quota.field]] or 0) for each in peers) if quota.field else len(peers)
        return self.limit(kind, quota) - used

    def limit(self, kind: Kind, quota: Quota) -> int:
        """How much of a quota there is."""
        return self.limits.get(f"{kind.name}:{quota.title}", quota.limit)

    @property
    def pending(self) -> bool:
        """Whether anything that was looked at is on its way to another state."""
        return bool(self.moving)

    # --- before the task begins ---

    def place(self, kind_name: str, values: Mapping[str, str], state: str = "") -> Object:
        """Put one object there as it is: no checks, no audit; references by id."""
        kind = self.console.kind(kind_name)
        made = self._made(kind, {field.name: values.get(field.name, field.default) for field in kind.fields}, values)
        it = Object(made.id, kind.name, made.values, state or (kind.states[0] if kind.states else ""))
        self.objects[it.id] = it
        self.token = hash((self.token, it))
        return it

    def put(self, it: Object, *, state: str | None = None, **values: str) -> Object:
        """Change an object as it is: no checks, no audit; references by id."""
        kind = self.console.kind(it.kind)
        held = {**self.facts(it), **values}
        changed = replace(
            it, values=tuple(intern(held[f.name]) for f in kind.fields), state=it.state if state is None else state
        )
        self.objects[it.id] = changed
        self.token = hash((self.token, changed))
        return changed

    # --- writing ---

    def create(self, kind_name: str, given: Mapping[str, str], *, actor: str = PAGE) -> Object:
        """Make one object; references are given by name. Raises Refused, and either way writes the audit log."""
        kind = self.console.kind(kind_name)
        event = f"{kind.name}.create"
        try:
            values = admission.to_create(self, kind, given)
        except Refused as refusal:
            self._record(event, "", str(given.get("name", "")), refusal, kind, given, actor)
            raise
        made = self._made(kind, values, {})
        self._set_out(made, kind.create_slow)
        self._record(event, made.id, self.label(made), None, kind, given, actor)
        return self.objects[made.id]

    def do(  # one write with who, what, to what and how
        self, object_id: str, verb_name: str, given: Mapping[str, str], *, confirm: str = "", actor: str = PAGE
    ) -> Object:
        """Do a verb to an object; what it was is returned where it is deleted. Raises Refused; always audited."""
        it = self.get(object_id)
        if it is None:
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such object any more.")
        kind = self.console.kind(it.kind)
        verb = kind.verb(verb_name)
        event = f"{it.kind}.{verb.name}"
        try:
            values = admission.to_do(self, it, verb, given, confirm)
        except Refused as refusal:
            self._record(event, it.id, self.label(it), refusal, kind, given, actor)
            raise
        self._record(event, it.id, self.label(it), None, kind, given, actor)
        if verb.deletes and verb.slow is None:
            self._delete(it)
            return it
        held = {**self.facts(it), **values, **dict.fromkeys(verb.clears, ""), **dict(verb.sets)}
        for name in verb.renews:
            held[name] = generated(
                kind.field(name), self._digest(f"{it.id}:{len(self.audit)}"), len(self.audit), self.console.today
            )
        changed = replace(it, values=tuple(held[f.name] for f in kind.fields), leaving=verb.deletes)
        self._set_out(changed, verb.slow)
        return self.objects[it.id]

    def advance(self, ticks: int = 1) -> None:
        """Let virtual time pass."""
        for _ in range(ticks):
            self.tick += 1
            while self.agenda and self.agenda[0].tick <= self.tick:
                due, self.agenda = self.agenda[0], self.agenda[1:]
                self._carry_out(due)
            for object_id in sorted(self.moving):
                self._arrive(self.objects[object_id])

    def settle(self) -> None:
        """Let time pass until everything has arrived where it was going and nobody has any plans left."""
        while self.agenda or self.pending:
            self.advance()

    def _arrive(self, it: Object) -> None:
        self.token = hash((self.token, it.id))
        if it.ticks > 1:
            self.objects[it.id] = replace(it, ticks=it.ticks - 1)
            return
        self.moving.discard(it.id)
        if it.leaving:
            self._delete(it)
        else:
            self.objects[it.id] = replace(it, state=it.then, then="", ticks=0)

    def _set_out(self, it: Object, slow: Slow | None) -> None:
        if slow is not None:
            it = replace(it, state=slow.via, then=slow.to or it.state, ticks=slow.ticks)
            self.moving.add(it.id)
        self.objects[it.id] = it

    def _carry_out(self, plan: Planned) -> None:
        try:
            if plan.verb == "create":
                self.create(plan.object_id, plan.values, actor=plan.actor)
            else:
                it = self.get(plan.object_id)
                confirm = self.label(it) if it else ""
                self.do(plan.object_id, plan.verb, plan.values, confirm=confirm, actor=plan.actor)
        except Refused:
            return  # somebody else's misfortune; the audit log has it

    def _fill(self, kind: str) -> None:
        self.filled.add(kind)
        if self.fill is not None:
            token = self.token
            self.fill(self, kind)
            self.token = token  # what was there all along is no change
            self.moving |= {each.id for each in self.objects.values() if each.ticks}

    def _digest(self, what: str) -> bytes:
        return hashlib.blake2b(f"{self.seed}:{what}".encode(), digest_size=16).digest()

    def _made(self, kind: Kind, values: dict[str, str], given: Mapping[str, str]) -> Object:
        if kind.name not in self.filled:
            self._fill(kind.name)
        number = self.made[kind.name] = self.made.get(kind.name, 0) + 1
        digest = self._digest(f"{kind.name}:{number}")
        for field in kind.fields:
            if field.generated and field.name not in given:
                values[field.name] = generated(field, digest, number, self.console.today)
        held = tuple(intern(values[field.name]) for field in kind.fields)
        return Object(f"{kind.prefix}-{digest.hex()[:8]}", kind.name, held, kind.states[0] if kind.states else "")

    def _named(self, it: Object) -> dict[str, str]:
        kind = self.console.kind(it.kind)
        return {f.name: self.shown(it, f.name) for f in kind.fields if f.references}

    def _delete(self, it: Object) -> None:
        for other, field in list(self.referring(it)):
            kind = self.console.kind(other.kind)
            if kind.parent == field.name:
                self.objects.pop(other.id, None)
                self.moving.discard(other.id)
            elif other.id in self.objects:  # it came to refer while this was on its way out
                self.put(self.objects[other.id], **{field.name: ""})
        self.objects.pop(it.id, None)
        self.moving.discard(it.id)

    def _record(  # one entry with all that it says
        self,
        event: str,
        object_id: str,
        label: str,
        refusal: Refused | None,
        kind: Kind,
        given: Mapping[str, str],
        actor: str,
    ) -> None:
        detail = "" if refusal is None else "; ".join(dict.fromkeys((refusal.message, *refusal.errors.values())))
        told = {n: "•••" if n in kind.index and kind.field(n).type == "secret" else v for n, v in given.items()}
        number = len(self.audit) + 1
        self.token = hash((self.token, event, object_id, detail, actor, *told.items()))
        self.audit.append(Entry(number, self.tick, event, object_id, label, refusal is None, detail, told, actor))


Fill: TypeAlias = Callable[[World, str], None]  # places the objects of one kind; draws by seed and kind alone
