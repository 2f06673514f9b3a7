"""Names and sizes that random tasks are made from; each split has words of its own."""

import random
from collections.abc import Mapping

from sandbox.contracts.tasks import Split

RIGHTS = ("Read", "Write", "List", "Tagging")
FACTS = ("quota", "owner", "versioning")
LOOK_ALIKE = ("old", "copy", "eu", "archive", "staging", "2")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TEAMS: Mapping[Split, tuple[str, ...]] = {
    "train": _words(
        "billing payments search catalog ads growth mobile fraud risk identity orders returns pricing loyalty "
        "media checkout fleet routing claims lending"
    ),
    "validation": _words("weather genomics robotics tax travel music"),
    "test": _words("insight courier harvest banking astro quartz pilot ocean cedar tundra"),
}
_THINGS: Mapping[Split, tuple[str, ...]] = {
    "train": _words(
        "logs backups exports images events invoices models reports uploads thumbnails dumps traces receipts "
        "archives assets configs"
    ),
    "validation": _words("videos crawls packages tiles"),
    "test": _words("snapshots lectures manuals sensors ledgers firmware metrics scans"),
}
_FIRST: Mapping[Split, tuple[str, ...]] = {
    "train": _words(
        "anna bruno chen dara elif farid greta hana ivan jonas kira luis mina noor oskar petra quentin rosa"
    ),
    "validation": _words("sven tara umar vera"),
    "test": _words("wei xenia yusuf zoe amara boris celia dmitri"),
}
_LAST: Mapping[Split, tuple[str, ...]] = {
    "train": _words("adler bauer costa diaz egger fuchs gomez haas ito jansen kaya lopez meyer novak"),
    "validation": _words("otto park quinn roth"),
    "test": _words("silva tanaka usman vogel weber xu yilmaz zhou"),
}
# Multiples that mark a size as a split's own: no size of one split is one of another.
_REMAINDER: Mapping[Split, int] = {"train": 0, "validation": 1, "test": 2}


def bucket(chance: random.Random, split: Split) -> str:
    """A bucket's name."""
    name = f"{chance.choice(_TEAMS[split])}-{chance.choice(_THINGS[split])}"
    return name if chance.random() < 0.5 else f"{name}-{chance.randint(1, 99)}"


def user(chance: random.Random, split: Split) -> str:
    """A user's name: a person's or a service's."""
    if chance.random() < 0.3:
        return f"svc-{chance.choice(_TEAMS[split])}-{chance.randint(1, 99)}"
    return f"{chance.choice(_FIRST[split])}.{chance.choice(_LAST[split])}"


def quota(chance: random.Random, split: Split) -> tuple[str, str]:
    """A quota and its unit, never one that is shown in another unit than it was given in."""
    unit = chance.choices(("MB", "GB", "TB"), weights=(4, 5, 1))[0]
    most = {"MB": 1020, "GB": 900, "TB": 30}[unit]
    return str(chance.randrange(_REMAINDER[split] + 3, most, 3)), unit
