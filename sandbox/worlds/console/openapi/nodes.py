"""What an API document is made of: mappings and lists that know where they stand."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

Node: TypeAlias = "Map | Seq | str | int | float | bool | None"


class Map(dict[str, "Node"]):
    """A mapping that knows its file, its line and the line of each key."""

    __slots__ = ("file", "line", "lines")

    def __init__(self, file: Path, line: int) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.lines: dict[str, int] = {}

    def map(self, key: str) -> "Map":
        """The mapping under a key; an empty one where there is none."""
        found = self.get(key)
        return found if isinstance(found, Map) else Map(self.file, self.at(key))

    def seq(self, key: str) -> "Seq":
        """The list under a key; an empty one where there is none."""
        found = self.get(key)
        return found if isinstance(found, Seq) else Seq(self.file, self.at(key))

    def text(self, key: str) -> str:
        """The text under a key; "" where there is none."""
        found = self.get(key)
        return found if isinstance(found, str) else ""

    def at(self, key: str) -> int:
        """Line of a key."""
        return self.lines.get(key, self.line)

    def maps(self) -> Iterator[tuple[str, "Map"]]:
        """Every key whose value is a mapping."""
        return ((key, value) for key, value in self.items() if isinstance(value, Map))


class Seq(list["Node"]):
    """A list that knows its file and line."""

    __slots__ = ("file", "line")

    def __init__(self, file: Path, line: int) -> None:
        super().__init__()
        self.file = file
        self.line = line

    def maps(self) -> Iterator[Map]:
        """Every item that is a mapping."""
        return (item for item in self if isinstance(item, Map))

    def texts(self) -> tuple[str, ...]:
        """Every item that is a text."""
        return tuple(item for item in self if isinstance(item, str))
