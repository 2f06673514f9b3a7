"""Recipes of worlds: an environment id that carries every way in which a variant differs from its plain console."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Protocol

from msgspec import Struct

from sandbox.contracts.tasks import Environment, Split

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
        others = {*self.validation, *self.test} - set(self.own(split))
        return tuple(value for value in self.values if value not in others)

    def own(self, split: Split) -> tuple[str, ...]:
        """The values that a split alone may meet; none for `train`."""
        return {"train": (), "validation": self.validation, "test": self.test}[split]

    def check(self) -> None:
        """Raises ValueError where the dimension contradicts itself."""
        held = (*self.validation, *self.test)
        for value in self.values:
            if not _PAIR.fullmatch(f"{self.name}={value}"):
                wanted = "a name of a-z, 0-9, _ and -, and values of letters, digits, _, . and -"
                raise ValueError(f"dimension {self.name}: expected {wanted}, found {self.name}={value}")
        if not self.values or len({*self.values}) != len(self.values):
            raise ValueError(f"dimension {self.name}: expected values, each given once, found {self.values}")
        if self.values[0] in held:
            raise ValueError(f"dimension {self.name}: its plain value {self.values[0]!r} cannot be held out")
        if len({*held}) != len(held) or not {*held} <= {*self.values}:
            raise ValueError(f"dimension {self.name}: each held-out value must be one of its values, in one split")


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


class Varied(Protocol):
    """What a generator needs to know of an environment; a `registry.Registered` is one."""

    @property
    def environment(self) -> Environment:
        """The environment without a recipe."""
        ...

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The ways in which its variants differ."""
        ...


class VariantGenerator:
    """Every combination of some dimensions of one console, addressed by number; nothing is kept in memory.

    A variant of `validation` or `test` has at least one value that its split alone may meet. An environment that
    holds no value out for a split has the variants of `train` there: what is unseen then are names and seeds.
    """

    def __init__(self, base: str, dimensions: Sequence[Dimension]) -> None:
        self.base = base
        self.dimensions = {dimension.name: dimension for dimension in dimensions}
        for dimension in dimensions:
            dimension.check()
            if dimension is not self.dimensions[dimension.name]:
                raise ValueError(f"{base}: dimension {dimension.name} is declared twice")
        # Worked out once: a deck draws many variants to choose one.
        self._may = {split: {each.name: each.of(split) for each in dimensions} for split in SPLITS}
        self._own = {split: {each.name: frozenset(each.own(split)) for each in dimensions} for split in SPLITS}
        self._holding = {split: [name for name, own in self._own[split].items() if own] for split in SPLITS}

    @classmethod
    def of(cls, registered: Varied) -> "VariantGenerator":
        """The generator of a registered environment."""
        return cls(registered.environment.id, registered.dimensions)

    def holds_out(self, split: Split) -> bool:
        """Whether a split has values of its own."""
        return bool(self._holding[split])

    def count(self, split: Split) -> int:
        """How many variants a split has."""
        shared = prod(len(dimension.of("train")) for dimension in self.dimensions.values())
        every = prod(len(dimension.of(split)) for dimension in self.dimensions.values())
        return every - shared if self.holds_out(split) else shared

    def ids(self, split: Split, *, limit: int | None = None) -> Iterator[str]:
        """The ids of a split, in a fixed order; at most `limit`."""
        choices = [dimension.of(split) for dimension in self.dimensions.values()]
        recipes = (dict(zip(self.dimensions, values, strict=True)) for values in product(*choices))
        strict = self.holds_out(split)
        fitting = (recipe for recipe in recipes if not strict or self._held(recipe, split))
        return islice((self.id_of(recipe) for recipe in fitting), limit)

    def draw(self, rng: random.Random, split: Split, *, changed: int | None = None) -> str:
        """A random variant; with `changed` (at least 1), at most so many dimensions leave their plain value."""
        names = list(self.dimensions)
        chosen = names if changed is None else rng.sample(names, min(changed, len(names)))
        may = self._may[split]
        recipe = {name: may[name][int(rng.random() * len(may[name]))] for name in chosen}
        if self._holding[split] and not self._held(recipe, split):
            holding = self._holding[split]
            given = rng.choice([name for name in holding if name in recipe] or holding)
            if given not in recipe:  # one in, one out
                recipe.pop(rng.choice(sorted(recipe)), None)
            recipe[given] = rng.choice(self.dimensions[given].own(split))
        return self.id_of(recipe)

    def canonical(self, variant: str) -> str:
        """The one id of the world that this id names. Raises BadEnvironmentId."""
        return self.id_of(self.recipe(variant))

    def _held(self, recipe: Mapping[str, str], split: Split) -> bool:
        own = self._own[split]
        return any(value in own[name] for name, value in recipe.items())

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
        held = {split: [n for n, v in recipe.items() if v in self.dimensions[n].own(split)] for split in SPLITS[1:]}
        if held["validation"] and held["test"]:
            mixed = ", ".join((*held["validation"], *held["test"]))
            raise BadEnvironmentId(f"{variant!r} mixes values held out for validation and for test: {mixed}")
        return "test" if held["test"] else "validation" if held["validation"] else "train"
