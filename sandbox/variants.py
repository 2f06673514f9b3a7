"""Recipes of worlds: an environment id that carries every way in which a variant differs from its plain console."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod

from msgspec import Struct

from sandbox.contracts.tasks import Split

SPLITS: tuple[Split, ...] = ("train", "validation", "test")

_ID = re.compile(r"[a-z][a-z0-9-]*")
_PAIR = re.compile(r"([a-z][a-z0-9_-]*)=([A-Za-z0-9_.-]+)")


class BadEnvironmentId(ValueError):
    """An environment id that cannot be read; the message says what was expected."""


class Dimension(Struct, frozen=True, forbid_unknown_fields=True):
    """One way in which variants differ. The first value is the plain one and is left out of ids.

    A value in `validation` or `test` is met in that split alone; all others belong to every split.
    """

    name: str
    values: tuple[str, ...]
    validation: tuple[str, ...] = ()
    test: tuple[str, ...] = ()

    def of(self, split: Split) -> tuple[str, ...]:
        """The values that a split may meet, its own held-out ones included."""
        own = {"train": (), "validation": self.validation, "test": self.test}[split]
        others = {*self.validation, *self.test} - set(own)
        return tuple(value for value in self.values if value not in others)


def parse(environment_id: str) -> tuple[str, dict[str, str]]:
    """`cloud?locale=zh&theme=dark` -> ("cloud", {"locale": "zh", "theme": "dark"}). Raises BadEnvironmentId."""
    base, mark, recipe = environment_id.partition("?")
    if not _ID.fullmatch(base):
        raise BadEnvironmentId(f"{environment_id!r}: expected a name such as 'cloud' before '?', found {base!r}")
    if mark and not recipe:
        raise BadEnvironmentId(f"{environment_id!r}: expected name=value pairs after '?', found nothing")
    found: dict[str, str] = {}
    for pair in recipe.split("&") if recipe else ():
        match = _PAIR.fullmatch(pair)
        if match is None:
            raise BadEnvironmentId(f"{environment_id!r}: expected name=value, found {pair!r}")
        if match[1] in found:
            raise BadEnvironmentId(f"{environment_id!r}: {match[1]!r} is given twice")
        found[match[1]] = match[2]
    return base, found


def environment_id(base: str, recipe: Mapping[str, str]) -> str:
    """The one way to write a variant: pairs in order of name."""
    pairs = "&".join(f"{name}={recipe[name]}" for name in sorted(recipe))
    return f"{base}?{pairs}" if pairs else base


class VariantGenerator:
    """Every combination of some dimensions of one console, addressed by number; nothing is kept in memory."""

    def __init__(self, base: str, dimensions: Sequence[Dimension]) -> None:
        self.base = base
        self.dimensions = {dimension.name: dimension for dimension in dimensions}

    def count(self, split: Split) -> int:
        """How many variants a split has."""
        return prod(len(dimension.of(split)) for dimension in self.dimensions.values())

    def ids(self, split: Split, *, limit: int | None = None) -> Iterator[str]:
        """The ids of a split, in a fixed order; at most `limit`."""
        choices = [dimension.of(split) for dimension in self.dimensions.values()]
        for values in islice(product(*choices), limit):
            yield self.id_of(dict(zip(self.dimensions, values, strict=True)))

    def draw(self, rng: random.Random, split: Split, *, changed: int | None = None) -> str:
        """A random variant; with `changed`, at most so many dimensions leave their plain value."""
        names = list(self.dimensions)
        chosen = names if changed is None else rng.sample(names, min(changed, len(names)))
        return self.id_of({name: rng.choice(self.dimensions[name].of(split)) for name in chosen})

    def id_of(self, recipe: Mapping[str, str]) -> str:
        """The canonical id of a recipe: plain values left out. Raises BadEnvironmentId."""
        kept = {}
        for name, value in recipe.items():
            dimension = self.dimensions.get(name)
            if dimension is None:
                known = ", ".join(self.dimensions) or "none"
                raise BadEnvironmentId(f"{self.base} has no dimension {name!r}; it has: {known}")
            if value not in dimension.values:
                raise BadEnvironmentId(f"{name}={value}: expected one of {', '.join(dimension.values)}")
            if value != dimension.values[0]:
                kept[name] = value
        return environment_id(self.base, kept)

    def recipe(self, variant: str) -> dict[str, str]:
        """The whole recipe of an id, plain values included. Raises BadEnvironmentId."""
        base, given = parse(variant)
        if base != self.base:
            raise BadEnvironmentId(f"{variant!r} is not a variant of {self.base}")
        self.id_of(given)
        return {name: given.get(name, dimension.values[0]) for name, dimension in self.dimensions.items()}

    def split_of(self, variant: str) -> Split:
        """The split whose held-out values an id has; `train` where it has none. Raises BadEnvironmentId."""
        recipe = self.recipe(variant)
        held = {
            split: [n for n, v in recipe.items() if v in getattr(self.dimensions[n], split)] for split in SPLITS[1:]
        }
        if held["validation"] and held["test"]:
            mixed = ", ".join((*held["validation"], *held["test"]))
            raise BadEnvironmentId(f"{variant!r} mixes values held out for validation and for test: {mixed}")
        return "test" if held["test"] else "validation" if held["validation"] else "train"
