"""From the properties of a resource to the fields of a kind, each of which the simulated console can fill and check."""

import random
import re
from collections.abc import Iterable

from msgspec.structs import replace

from sandbox.contracts.tasks import Split
from sandbox.worlds.console import draws
from sandbox.worlds.console.declare import Condition, Field
from sandbox.worlds.console.fields import problem
from sandbox.worlds.console.openapi.properties import Path, Property
from sandbox.worlds.console.openapi.words import open_title, slug, title

SPLITS: tuple[Split, ...] = ("train", "validation", "test")
_WIDEST = 10_000  # between the limits of a number that is drawn
_SHORTEST = 40  # a name has room for the names of tasks
_TAKEN_NAMES = {"id": "identifier", "state": "current_state"}
_TAKEN_TITLES = {"State": "Current state", "Fact": "Fact told"}
_HOLLOW = {"metadata", "spec", "attributes", "data", "properties", "object"}


class Names:
    """Names and titles within one kind: each once, and none that the console itself uses."""

    def __init__(self, *reserved: str) -> None:
        self.reserved = {*reserved}
        self.names: dict[Path, str] = {}
        self.titles: set[str] = set()
        self.outer: set[str] = set()  # what properties outside of any nested object are called

    def claim(self, paths: Iterable[Path]) -> None:
        """Leave plain words to what is not nested."""
        self.outer |= {slug(path[0]) for path in paths if len(path) == 1}

    def name(self, path: Path) -> str:
        """The field of a property, the same each time it is asked for."""
        if path not in self.names:
            parts = [part for part in path if part.lower() not in _HOLLOW] or list(path)
            first = slug(parts[-1])
            plain = _TAKEN_NAMES.get(first, first)
            for wanted in (plain, slug(" ".join(parts)), slug(" ".join(path))):
                if self._is_free(wanted) and not (len(path) > 1 and wanted in self.outer):
                    break
            else:
                wanted = next(w for n in range(2, 999) if self._is_free(w := f"{wanted[:36]}_{n}"))
            self.names[path] = wanted
        return self.names[path]

    def title(self, path: Path, *, secret: bool = False) -> str:
        """A title that no other field has."""
        parts = [part for part in path if part.lower() not in _HOLLOW] or list(path)
        for wanted in (title(parts[-1]), title(" ".join(parts)), title(" ".join(path))):
            wanted = _TAKEN_TITLES.get(wanted, wanted)
            wanted = wanted if secret else open_title(wanted)
            if wanted.casefold() not in self.titles and not (len(path) > 1 and slug(wanted) in self.outer):
                break
        else:
            wanted = next(w for n in range(2, 999) if (w := f"{wanted[:44]} {n}").casefold() not in self.titles)
        self.titles.add(wanted.casefold())
        return wanted

    def _is_free(self, wanted: str) -> bool:
        return wanted not in self.reserved and wanted not in self.names.values() and wanted not in ("id", "state")


def field_of(each: Property, names: Names, *, asked: bool, known: Iterable[Path], left: list[str]) -> Field | None:
    """The field of one property; None, and a reason, where there can be none. `asked`: the create form has it."""
    if each.type == "rows":
        return None
    if each.type == "choice" and len(each.choices) < 1:
        left.append(f"{'.'.join(each.path)}: it has no values to choose from")
        return None
    conditions = dict(each.when)
    if any(path not in known for path in conditions):
        conditions = {}
    when: Condition = tuple((names.name(path), values) for path, values in conditions.items())
    made = Field(
        name=names.name(each.path),
        title=names.title(each.path, secret=each.type == "secret"),
        type=each.type,
        help=each.help,
        default=each.default,
        required=each.required and asked,
        choices=each.choices if each.type == "choice" else (),
        visible_when=when,
    )
    if each.type == "text":
        made = _text(each, made, left)
    elif each.type == "integer":
        made = _integer(each, made)
    elif each.type == "boolean":
        made = replace(made, default=made.default or "no", required=True)
    elif each.type == "secret":
        made = replace(made, max_length=200)
    return made if asked else _shown_only(each, made)


def _shown_only(each: Property, made: Field) -> Field:
    """What the server says: a new object has zero, no, the first value, or today."""
    match made.type:
        case "integer":
            return replace(made, required=True, default=made.default or str(made.minimum or 0))
        case "choice":
            return replace(made, required=True, default=made.default or made.choices[0])
        case "date":
            return replace(made, type="text", generated="today", required=True, default="", help="")
        case "boolean":
            return made
        case _:
            return replace(made, required=False, default="")


def _text(each: Property, made: Field, left: list[str]) -> Field:
    if each.format == "email":
        return replace(made, check="email", max_length=120)
    if "cidr" in slug(each.path[-1]).split("_"):
        return replace(made, check="cidr")
    if each.format in ("uri", "url"):
        web = replace(
            made, pattern=r"https?://\S+", pattern_help="an address such as https://example.org", max_length=200
        )
        return web if not made.default or re.fullmatch(web.pattern, made.default) else replace(web, default="")
    made = replace(made, max_length=max(each.max_length, 1))
    fitting = replace(made, pattern=each.pattern)
    if each.pattern and not _can_be_drawn(fitting):
        left.append(
            f"{'.'.join(each.path)}: its pattern {each.pattern[:60]} is not asked for: nothing drawn here fits it"
        )
        fitting = made
    if not _can_be_drawn(fitting):
        left.append(f"{'.'.join(each.path)}: at most {each.max_length} characters is not asked for")
        fitting = replace(fitting, max_length=63, pattern="")
    bad_default = made.default and problem(fitting, made.default)
    return replace(fitting, default="") if bad_default else fitting


def _can_be_drawn(field: Field) -> bool:
    try:
        re.compile(field.pattern)
        for split in SPLITS:
            for seed in range(4):
                drawn = draws.value(random.Random(seed), split, field)  # noqa: S311  # a trial, not a secret
                if problem(field, drawn, today=draws.TODAY):
                    return False
    except re.error:
        return False
    return True


def _integer(each: Property, made: Field) -> Field:
    low, high = each.minimum, each.maximum
    low = low if low is not None and abs(low) < 10**9 else None
    if high is not None and high - (low or 0) > _WIDEST:
        high = None
    if high is not None and high < (low or 0):
        low = min(high, low) if low is not None else high
    default = made.default if re.fullmatch(r"-?[0-9]{1,9}", made.default) else ""
    fits = default and (low is None or int(default) >= low) and (high is None or int(default) <= high)
    return replace(made, minimum=low, maximum=high, default=default if fits else "")


def name_field(each: Property | None, names: Names, *, asked: bool, shown: str) -> Field:
    """The field by which objects are called; made by the server where the create form does not ask for it."""
    if each is None:
        return Field(name="name", title=shown, generated="key_id")
    heading = open_title(names.title(each.path))
    made = Field(name="name", title=heading, help=each.help, max_length=max(each.max_length, _SHORTEST), check="unique")
    fitting = replace(made, pattern=each.pattern)
    if each.pattern and _can_be_drawn(fitting):
        made = fitting
    return made if asked else replace(made, generated="key_id", check="", pattern="")
