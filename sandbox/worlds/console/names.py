"""Names for resources and where random tasks take theirs from; the splits share no word."""

import datetime as dt
import random
from collections.abc import Container, Mapping
from functools import lru_cache

from sandbox.contracts.tasks import Split

_TRAIN = """
alder amber atlas basil birch bison brook cedar clover cobalt comet coral crane delta dune ember falcon fern
flint garnet harbor hazel heron indigo iris jasper juniper kestrel lagoon larch lilac lotus maple marble
meadow nectar nickel oasis onyx orchid osprey pebble pine prairie quartz raven reef river rowan saffron sage
sierra slate spruce summit thistle timber topaz tundra velvet walnut willow zephyr
"""
_VALIDATION = """
acorn breeze canyon dahlia elm finch glacier hickory ivory jade lynx mistral
"""
_TEST = """
aspen boulder cactus dolphin estuary fjord granite hyacinth iceberg jaguar koala lupine magnolia narwhal opal
panther quill redwood sequoia tulip umber violet wren yarrow
"""
WORDS: dict[Split, tuple[str, ...]] = {
    "train": tuple(_TRAIN.split()),
    "validation": tuple(_VALIDATION.split()),
    "test": tuple(_TEST.split()),
}
ROLES = ("web", "api", "db", "cache", "worker", "proxy", "batch", "mail")
USES: dict[Split, tuple[str, ...]] = {
    "train": ("Public web traffic", "Internal services only", "Office access", "Monitoring and alerts", "Batch jobs"),
    "validation": ("Partner network access", "Nightly backup traffic"),
    "test": ("Customer portal entry", "Build farm traffic", "Replication between sites", "Support desk access"),
}
TEAMS: dict[Split, tuple[str, ...]] = {
    "train": ("platform", "payments", "search", "mobile", "data", "support", "security", "growth"),
    "validation": ("logistics", "research"),
    "test": ("checkout", "identity", "media", "analytics"),
}
PURPOSES: dict[Split, tuple[str, ...]] = {
    "train": ("build server", "backup job", "metrics export", "deploy script", "log shipping", "image upload"),
    "validation": ("report mailer", "cache warmer"),
    "test": ("invoice export", "search indexer", "mail relay", "queue worker"),
}
_PORTS = (21, 22, 25, 53, 80, 110, 123, 143, 389, 443, 465, 514, 587, 636, 853, 993, 1194, 1433, 1521, 1883, 2049, 2379)
_MORE_PORTS = (3000, 3306, 4222, 5044, 5432, 5672, 6379, 6443, 7000, 8080, 8443, 8883, 9000, 9090, 9200, 9418, 11211)
PORTS = tuple(str(port) for port in (*_PORTS, *_MORE_PORTS))
_PLACE: dict[Split, tuple[int, ...]] = {"train": (0, 1, 2), "validation": (3,), "test": (4,)}
_SECONDS: Mapping[Split, tuple[int, ...]] = {
    split: tuple(n for n in range(250) if n % 5 in places) for split, places in _PLACE.items()
}


def split_of(name: str) -> Split | None:
    """The split whose word a name begins with."""
    word = name.partition("-")[0]
    return next((split for split, words in WORDS.items() if word in words), None)


def name(rng: random.Random, split: Split, *, taken: Container[str] = ()) -> str:
    """A name such as amber-web-3 that is not taken."""
    while True:
        drawn = f"{rng.choice(WORDS[split])}-{rng.choice(ROLES)}-{rng.randint(1, 9)}"
        if drawn not in taken:
            return drawn


def look_alikes(rng: random.Random, of: str, count: int) -> list[str]:
    """Names that are easily taken for another."""
    if not of:
        return []
    stem, _, last = of.rpartition("-")
    word = of.partition("-")[0]
    other = str(int(last) % 9 + 1) if last.isascii() and last.isdigit() else f"{last}2"
    near = [
        f"{of}0",
        f"{of}-old",
        f"{of}-new",
        f"{stem or of}-{other}",
        f"{word}-{rng.choice(ROLES)}-{rng.randint(1, 9)}",
    ]
    near = list(dict.fromkeys(near))
    rng.shuffle(near)
    return near[:count]


def number(rng: random.Random, split: Split, *, low: int, high: int, step: int) -> str:
    """A multiple of `step`; each split has multiples of its own."""
    return rng.choice(_multiples(split, low, high, step))


@lru_cache(maxsize=512)
def _multiples(split: Split, low: int, high: int, step: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(low, high + 1, step) if (n // step) % 5 in _PLACE[split])


def ports(split: Split, *, low: int, high: int) -> list[str]:
    """Well-known ports within limits; each split has ports of its own."""
    own = (each for place, each in enumerate(PORTS) if place % 5 in _PLACE[split])
    return [each for each in own if low <= int(each) <= high]


def date(rng: random.Random, split: Split, *, first: str, days: int) -> str:
    """A day within so many after the first; each split has days of its own."""
    return rng.choice(_days(split, first, days))


@lru_cache(maxsize=64)
def _days(split: Split, first: str, days: int) -> tuple[str, ...]:
    start = dt.date.fromisoformat(first)
    return tuple((start + dt.timedelta(days=n)).isoformat() for n in range(1, days + 1) if n % 5 in _PLACE[split])


def network(rng: random.Random, split: Split) -> str:
    """A network in CIDR form; the splits share none."""
    second = rng.choice(_SECONDS[split])
    return rng.choice([f"10.{second}.0.0/16", f"192.168.{second}.0/24", f"172.16.{second}.0/24"])
