"""Names and numbers that random tasks are made from; each split has words of its own."""

import random
from collections.abc import Mapping

from sandbox.contracts.tasks import Split


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SERVICES: Mapping[Split, tuple[str, ...]] = {
    "train": _words("checkout search catalog login billing mailer images ranking feed cart ads pricing reviews"),
    "validation": _words("weather tickets maps"),
    "test": _words("routing ledger claims voice"),
}
_TEAMS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("amber birch cobalt dune ember fjord grove"),
    "validation": _words("harbor iris"),
    "test": _words("juniper kelp lagoon"),
}
_TASKS: Mapping[Split, tuple[str, ...]] = {
    "train": _words("reindex backup export cleanup migrate warmup vacuum rotate"),
    "validation": _words("replay archive"),
    "test": _words("snapshot audit compact"),
}
_REMAINDER: Mapping[Split, int] = {"train": 0, "validation": 1, "test": 2}


def service(chance: random.Random, split: Split) -> str:
    """A service's name."""
    return f"{chance.choice(_SERVICES[split])}-{chance.randint(10, 99)}"


def team(chance: random.Random, split: Split) -> str:
    """A team."""
    return chance.choice(_TEAMS[split])


def task(chance: random.Random, split: Split) -> str:
    """A job's task."""
    return f"{chance.choice(_TASKS[split])}-{chance.randint(100, 999)}"


def image(chance: random.Random, split: Split) -> str:
    """An image's tag."""
    return f"v{number(chance, split, 1, 60)}.{chance.randint(0, 9)}.{chance.randint(0, 9)}"


def number(chance: random.Random, split: Split, low: int, high: int) -> int:
    """A number of this split alone."""
    return chance.randrange(low + (_REMAINDER[split] - low) % 3, high + 1, 3)
