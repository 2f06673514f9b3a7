"""The state behind a declared console: seeded, with virtual time, snapshots and an audit log of every write."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus

import msgspec
from msgspec import Struct

from sandbox.worlds.console.declare import Console, Field, Kind, Quota, Slow, Verb
from sandbox.worlds.console.fields import problem


class Object(Struct, frozen=True, forbid_unknown_fields=True):
    """One resource. References hold ids; `ticks` > 0 means that it is on its way to the state `then`."""

    id: str
    kind: str
    values: dict[str, str]  # never changed in place: snapshots share it
    state: str = ""
    then: str = ""
    ticks: int = 0


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One attempted write in the audit log."""

    number: int
    tick: int
    event: str  # "<kind>.create" or "<kind>.<verb>"
    object_id: str  # "" where nothing was made
    label: str
    accepted: bool
    detail: str = ""  # why it was refused
    values: dict[str, str] = {}


class Snapshot(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a world holds."""

    seed: str
    tick: int
    made: dict[str, int]
    objects: tuple[Object, ...]
    audit: tuple[Entry, ...]


class Refused(Exception):
    """The console does not do it; `errors` names fields where fields are to blame."""

    def __init__(self, status: HTTPStatus, message: str, errors: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = dict(errors or {})


class World:
    """Objects of a console's kinds, changed only by `create` and `do`."""

    def __init__(self, console: Console, seed: str) -> None:
        self.console = console
        self.seed = seed
        self.tick = 0
        self.made: dict[str, int] = {}
        self.objects: dict[str, Object] = {}
        self.audit: list[Entry] = []

    def snapshot(self) -> Snapshot:
        """The whole state, shared with nothing that changes."""
        return Snapshot(self.seed, self.tick, dict(self.made), tuple(self.objects.values()), tuple(self.audit))

    def restore(self, snapshot: Snapshot) -> None:
        """Be as at the snapshot again."""
        self.seed, self.tick, self.made = snapshot.seed, snapshot.tick, dict(snapshot.made)
        self.objects = {each.id: each for each in snapshot.objects}
        self.audit = list(snapshot.audit)

    def of_kind(self, kind: str) -> list[Object]:
        """All objects of a kind, oldest first."""
        return [each for each in self.objects.values() if each.kind == kind]

    def find(self, kind: str, name: str) -> Object | None:
        """The object of this kind with this name, or None."""
        return next((each for each in self.of_kind(kind) if each.values.get("name") == name), None)

    def label(self, it: Object) -> str:
        """How an object is called."""
        return self.console.kind(it.kind).label.format_map(it.values)

    def shown(self, it: Object, field: str) -> str:
        """A field's value for people: references by name."""
        if field == "state":
            return it.state
        value = it.values.get(field, "")
        if value and self.console.kind(it.kind).field(field).references:
            return self.label(self.objects[value])
        return value

    def referring(self, it: Object) -> Iterator[tuple[Object, Field]]:
        """Every object that refers to this one, and by which field."""
        for kind, field in self.console.referring(it.kind):
            yield from ((other, field) for other in self.of_kind(kind.name) if other.values.get(field.name) == it.id)

    def wrong(self, kind_name: str, given: Mapping[str, str]) -> dict[str, str]:
        """What is wrong with part of a create form, by field; changes nothing."""
        kind = self.console.kind(kind_name)
        errors: dict[str, str] = {}
        for name, value in given.items():
            if name in kind.asked:
                self._read(kind, kind.field(name), value.strip(), errors, given)
        return errors

    def create(self, kind_name: str, given: Mapping[str, str]) -> Object:
        """Make one object; references are given by name. Raises Refused, and either way writes the audit log."""
        kind = self.console.kind(kind_name)
        event = f"{kind.name}.create"
        try:
            values = self._values_for(kind, given)
            self._check_quotas(kind, values)
        except Refused as refusal:
            self._record(event, "", str(given.get("name", "")), refusal, given)
            raise
        number = self.made[kind.name] = self.made.get(kind.name, 0) + 1
        digest = hashlib.sha256(f"{self.seed}:{kind.name}:{number}".encode()).digest()
        for field in kind.fields:
            if field.generated:
                values[field.name] = _generated(field.generated, digest, number)
        made = Object(f"{kind.prefix}-{digest.hex()[:8]}", kind.name, values, kind.states[0] if kind.states else "")
        self.objects[made.id] = _set_out(made, kind.create_slow)
        self._record(event, made.id, self.label(made), None, given)
        return self.objects[made.id]

    def do(self, object_id: str, verb_name: str, given: Mapping[str, str], *, confirm: str = "") -> Object:
        """Do a verb to an object; what it was is returned where it is deleted. Raises Refused; always audited."""
        it = self.objects.get(object_id)
        if it is None:
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such object any more.")
        verb = self.console.kind(it.kind).verb(verb_name)
        event = f"{it.kind}.{verb.name}"
        try:
            values = self._checked(it, verb, given, confirm)
        except Refused as refusal:
            self._record(event, it.id, self.label(it), refusal, given)
            raise
        self._record(event, it.id, self.label(it), None, given)
        if verb.deletes:
            self._delete(it)
            return it
        changed = msgspec.structs.replace(it, values={**it.values, **values, **dict.fromkeys(verb.clears, "")})
        self.objects[it.id] = _set_out(changed, verb.slow)
        return self.objects[it.id]

    def advance(self, ticks: int = 1) -> None:
        """Let virtual time pass."""
        for _ in range(ticks):
            self.tick += 1
            for it in [each for each in self.objects.values() if each.ticks]:
                left = it.ticks - 1
                arrived = {"state": it.then, "then": ""} if left == 0 else {}
                self.objects[it.id] = msgspec.structs.replace(it, ticks=left, **arrived)

    def settle(self) -> None:
        """Let time pass until everything has arrived where it was going."""
        while any(each.ticks for each in self.objects.values()):
            self.advance()

    def room(self, kind: Kind, quota: Quota, values: Mapping[str, str]) -> int:
        """How much of a quota is left (beside these values' parent, where it counts per parent)."""
        peers = self.of_kind(kind.name)
        if quota.per:
            peers = [each for each in peers if each.values[quota.per] == values.get(quota.per)]
        used = sum(int(each.values[quota.field] or 0) for each in peers) if quota.field else len(peers)
        return quota.limit - used

    def _values_for(self, kind: Kind, given: Mapping[str, str]) -> dict[str, str]:
        asked = (*kind.asked, *((kind.parent,) if kind.parent else ()))
        errors = {name: "This cannot be set here." for name in given if name not in asked}
        values: dict[str, str] = {}
        for field in kind.fields:
            value = given.get(field.name, field.default).strip() if field.name in asked else field.default
            values[field.name] = value
            if field.name in asked:
                values[field.name] = self._read(kind, field, value, errors, values)
        _raise_if(errors)
        return values

    def _checked(self, it: Object, verb: Verb, given: Mapping[str, str], confirm: str) -> dict[str, str]:
        kind = self.console.kind(it.kind)
        if it.ticks or (verb.from_states and it.state not in verb.from_states):
            raise Refused(HTTPStatus.CONFLICT, f"{verb.title} is not possible while it is {it.state}.")
        if verb.confirm == "typed" and confirm != self.label(it):
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"Type {self.label(it)} to confirm.")
        if verb.deletes:
            self._check_unused(it)
            return {}
        errors = {name: "This cannot be set here." for name in given if name not in verb.fields}
        values: dict[str, str] = {}
        for name in verb.fields:
            field = kind.field(name)
            if field.references and not given.get(name, "").strip():
                errors[name] = f"{field.title} is required."
                continue
            value = given.get(name, it.values[name]).strip()
            values[name] = self._read(kind, field, value, errors, it.values, before=it)
        _raise_if(errors)
        for quota in kind.quotas:
            if quota.field in values:
                self._check_room(kind, quota, values, freed=int(it.values[quota.field] or 0))
        return values

    def _read(  # one value with all that it is judged by
        self,
        kind: Kind,
        field: Field,
        value: str,
        errors: dict[str, str],
        beside: Mapping[str, str],
        before: Object | None = None,
    ) -> str:
        wrong = problem(field, value, before=before.values[field.name] if before else "")
        if not wrong and field.check == "unique" and self.find(kind.name, value) not in (None, before):
            wrong = f"There is already {_article(kind.title)} named {value}."
        if not wrong and field.references and value:
            there = self.find(field.references, value)
            title = self.console.kind(field.references).title
            if there is None:
                wrong = f"There is no {title.lower()} named {value}."
            elif apart := next((n for n in field.same if there.values[n] != beside[n]), ""):
                wrong = f"{value} is in {there.values[apart]}, not in {beside[apart]}."
            else:
                return there.id
        if wrong:
            errors[field.name] = wrong
        return str(int(value)) if field.type == "integer" and not wrong else value

    def _check_quotas(self, kind: Kind, values: Mapping[str, str]) -> None:
        for quota in kind.quotas:
            self._check_room(kind, quota, values, freed=0)

    def _check_room(self, kind: Kind, quota: Quota, values: Mapping[str, str], *, freed: int) -> None:
        wanted = int(values[quota.field] or 0) if quota.field else 1
        if wanted > self.room(kind, quota, values) + freed:
            message = f"Quota exceeded: at most {quota.limit} {quota.title}."
            raise Refused(HTTPStatus.CONFLICT, message)

    def _check_unused(self, it: Object) -> None:
        for other, field in self.referring(it):
            kind = self.console.kind(other.kind)
            if kind.parent != field.name:
                raise Refused(HTTPStatus.CONFLICT, f"It is in use by {kind.title.lower()} {self.label(other)}.")

    def _delete(self, it: Object) -> None:
        for other, _ in list(self.referring(it)):  # only children are left by now
            del self.objects[other.id]
        del self.objects[it.id]

    def _record(
        self, event: str, object_id: str, label: str, refusal: Refused | None, given: Mapping[str, str]
    ) -> None:
        detail = "" if refusal is None else "; ".join([refusal.message, *refusal.errors.values()])
        number = len(self.audit) + 1
        self.audit.append(Entry(number, self.tick, event, object_id, label, refusal is None, detail, dict(given)))


def _set_out(it: Object, slow: Slow | None) -> Object:
    if slow is None:
        return it
    return msgspec.structs.replace(it, state=slow.via, then=slow.to or it.state, ticks=slow.ticks)


def _generated(what: str, digest: bytes, number: int) -> str:
    # The number keeps addresses of one console apart, the digest those of different seeds.
    if what == "private_ip":
        return f"10.{digest[4] % 64}.{number % 256}.{2 + digest[5] % 250}"
    return f"203.0.{digest[6]}.{number % 256}"


def _article(title: str) -> str:
    return f"{'an' if re.match('[aeiou]', title, re.IGNORECASE) else 'a'} {title.lower()}"


def _raise_if(errors: Mapping[str, str]) -> None:
    if errors:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, next(iter(errors.values())), errors)
