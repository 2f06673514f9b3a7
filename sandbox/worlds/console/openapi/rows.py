"""Lists of objects within an object of an API document: rows on a tab of its page."""

from msgspec.structs import replace

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Verb, WizardStep
from sandbox.worlds.console.openapi.fields import Names, field_of
from sandbox.worlds.console.openapi.properties import Property
from sandbox.worlds.console.openapi.schema import Flattener
from sandbox.worlds.console.openapi.words import low, plural, singular, slug, title, words

MOST_COLUMNS = 5


def rows_of(  # one list with all that it is made from
    kind: Kind, each: Property, flat: Flattener, left: list[tuple[str, str]], *, writes: bool
) -> Kind | None:
    """A list of objects within an object: rows on a tab of it."""
    named = f"{kind.title} {title(singular(' '.join(words(each.path[-1])))).lower()}"
    place = f"{kind.title}: {'.'.join(each.path)}"
    assert each.rows is not None
    inner = [p for p in flat.properties(each.rows, place=named) if p.type not in ("rows", "secret", "tags")]
    inner = [p for p in inner if not p.when][:6]
    mark = next((p for p in inner if p.type == "text"), next((p for p in inner if p.type == "choice"), None))
    if mark is None:
        left.append((place, "rows without a text or a choice cannot be told from one another"))
        return None
    names = Names("name", slug(named), kind.name)
    reasons: list[str] = []
    own = [field_of(p, names, asked=True, known=(), left=reasons) for p in (mark, *(p for p in inner if p is not mark))]
    fields = [replace(f, required=f.required or f.name == names.name(mark.path)) for f in own if f is not None]
    names.titles.add(kind.title.casefold())
    owner = Field(name=kind.name, title=kind.title, type="reference", references=kind.name)
    rest = tuple(f.name for f in fields[1:] if f.type != "reference")
    verbs = [Verb("edit", "Edit", Risk.REVERSIBLE, "was changed", fields=rest)] if rest and writes else []
    verbs += [Verb("remove", "Remove", Risk.DESTRUCTIVE, "was removed", deletes=True)] if writes else []
    return Kind(
        name=slug(named),
        title=named,
        plural=plural(named),
        group=kind.group,
        prefix="",
        fields=(owner, *fields),
        columns=(*(f.name for f in fields), *([owner.name] if len(fields) == 1 else []))[:MOST_COLUMNS],
        label="{" + fields[0].name + "}",
        parent=kind.name,
        create_title=f"Add {low(named)}" if writes else "",
        created="was added",
        create_risk=kind.create_risk,
        wizard=(WizardStep(title=named, fields=tuple(f.name for f in fields)),) if writes else (),
        verbs=tuple(verbs),
    )
