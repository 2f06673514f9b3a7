"""A form that is being filled in: its values, what is wrong with them, and how far one has come."""

import random
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sandbox.worlds.console.declare import Field, Kind, Verb, holds
from sandbox.worlds.console.drafts import starting_value
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.world import World

CHOOSE = "Choose…"
_YES_NO = ("yes", "no")


class Form(Struct, frozen=True):
    """One form. Values are held as the world holds them, but references by name; never changed in place."""

    kind: str
    fields: tuple[str, ...]  # all that it can ask for, in the order of its pages
    values: Mapping[str, str] = {}
    errors: Mapping[str, str] = {}
    complaint: str = ""  # about the whole
    drafts: Mapping[str, str] = {}  # tags being typed, by field
    confirm: str = ""  # what was typed to confirm
    step: int = 0
    steps: int = 0  # pages, the review counted; 0 in a dialog

    @staticmethod
    def blank(kind: Kind, variant: Variant, *, seed: str, steps: int = 0) -> "Form":
        """The create form of a kind as it opens."""
        fields = tuple(name for step in kind.wizard for name in in_order(step.fields, variant, kind.name))
        values = {name: starting_value(kind, kind.field(name), variant, seed) for name in fields}
        return Form(kind.name, fields, values, steps=steps)

    @staticmethod
    def of(world: World, it: Object, verb: Verb, variant: Variant) -> "Form":
        """The form of a verb, holding what the object holds."""
        kind = world.console.kind(it.kind)
        fields = in_order(verb.fields, variant, f"{kind.name}.{verb.name}")
        values = {n: "" if kind.field(n).type == "secret" else world.shown(it, n) for n in fields}
        return Form(kind.name, fields, values)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal where the form is equal."""
        said = (*self.values.items(), self.complaint, self.confirm, self.step)
        return (self.kind, said, tuple(self.errors.items()), tuple(self.drafts.items()))

    @property
    def is_last(self) -> bool:
        """Whether the next thing is to send it."""
        return self.step >= self.steps - 1

    def visible(self, kind: Kind, beside: Mapping[str, str]) -> tuple[str, ...]:
        """Fields that are asked for now; `beside` holds what is not in the form."""
        held = {**beside, **self.values}
        return tuple(name for name in self.fields if holds(kind.field(name).visible_when, held))

    def given(self, kind: Kind, beside: Mapping[str, str]) -> dict[str, str]:
        """What is sent."""
        return {name: self.values[name] for name in self.visible(kind, beside)}

    def with_value(self, name: str, value: str) -> "Form":
        """After a field was changed; what was said of its old value no longer holds."""
        errors = {field: text for field, text in self.errors.items() if field != name}
        return replace(self, values={**self.values, name: value}, errors=errors)

    def refused(self, errors: Mapping[str, str], complaint: str, kind: Kind) -> "Form":
        """After it was refused, on the page of its first mistake."""
        at = self.step
        if self.steps and errors:
            at = next((i for i, step in enumerate(kind.wizard) if set(step.fields) & set(errors)), at)
        return replace(self, errors=errors, complaint=complaint, step=at)

    def at(self, step: int) -> "Form":
        """On another of its pages."""
        return replace(self, step=min(max(step, 0), max(self.steps - 1, 0)), complaint="")

    def add_tag(self, name: str) -> "Form":
        """The tag that was being typed, added."""
        typed = self.drafts.get(name, "").strip().strip(",")
        tags = [tag for tag in self.values[name].split(",") if tag]
        tags += [tag.strip() for tag in typed.split(",") if tag.strip() and tag.strip() not in tags]
        return replace(self.with_value(name, ",".join(tags)), drafts={**self.drafts, name: ""})

    def drop_tag(self, name: str, tag: str) -> "Form":
        """One tag less."""
        return self.with_value(name, ",".join(each for each in self.values[name].split(",") if each != tag))


@lru_cache(maxsize=4096)
def in_order(names: tuple[str, ...], variant: Variant, place: str) -> tuple[str, ...]:
    """Names in the order that the variant shows them in; the same at one place always."""
    if variant.order == "plain":
        return names
    if variant.order == "reversed":
        return names[::-1]
    mixed = list(names)
    random.Random(f"order:{place}").shuffle(mixed)  # noqa: S311  # a layout, not a secret
    return tuple(mixed)


def shown_options(world: World, words: Lexicon, field: Field, beside: Mapping[str, str]) -> tuple[str, ...]:
    """What can be chosen for a field, as it is shown; `same` fields of what stands beside narrow it."""
    if field.type == "choice":
        return tuple(words.text(choice) for choice in field.choices)
    found: Iterable[Object] = world.of_kind(field.references)
    for name in field.same:
        if beside.get(name):
            found = [each for each in found if world.value(each, name) == beside[name]]
    return tuple(sorted(world.label(each) for each in found if not each.leaving))


def held(words: Lexicon, kind: Kind, name: str, shown: str) -> str:
    """The value behind a shown text of a choice, a boolean or a state."""
    among = (*kind.states, *kind.slow_states()) if name == "state" else kind.field(name).choices or _YES_NO
    return next((value for value in among if words.text(value) == shown), shown)
