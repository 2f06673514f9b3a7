"""Random values for declared fields, for tasks and for what stands in a console; each split has values of its own."""

import random
from collections.abc import Container

from sandbox.contracts.tasks import Split
from sandbox.worlds.console import names
from sandbox.worlds.console.declare import Field
from sandbox.worlds.console.fields import problem

TODAY = "2027-03-01"
_SPAN = {"date": 700}
_PREFERRED = {  # (low, high, step) where the declared limits are wider than what people use
    "size_gb": (20, 500, 10),
    "storage_gb": (40, 1000, 20),
    "least": (1, 5, 1),
    "most": (6, 30, 1),
    "limit": (50, 95, 5),
    "backup_days": (1, 30, 1),
    "weight": (5, 50, 5),
    "keep_days": (5, 120, 5),
}


def value(rng: random.Random, split: Split, field: Field, *, taken: Container[str] = ()) -> str:
    """A value that the server takes, not among `taken` where that can be; "" for a reference."""
    for _ in range(40):
        drawn = _value(rng, split, field, taken)
        if drawn not in taken:
            break
    return drawn


def _value(rng: random.Random, split: Split, field: Field, taken: Container[str]) -> str:
    match field.type:
        case "choice":
            return rng.choice(field.choices)
        case "boolean":
            return rng.choice(("yes", "no"))
        case "integer":
            return _number(rng, split, field)
        case "date":
            return names.date(rng, split, first=TODAY, days=_SPAN["date"])
        case "tags":
            return ",".join(sorted(rng.sample(names.TEAMS[split], rng.randint(0, 2))))
        case "reference" | "secret":
            return ""
        case _:
            return _text(rng, split, field, taken)


def _number(rng: random.Random, split: Split, field: Field) -> str:
    least = field.minimum or 0
    most = field.maximum if field.maximum is not None else 10**9
    if field.name == "port" and (ports := names.ports(split, low=least, high=most)):
        return rng.choice(ports)
    low, high, step = _PREFERRED.get(field.name, (least, field.maximum or least + 100, 1))
    low, high = max(low, least), min(high, most)
    if low > high:  # what people use is not what is allowed here
        low, high, step = least, min(most, least + 100), 1
    if high - low < 10 * step:
        return str(rng.randint(low, high))
    return names.number(rng, split, low=low, high=high, step=step)


def _text(rng: random.Random, split: Split, field: Field, taken: Container[str]) -> str:
    word = rng.choice(names.WORDS[split])
    if field.check == "cidr":
        return names.network(rng, split)
    if field.check == "email":
        return f"{word}.{rng.choice(names.WORDS[split])}@example.org"
    match field.name:
        case "name":
            return names.name(rng, split, taken=taken)
        case "description":
            return rng.choice(names.USES[split])
        case "owner" | "team":
            return rng.choice(names.TEAMS[split])
        case "purpose":
            return rng.choice(names.PURPOSES[split])
        case "login":
            return f"{word}_{rng.choice(('app', 'job', 'report', 'sync'))}"
        case _:
            return _other_text(word, field)


def _other_text(word: str, field: Field) -> str:
    guesses = (
        f"{word}.example.org",
        f"/{word}/alive",
        f"https://hooks.example.org/{word}",
        word,
        f"{word}-1",
        word[:3],
    )
    return next((each for each in guesses if not problem(field, each, today=TODAY)), field.default or word)
