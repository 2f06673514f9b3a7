"""What became of an API document: what its console has, what was left out and why, what is wrong in it and where."""

from collections import Counter

from msgspec import Struct

from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.openapi.document import Problem

GENERAL = (
    "Names stay as they are once something is made.",
    "Decimals are asked for as whole numbers, times as days, lists of values as tags.",
    "Numbers of up to twelve digits; limits more than 10,000 apart are not enforced.",
)


class Left(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the console lacks although the document has it."""

    what: str
    why: str


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """One document's way to a console."""

    id: str
    title: str
    dialect: str  # "OpenAPI 3.1.0", "Swagger 2.0"
    operations: int
    used: int
    kinds: int
    fields: int
    verbs: int
    tasks: int
    paging: dict[str, int]  # how lists are paged -> how many
    left_operations: tuple[Left, ...]
    left: tuple[Left, ...]
    problems: tuple[Problem, ...]
    seconds: float
    general: tuple[str, ...] = GENERAL

    def text(self) -> str:
        """For people."""
        reasons = Counter(each.why for each in self.left_operations)
        paging = ", ".join(f"{count} by {name}" for name, count in sorted(self.paging.items())) or "none told"
        lines = [
            f"{self.title} ({self.dialect}) -> environment {self.id}",
            f"{self.used} of {self.operations} operations; {self.kinds} kinds, {self.fields} fields, "
            f"{self.verbs} verbs, {self.tasks} task templates; {self.seconds:.1f} s",
            f"Paging: {paging}.",
            *self.general,
            "",
            f"Operations left out: {len(self.left_operations)}",
            *(f"  {count} x {reason}" for reason, count in reasons.most_common()),
            *(f"    {each.what}: {each.why}" for each in self.left_operations),
            "",
            f"Parts left out: {len(self.left)}",
            *(f"    {each.what}: {each.why}" for each in self.left),
            "",
            f"Problems in the document: {len(self.problems)}",
            *(f"    {problem}" for problem in self.problems),
        ]
        return "\n".join(lines) + "\n"


def size_of(console: Console) -> tuple[int, int, int]:
    """How many kinds, fields and verbs (creation counted) a console has."""
    fields = sum(len(kind.fields) for kind in console.kinds)
    verbs = sum(len(kind.verbs) + bool(kind.wizard) for kind in console.kinds)
    return len(console.kinds), fields, verbs
