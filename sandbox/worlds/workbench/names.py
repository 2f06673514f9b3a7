"""Words that folders, files, keys and marks are made from; each split has words of its own."""

import random
from collections.abc import Mapping

from sandbox.contracts.tasks import Split


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FOLDERS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("etc srv apps jobs sites edge data tools units zones teams stage queue cache vault forge depot"),
    "validation": _words("relay harbor attic basin"),
    "test": _words("orbit cellar meadow bridge tunnel prism"),
}
_STEMS: Mapping[Split, tuple[str, ...]] = {
    "train": _words(
        "mail proxy cron backup billing search login upload report worker router gateway metrics storage catalog "
        "session invoice alert sync deploy"
    ),
    "validation": _words("archive lookup parser signer"),
    "test": _words("tracer mirror ledger beacon courier painter"),
}
_KEYS: Mapping[Split, tuple[str, ...]] = {
    "train": _words(
        "timeout retries workers port replicas limit memory threads batch interval quota burst depth window shards"
    ),
    "validation": _words("backlog budget lease ceiling"),
    "test": _words("grace fanout stride margin cooldown slots"),
}
_MARKS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("otter heron lynx badger falcon marten pike raven stoat viper wolf crane bison gecko"),
    "validation": _words("puffin weasel osprey"),
    "test": _words("kestrel tapir ibex condor narwhal"),
}
_LINKS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("include next backend source"),
    "validation": _words("fallback parent"),
    "test": _words("upstream origin"),
}
_ENDINGS = (".conf", ".cfg", ".env", ".ini")
# Numbers leave a remainder of their split's own, so that no number of one split is one of another.
_REMAINDER: Mapping[Split, int] = {"train": 0, "validation": 1, "test": 2}


def folder(chance: random.Random, split: Split, depth: int) -> str:
    """A folder `depth` levels down: "etc/mail"."""
    return "/".join(chance.sample(_FOLDERS[split], depth))


def name(chance: random.Random, split: Split) -> str:
    """A file's name: "proxy.conf"."""
    return chance.choice(_STEMS[split]) + chance.choice(_ENDINGS)


def new_name(chance: random.Random, split: Split) -> str:
    """A name that no generated file has."""
    return f"{chance.choice(_STEMS[split])}-{_number(chance, split, 10, 99)}{chance.choice(_ENDINGS)}"


def keys(chance: random.Random, split: Split, count: int) -> list[str]:
    """Different keys."""
    return chance.sample(_KEYS[split], count)


def other_key(chance: random.Random, taken: set[str]) -> str:
    """A key for what stands around the task; not one of `taken`."""
    return chance.choice([key for key in _KEYS["train"] if key not in taken] or ["spare"])


def mark(chance: random.Random, split: Split) -> str:
    """What a file may mention: "otter-417". Always three digits, so that none stands inside another."""
    return f"{chance.choice(_MARKS[split])}-{_number(chance, split, 100, 999)}"


def link(chance: random.Random, split: Split) -> str:
    """A key whose value names another file."""
    return chance.choice(_LINKS[split])


def number(chance: random.Random, split: Split, low: int, high: int) -> int:
    """A number of this split alone."""
    return _number(chance, split, low, high)


def _number(chance: random.Random, split: Split, low: int, high: int) -> int:
    return chance.randrange(low + (_REMAINDER[split] - low) % 3, high + 1, 3)
