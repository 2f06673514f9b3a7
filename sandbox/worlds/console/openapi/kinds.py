"""From the resources of an API document to the kinds of a console: fields, forms, pages and verbs."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Condition, Field, Kind, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.openapi.fields import Names, field_of, name_field
from sandbox.worlds.console.openapi.naming import (
    group,
    is_identity,
    is_made,
    is_named_so,
    naming_of,
    schema_name,
    titles,
)
from sandbox.worlds.console.openapi.nodes import Map
from sandbox.worlds.console.openapi.paths import Operation, Resource
from sandbox.worlds.console.openapi.properties import Path, Property
from sandbox.worlds.console.openapi.rows import MOST_COLUMNS, rows_of
from sandbox.worlds.console.openapi.schema import Flattener
from sandbox.worlds.console.openapi.verbs import actions, deletion, edits, with_states
from sandbox.worlds.console.openapi.words import (
    low,
    open_title,
    plural,
    risk,
    same_noun,
    sentence,
    slug,
    words,
)

MOST_ASKED = 24  # fields of a create form
_MOST_SHOWN = 40  # fields of a kind
_STEP = 6  # fields of one screen of a form
_REFERS = ("id", "name", "uuid", "ref", "slug")


@dataclass
class Draft:
    """One kind in the making."""

    resource: Resource
    name: str
    title: str
    group: str
    item: Map | None = None  # the schema of one object
    schema: str = ""  # its name
    shown: list[Property] = field(default_factory=list)
    asked: list[Property] = field(default_factory=list)
    changed: list[Property] = field(default_factory=list)

    @property
    def all(self) -> list[Property]:
        """Every property once: as the create form has it, else as the update has it, else as it is shown."""
        found: dict[Path, Property] = {}
        for each in (*self.asked, *self.changed, *self.shown):
            found.setdefault(each.path, each)
        return list(found.values())


class Drafter:
    """Drafts all kinds of a document first, so that they can refer to each other; then makes them."""

    def __init__(self, flat: Flattener, left: list[tuple[str, str]]) -> None:
        self.flat = flat
        self.left = left
        self.drafts: dict[str, Draft] = {}  # by path
        self.names: set[str] = set()
        self.prefixes: set[str] = set()

    def kinds(self, resources: list[Resource]) -> list[Kind]:
        """Every resource that has something to show or to fill in, and the lists within them, as kinds."""
        called = titles(resources)
        drafts = [Draft(each, slug(called[each.path]), called[each.path], group(each)) for each in resources]
        for draft in drafts:
            draft.item = self._item(draft.resource)
            draft.schema = schema_name(draft.item)
        self.flat.known = frozenset(draft.schema for draft in drafts if draft.schema)
        for draft in drafts:
            self._read(draft)
            resource = draft.resource
            if draft.all:
                self.drafts[resource.path] = draft
            else:
                self.left += [
                    (each.name, "neither its list nor its forms have a field") for each in resource.operations
                ]
        self.names = {draft.name for draft in self.drafts.values()}
        made: list[Kind] = []
        for draft in self.drafts.values():
            made += self._made(draft)
        return _with_tabs(made)

    # --- reading ---

    def _item(self, resource: Resource) -> Map | None:
        """The schema of one object, as lists or pages of one show it."""
        if resource.listing is not None and resource.listing.answer is not None:
            item = self.flat.item(resource.listing.answer)
            if item is not None and self.flat.is_object(item):
                return item
        for operation in (resource.read, resource.create):
            if operation is not None and operation.answer is not None and self.flat.is_object(operation.answer):
                return operation.answer
        return None

    def _read(self, draft: Draft) -> None:
        resource = draft.resource
        if draft.item is not None:
            draft.shown = self._properties(draft, draft.item)
        if resource.create is not None and resource.create.body is not None:
            draft.asked = [
                each for each in self._properties(draft, resource.create.body) if not is_made(each, draft.resource)
            ]
        for update in resource.updates:
            if update.body is not None:
                found = self._properties(draft, update.body)
                draft.changed += [each for each in found if not is_made(each, draft.resource)]

    def _properties(self, draft: Draft, schema: Map) -> list[Property]:
        return self.flat.properties(self.flat.one(schema) or schema, place=draft.title)

    # --- making ---

    def _made(self, draft: Draft) -> Iterator[Kind]:
        names = Names("name", draft.name, *(f"new_{draft.name}",), "fact")
        names.claim(each.path for each in draft.all)
        asked = {each.path for each in draft.asked}
        owner = self._owner(draft)
        if owner is not None:
            names.reserved.add(owner.name)
        naming = naming_of(draft.asked, draft.resource) or naming_of(draft.shown, draft.resource)
        fields = [name_field(naming, names, asked=naming is not None and naming.path in asked, shown="Reference")]
        if not asked:  # nothing is made here: what is there has a name
            fields[0] = replace(fields[0], generated="")
        if owner is not None:
            there = self.drafts[owner.resource.path]
            names.titles.add(there.title.casefold())
            fields.append(
                Field(name=owner.name, title=open_title(there.title), type="reference", references=there.name)
            )
        fields += self._fields(draft, names, naming, owner, asked)
        if not any(_is_column(f) for f in fields[1:]):  # a table of one column is no table
            fields.append(Field(name="added_on", title="Added on", generated="today"))
        kind = self._kind(draft, fields, [f for f in fields if self._is_asked(f, draft, names, asked, owner)])
        kind = self._with_verbs(kind, draft, names)
        yield kind
        for each in draft.all:
            if each.type == "rows" and each.rows is not None and (not each.read_only or each.path in asked):
                child = rows_of(kind, each, self.flat, self.left, writes=bool(asked) or bool(draft.changed))
                if child is not None and child.name in self.names:
                    self.left.append((f"{draft.title}: {'.'.join(each.path)}", "these have a list of their own"))
                elif child is not None:
                    self.names.add(child.name)
                    yield replace(child, prefix=self._prefix(child.name))

    def _owner(self, draft: Draft) -> Draft | None:
        return next((self.drafts[r.path] for r in draft.resource.owners if r.path in self.drafts), None)

    def _fields(
        self, draft: Draft, names: Names, naming: Property | None, owner: Draft | None, asked: set[Path]
    ) -> list[Field]:
        made: list[Field] = []
        known = {each.path for each in draft.all}
        reasons: list[str] = []
        for each in draft.all:
            if (naming is not None and is_named_so(each, naming, draft.resource)) or is_identity(
                each, draft.resource, asked
            ):
                continue
            if owner is not None and self._target(each, draft) is owner:
                continue
            if len(made) >= _MOST_SHOWN:
                self.left.append(
                    (f"{draft.title}: {'.'.join(each.path)}", f"a kind shows at most {_MOST_SHOWN} fields")
                )
                continue
            there = self._target(each, draft)
            if there is not None and each.path in asked | {c.path for c in draft.changed}:
                made.append(self._reference(each, there, draft, names, asked=each.path in asked))
                continue
            found = field_of(each, names, asked=each.path in asked, known=known, left=reasons)
            if found is not None:
                made.append(found)
        self.left += [(f"{draft.title}: {reason.partition(': ')[0]}", reason.partition(": ")[2]) for reason in reasons]
        held = {f.name: f for f in made}
        return [_sound(each, held) for each in made]

    def _target(self, each: Property, draft: Draft) -> Draft | None:
        """The kind that a property names: project_id, projectId, project_name."""
        said = words(each.path[-1])
        if each.schema and each.type != "rows":
            fits = [other for other in self.drafts.values() if other.schema == each.schema and other is not draft]
            return fits[0] if fits else None
        if len(each.path) > 1 or len(said) < 2 or said[-1] not in _REFERS or each.type not in ("text", "integer"):
            return None
        noun = "_".join(said[:-1])
        fits = [other for other in self.drafts.values() if other is not draft and same_noun(other.resource.noun, noun)]
        owners = [*draft.resource.owners]
        near = [other for other in fits if other.resource in owners]
        return next(iter(near or fits), None)

    def _reference(self, each: Property, there: Draft, draft: Draft, names: Names, *, asked: bool) -> Field:
        order = list(self.drafts)
        earlier = order.index(there.resource.path) < order.index(draft.resource.path)
        return Field(
            name=names.name(each.path),
            title=names.title((each.path[-1].removesuffix("_id").removesuffix("Id"),)),
            type="reference",
            references=there.name,
            required=each.required and asked and earlier,
            help=each.help,
        )

    def _is_asked(self, made: Field, draft: Draft, names: Names, asked: set[Path], owner: Draft | None) -> bool:
        if not asked or made.generated:
            return False
        if made.name == "name" or (owner is not None and made.name == owner.name):
            return True
        return any(names.names.get(path) == made.name for path in asked)

    def _kind(self, draft: Draft, fields: list[Field], asked: list[Field]) -> Kind:
        resource = draft.resource
        if len(asked) > MOST_ASKED:
            asked = sorted(asked, key=lambda f: (not f.required, bool(f.visible_when)))
            for each in asked[MOST_ASKED:]:
                self.left.append((f"{draft.title}: {each.name}", f"a form asks for at most {MOST_ASKED} fields"))
            asked = [f for f in fields if f in asked[:MOST_ASKED]]
        slow = resource.create is not None and resource.create.is_slow
        name = resource.create.title if resource.create is not None else ""
        creates = max(risk(name), risk(draft.title), key=lambda each: each.rank)
        return Kind(
            name=draft.name,
            title=draft.title,
            plural=plural(draft.title),
            group=draft.group,
            prefix=self._prefix(draft.name),
            summary=_summary(resource),
            fields=tuple(fields),
            columns=_columns(fields, slow=slow),
            filters=tuple(f.name for f in fields if f.type == "choice" and not f.visible_when)[:2],
            create_title=f"Create {low(draft.title)}" if asked else "",
            create_risk=creates if creates is Risk.CREDENTIAL else Risk.REVERSIBLE,
            created="is being created" if slow and asked else "was created",
            create_slow=Slow(via="creating", to="ready") if slow and asked else None,
            states=("ready",) if slow and asked else (),
            wizard=_steps(asked),
        )

    def _with_verbs(self, kind: Kind, draft: Draft, names: Names) -> Kind:
        changed = {names.names[each.path] for each in draft.changed if each.path in names.names}
        made = list(edits(kind, changed, self.left))
        found, extra = actions(kind, draft.resource, self.flat, names, self.left)
        made += found
        if draft.resource.delete is not None:
            made.append(deletion(kind, draft.resource.delete))
        taken: dict[str, Verb] = {}
        for verb in made:
            if verb.name in taken or any(verb.title == other.title for other in taken.values()):
                self.left.append((f"{draft.title}: {verb.title}", "there is a button of this name already"))
            else:
                taken[verb.name] = verb
        kind = replace(kind, fields=(*kind.fields, *extra), verbs=tuple(taken.values()))
        return with_states(kind)

    def _prefix(self, name: str) -> str:
        letters = "".join(part[0] for part in name.split("_"))
        number = 1
        wanted = letters
        while wanted in self.prefixes:
            number += 1
            wanted = f"{letters}{number}"
        self.prefixes.add(wanted)
        return wanted


def _summary(resource: Resource) -> str:
    operation: Operation | None = resource.listing or resource.read or resource.create
    return sentence(operation.node.text("summary") or operation.node.text("description"), limit=70) if operation else ""


def _sound(each: Field, held: dict[str, Field]) -> Field:
    """A condition may only speak of choices that are there."""
    fits: Condition = tuple(
        (name, tuple(v for v in values if v in held[name].choices))
        for name, values in each.visible_when
        if name in held and held[name].type == "choice"
    )
    return replace(each, visible_when=tuple(pair for pair in fits if pair[1]))


def _is_column(each: Field) -> bool:
    return each.type not in ("secret", "tags") and not each.visible_when and each.name not in ("name", "description")


def _columns(fields: list[Field], *, slow: bool) -> tuple[str, ...]:
    plain = [f.name for f in fields if f.name == "name" or _is_column(f)]
    first = [*plain[:1], *(["state"] if slow else [])]
    held = {f.name: f for f in fields}
    ordered = sorted(plain[1:], key=lambda name: (bool(held[name].generated), not held[name].required))
    return (*first, *ordered)[:MOST_COLUMNS]


def _steps(asked: list[Field]) -> tuple[WizardStep, ...]:
    """Screens of the create form: what has to be said first, then the rest."""
    if not asked:
        return ()
    names = [f.name for f in asked]
    parts = [tuple(names[at : at + _STEP]) for at in range(0, len(names), _STEP)]
    return tuple(
        WizardStep(title="Basics" if at == 0 else f"Details {at}", fields=part) for at, part in enumerate(parts)
    )


def _with_tabs(kinds: list[Kind]) -> list[Kind]:
    """Each kind's pages: its facts, the rows of what belongs to it, and what was done to it."""
    made = []
    for kind in kinds:
        if kind.parent:
            made.append(kind)
            continue
        facts = [f.name for f in kind.fields if f.name != "name" and f.type != "secret"]
        facts = [*(["state"] if kind.states else []), *facts]
        tabs = [Tab(name="overview", title="Overview", fields=tuple(facts[:12]))]
        tabs += [
            Tab(f"more_{n}", f"More {n}", tuple(facts[12 * n : 12 * n + 12])) for n in range(1, -(-len(facts) // 12))
        ]
        owned = [
            k for k in kinds if any(f.references == kind.name and f.name in (kind.name, k.parent) for f in k.fields)
        ]
        tabs += [Tab(f"rows_{k.name}", k.plural, rows_of=k.name) for k in owned if k is not kind]
        made.append(replace(kind, tabs=(*tabs, Tab(name="activity", title="Activity", activity=True))))
    return made
