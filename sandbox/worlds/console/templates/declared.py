"""Templates that follow from the declaration: make, find out about, and every verb of each kind."""

from collections.abc import Iterator, Mapping

from sandbox.contracts.tasks import Split
from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.declare import Console, Field, Kind, Verb
from sandbox.worlds.console.jobs import Do, Job, Make, Target, Tell, Values, named
from sandbox.worlds.console.specs import ConsoleTask, spec
from sandbox.worlds.console.templates.phrasing import (
    article,
    given,
    given_zh,
    low,
    verb_phrases,
    verb_phrases_zh,
    zh,
)

HELD_OUT: dict[str, Split] = {  # kinds that learning never meets
    "bucket": "validation",
    "ssh_key": "validation",
    "certificate": "test",
    "database": "test",
    "database_account": "test",
    "channel": "test",
}
_EDITED_SO = {"boolean": "yes"}  # what an edit without a parameter sets


def declared(written: tuple[ConsoleTask, ...], console: Console = CLOUD) -> tuple[ConsoleTask, ...]:
    """The written templates, and after them those of the declaration whose ids are still free."""
    taken = {each.template.id for each in written} | {f"{console.name}/add-rule", f"{console.name}/find-instance"}
    made = [
        each
        for kind in console.kinds
        for each in (*_creations(console, kind), *_questions(console, kind), *_verbs(console, kind))
        if each.template.id not in taken
    ]
    return (*written, *made)


def _creations(console: Console, kind: Kind) -> Iterator[ConsoleTask]:
    fixed = _fixed(kind)
    fields = [name for name in kind.asked if _is_asked(kind, name, fixed)]
    if not fields:
        return
    on = _parent(kind)
    blanks = tuple(Blank(name, kind.name, name, choices=_harmless(kind, name)) for name in fields if name not in fixed)
    if on is not None:
        blanks = (_parent_blank(kind), *blanks)
    values = tuple((name, fixed.get(name, "{" + name + "}")) for name in fields)
    job = Job((Make(kind.name, values, on),))
    where = f" of {kind.field(kind.parent).title.lower()} {{{kind.parent}}}" if kind.parent else ""
    where_zh = f"在{zh(kind.field(kind.parent).title)} {{{kind.parent}}} 中" if kind.parent else ""
    told, told_zh = given(kind, values), given_zh(kind, values)
    noun, noun_zh = low(kind.title), zh(kind.title)
    verb = kind.create_title.split()[0]
    place = f" in its {low(kind.field(kind.parent).title)}" if kind.parent else ""
    yield spec(
        console,
        f"{verb.lower()}-{_slug(kind)}",
        kind.create_title,
        job,
        summary=f"{verb} {article(noun)} as described{place}.",
        blanks=blanks,
        phrases=(
            f"{kind.create_title}{where}: {told}.",
            f"We need {article('new ' + noun)}{where} with {told}.",
            f"Please set up {article(noun)}{where}. {told[:1].upper() + told[1:]}.",
        ),
        phrases_zh=(
            f"{where_zh}{zh(kind.create_title)}：{told_zh}。",
            f"需要{where_zh}新的{noun_zh}：{told_zh}。",
            f"请{where_zh}配置一个{noun_zh}，{told_zh}。",
        ),
        held_out=HELD_OUT.get(kind.name),
    )


def _questions(console: Console, kind: Kind) -> Iterator[ConsoleTask]:
    shown = [name for tab in kind.tabs for name in tab.fields if name == "state" or _is_told(kind, name)]
    if kind.parent or not shown:
        return
    noun, noun_zh = low(kind.title), zh(kind.title)
    blank = "{" + kind.name + "}"
    yield spec(
        console,
        f"find-{_slug(kind)}-fact",
        f"Find out about {article(noun)}",
        Job((Tell(named(kind.name), "{fact}"),)),
        summary=f"Look one fact about {article(noun)} up and answer it.",
        blanks=(Blank(kind.name, kind.name), Blank("fact", kind.name, facts=tuple(dict.fromkeys(shown)))),
        phrases=(
            f"What is the {{fact}} of {noun} {blank}?",
            f"Find out the {{fact}} of {noun} {blank}.",
            f"Tell me about {noun} {blank}: {{fact}}.",
        ),
        phrases_zh=(
            f"{noun_zh} {blank} 的 {{fact}} 是什么？",
            f"请查一下{noun_zh} {blank} 的 {{fact}}。",
            f"告诉我{noun_zh} {blank} 的 {{fact}}。",
        ),
        held_out=HELD_OUT.get(kind.name),
    )


def _verbs(console: Console, kind: Kind) -> Iterator[ConsoleTask]:
    for verb in kind.verbs:
        values, blanks = _asked_by(kind, verb)
        target, found_by = _target(kind, verb)
        noun = low(kind.title)
        yield spec(
            console,
            f"{verb.name.replace('_', '-')}-{_slug(kind)}",
            f"{verb.title}: {noun}" if " " in verb.title else f"{verb.title} {article(noun)}",
            Job((Do(target, verb.name, values),)),
            summary=verb.warning or f"{verb.title} for one {noun} among others like it.",
            blanks=(*found_by, *blanks),
            phrases=verb_phrases(kind, verb, values),
            phrases_zh=verb_phrases_zh(kind, verb, values),
            held_out=HELD_OUT.get(kind.name),
        )


def _asked_by(kind: Kind, verb: Verb) -> tuple[Values, tuple[Blank, ...]]:
    """Values of a verb's dialog, and the blanks for them; what is no parameter is set to something fixed."""
    values, blanks = [], []
    for name in verb.fields:
        field = kind.field(name)
        if field.type in _EDITED_SO:
            values.append((name, _EDITED_SO[field.type]))
            continue
        parameter = f"new_{name}" if kind.parent and name in _marks(kind, verb) else name
        values.append((name, "{" + parameter + "}"))
        blanks.append(_new_value(kind, parameter, name))
    return tuple(values), tuple(blanks)


def _new_value(kind: Kind, parameter: str, name: str) -> Blank:
    field = kind.field(name)
    title = f"New {low(field.title)}" if parameter != name else ""
    if field.check == "grows" and field.maximum is not None:
        return Blank(parameter, kind.name, name, title=title, low=field.maximum // 2, high=field.maximum)
    return Blank(parameter, kind.name, name, title=title)


def _target(kind: Kind, verb: Verb) -> tuple[Target, tuple[Blank, ...]]:
    if not kind.parent:
        return named(kind.name), (Blank(kind.name, kind.name),)
    marks = _marks(kind, verb)
    target = Target(kind.name, _same(marks), on=_parent(kind))
    shows = {other: fits for name in verb.fields for other, fits in kind.field(name).visible_when}
    found_by = (Blank(mark, kind.name, mark, choices=shows.get(mark, ())) for mark in marks)
    return target, (_parent_blank(kind), *found_by)


def _marks(kind: Kind, verb: Verb) -> list[str]:
    """Fields by which one child is told from its siblings: those of its label."""
    return [name for name in kind.index if "{" + name + "}" in kind.label and name != kind.parent]


def _is_asked(kind: Kind, name: str, fixed: Mapping[str, str]) -> bool:
    field = kind.field(name)
    if field.type in ("tags", "secret", "boolean"):
        return False
    if field.visible_when and not all(fixed.get(other) in fits for other, fits in field.visible_when):
        return False
    return field.required or field.type == "choice" or name in ("description", "team")


def _harmless(kind: Kind, name: str) -> tuple[str, ...]:
    """Choices that bring up no further field that has to be filled."""
    asking = {
        value for f in kind.fields if _must(f) for other, fits in f.visible_when if other == name for value in fits
    }
    return tuple(choice for choice in kind.field(name).choices if choice not in asking) if asking else ()


def _must(field: Field) -> bool:
    return field.required and not field.default


def _fixed(kind: Kind) -> dict[str, str]:
    """Choices that always bring up a further field: the first one is taken, and that field asked for."""
    asking = {other for f in kind.fields if _must(f) for other, _ in f.visible_when}
    return {name: kind.field(name).choices[0] for name in asking if not _harmless(kind, name)}


def _is_told(kind: Kind, name: str) -> bool:
    field = kind.field(name)
    return not field.visible_when and field.type not in ("tags", "secret") and (field.required or name == "description")


def _parent(kind: Kind) -> Target | None:
    if not kind.parent:
        return None
    return named(kind.field(kind.parent).references, kind.parent)


def _parent_blank(kind: Kind) -> Blank:
    return Blank(kind.parent, kind.name, kind.parent)


def _same(fields: list[str]) -> Values:
    return tuple((name, "{" + name + "}") for name in fields)


def _slug(kind: Kind) -> str:
    return kind.name.replace("_", "-")
