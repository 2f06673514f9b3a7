"""Names and numbers that random tasks are made from; each split has words of its own."""

import random
from collections.abc import Mapping

from sandbox.contracts.tasks import Split


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_JOBS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("web db cache queue mail proxy build metrics search auth cron files"),
    "validation": _words("render ingest vault"),
    "test": _words("solver broker feed relay"),
}
_OWNERS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("anna bruno chen dara elif farid greta hana ivan jonas kira luis mina noor"),
    "validation": _words("sven tara umar vera"),
    "test": _words("wei xenia yusuf zoe amara boris"),
}
_TEAMS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("billing search ads growth fraud orders pricing media fleet claims"),
    "validation": _words("robotics travel music"),
    "test": _words("harvest banking astro quartz"),
}
_LABELS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("logs backup scratch images dumps spool"),
    "validation": _words("videos tiles"),
    "test": _words("ledgers firmware scans"),
}
_ZONES: Mapping[Split, tuple[str, ...]] = {
    "train": _words("eu-1 eu-2 us-1 us-2 ap-1"),
    "validation": _words("sa-1 sa-2"),
    "test": _words("af-1 af-2 me-1"),
}
_BAD: Mapping[Split, tuple[str, ...]] = {
    "train": _words("urgent major panic minor"),
    "validation": _words("severe trivial"),
    "test": _words("dire faint grave"),
}
_NEW: Mapping[Split, tuple[str, ...]] = {
    "train": _words("rack serial vendor remark model"),
    "validation": _words("warranty socket"),
    "test": _words("asset lease slot"),
}
STATES = ("running", "stopped", "failed")
SEVERITIES = ("low", "medium", "high")
_REMAINDER: Mapping[Split, int] = {"train": 0, "validation": 1, "test": 2}


def host(chance: random.Random, split: Split) -> str:
    """A host's name."""
    return f"{chance.choice(_JOBS[split])}-{chance.randint(10, 99)}"


def owner(chance: random.Random, split: Split) -> str:
    """A person."""
    return chance.choice(_OWNERS[split])


def team(chance: random.Random, split: Split) -> str:
    """A team."""
    return chance.choice(_TEAMS[split])


def label(chance: random.Random, split: Split) -> str:
    """What a volume is called."""
    return chance.choice(_LABELS[split])


def zone(chance: random.Random, split: Split) -> str:
    """A zone."""
    return chance.choice(_ZONES[split])


def bad_severity(chance: random.Random, split: Split) -> str:
    """A severity that the rules do not know."""
    return chance.choice(_BAD[split])


def new_column(chance: random.Random, split: Split) -> str:
    """A column that no table has."""
    return chance.choice(_NEW[split])


def number(chance: random.Random, split: Split, low: int, high: int) -> int:
    """A number of this split alone."""
    return chance.randrange(low + (_REMAINDER[split] - low) % 3, high + 1, 3)
