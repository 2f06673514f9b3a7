"""The first state of a task: its files where the ticket says, hidden ones elsewhere, and look-alikes around them."""

import random

from sandbox.worlds.workbench import names
from sandbox.worlds.workbench.bench import File

_REMARKS = (
    "# managed by hand, see the handbook",
    "# do not restart during business hours",
    "# copied from the template",
    "# reviewed last spring",
    "# keep in step with the other sites",
    "# old values are in the wiki",
)
_MENTIONS = ("owner = {}", "host = {}", "# asked for by {}", "# runs on {}", "contact = {}")
CLUTTER = {"few": 3, "some": 7, "many": 14}


class Ground:
    """Files being laid out. Names of files are unique, so that a search by name is clear."""

    def __init__(self, seed: str, *, depth: int, clutter: str) -> None:
        self.chance = random.Random(seed)  # noqa: S311  # has to be repeatable
        self.depth = depth
        self.clutter = CLUTTER[clutter]
        self.paths: dict[int, str] = {}
        self.lines: dict[int, list[str]] = {}
        self.folders: set[str] = set()

    def at(self, path: str) -> int:
        """The file at this path, made where there is none; returns its number."""
        for number, known in self.paths.items():
            if known == path:
                return number
        number = len(self.paths) + 1
        self.paths[number] = path
        self.lines[number] = []
        self.folder(path.rpartition("/")[0])
        return number

    def hidden(self, *, outside: str = "") -> int:
        """A file somewhere, but not in the folder `outside`; returns its number."""
        folder = outside
        while folder == outside:
            folder = names.folder(self.chance, "train", self.depth)
        return self.at(f"{folder}/{self._fresh_name()}")

    def folder(self, path: str) -> None:
        """A folder with those above it."""
        while path:
            self.folders.add(path)
            path = path.rpartition("/")[0]

    def put(self, number: int, key: str, value: str) -> None:
        """A line with a key; a key stands once in a file."""
        if not any(line.startswith(f"{key} = ") for line in self.lines[number]):
            self.lines[number].append(f"{key} = {value}")

    def mention(self, number: int, mark: str) -> None:
        """A line that has a mark in it."""
        self.lines[number].append(self.chance.choice(_MENTIONS).format(mark))

    def number(self, low: int = 4, high: int = 60) -> int:
        """A value as configurations have them."""
        return self.chance.randint(low, high)

    def another(self, *taken: str) -> str:
        """A value that is none of these."""
        found = str(self.number())
        while found in taken:
            found = str(self.number())
        return found

    def surround(self, keys: tuple[str, ...], mark: str) -> None:
        """Other files: some with the same keys, some with a mark that looks like the real one."""
        places = sorted(self.folders)
        for _ in range(self.clutter):
            if self.chance.random() < 0.5:
                number = self.hidden()
            else:
                number = self.at(f"{self.chance.choice(places)}/{self._fresh_name()}")
            for key in keys:
                if self.chance.random() < 0.6:
                    self.put(number, key, str(self.number()))
            if self.chance.random() < 0.4:
                self.mention(number, self._alike(mark) if mark else names.mark(self.chance, "train"))
            if not self.lines[number] or self.chance.random() < 0.5:
                self.put(number, names.other_key(self.chance, set(keys)), str(self.number()))

    def files(self, keys: tuple[str, ...]) -> dict[int, File]:
        """Everything laid out, with other lines between those that matter, in random order."""
        for number, lines in self.lines.items():
            for _ in range(self.chance.randint(1, 3)):
                self.put(number, names.other_key(self.chance, set(keys)), str(self.number()))
            lines += self.chance.sample(_REMARKS, self.chance.randint(0, 3))
            self.chance.shuffle(lines)
        return {number: File(path, tuple(self.lines[number])) for number, path in self.paths.items()}

    def _fresh_name(self) -> str:
        taken = {path.rpartition("/")[2] for path in self.paths.values()}
        while True:
            name = names.name(self.chance, "train")
            if name not in taken:
                return name

    def _alike(self, mark: str) -> str:
        """The same animal with another number: never a mark that the ticket is about."""
        animal = mark.rpartition("-")[0] or mark
        found = mark
        while found == mark:
            found = f"{animal}-{self.chance.randint(100, 999)}"
        return found
