"""The typed blanks of console templates: what a person may fill in, and how random tasks fill them."""

import random
from collections.abc import Container

from msgspec import Struct

from sandbox.contracts.tasks import Parameter, Split
from sandbox.worlds.console import draws, names
from sandbox.worlds.console.declare import Console, Field

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
CIDR = rf"({_OCTET}\.){{3}}{_OCTET}/(3[0-2]|[12]?[0-9])"
_EMAIL = r"[^@\s]+@[a-z0-9-]+(\.[a-z0-9-]+)+"
_DATE = r"20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_EXAMPLES = {"range": "10.0.0.0/16", "source": "10.0.0.0/16", "port": "443", "size_gb": "200", "name": "amber-web-3"}


class Blank(Struct, frozen=True, forbid_unknown_fields=True):
    """One parameter of a template, told by a field of a kind; a reference is given by the other's name.

    `facts` makes it a choice among the titles of fields instead. `choices` narrows a choice.
    """

    name: str
    kind: str
    field: str = "name"
    title: str = ""
    low: int | None = None
    high: int | None = None
    step: int = 10
    facts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    def parameter(self, console: Console) -> Parameter:
        """The contract's parameter."""
        kind = console.kind(self.kind)
        if self.facts:
            titles = _fact_titles(console, self)
            return Parameter(name=self.name, title="Fact", kind="choice", choices=titles, example=titles[0])
        field, title = _end(console, self)
        if field.type == "choice":
            choices = self.choices or field.choices
            return Parameter(name=self.name, title=title, kind="choice", choices=choices, example=choices[0])
        if field.type == "integer":
            return _integer(self, field, title)
        pattern, told = _pattern(field)
        return Parameter(
            name=self.name,
            title=title or kind.title,
            pattern=pattern,
            pattern_help=told,
            max_length=40 if field.name == "name" else field.max_length,
            example=_EXAMPLES.get(field.name, ""),
        )

    def draw(self, console: Console, rng: random.Random, split: Split, taken: Container[str]) -> str:
        """A random value of a split."""
        if self.facts:
            return rng.choice(_fact_titles(console, self))
        field, _ = _end(console, self)
        if self.choices:
            return rng.choice(self.choices)
        if self.low is not None and self.high is not None:
            return names.number(rng, split, low=self.low, high=self.high, step=self.step)
        return draws.value(rng, split, field, taken=taken if field.type == "text" else ())


def _end(console: Console, blank: Blank) -> tuple[Field, str]:
    """The field whose values it takes: at the end of a reference, the other's name (or first text)."""
    kind = console.kind(blank.kind)
    field = kind.field(blank.field)
    title = blank.title or (kind.title if field.name == "name" and blank.name == blank.kind else field.title)
    if field.references:
        there = console.kind(field.references)
        return there.field("name") if "name" in there.index else there.fields[0], title
    return field, title


def _fact_titles(console: Console, blank: Blank) -> tuple[str, ...]:
    kind = console.kind(blank.kind)
    return tuple("State" if fact == "state" else kind.field(fact).title for fact in blank.facts)


def _integer(blank: Blank, field: Field, title: str) -> Parameter:
    grows = 1 if field.check == "grows" else 0
    return Parameter(
        name=blank.name,
        title=title.removesuffix(" (GB)"),
        kind="integer",
        minimum=(field.minimum or 0) + grows,
        maximum=field.maximum,
        unit="GB" if title.endswith("(GB)") else field.unit,
        example=_EXAMPLES.get(field.name, str(field.minimum or 1)),
    )


def _pattern(field: Field) -> tuple[str, str]:
    if field.check == "cidr":
        return CIDR, "a network in CIDR form, such as 10.0.0.0/16"
    if field.check == "email":
        return _EMAIL, "an e-mail address, such as ops@example.org"
    if field.type == "date":
        return _DATE, "a date, such as 2027-06-30"
    return field.pattern, field.pattern_help
