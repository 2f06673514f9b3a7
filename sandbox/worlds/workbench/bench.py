"""The workbench itself: files in folders, one argument in hand, tools that use it, and a log of every change."""

import re

from msgspec import Struct
from msgspec.structs import replace

OPERATIONS = ("plus", "minus", "times")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_NUMBER = re.compile(r"-?[0-9]{1,9}")


class File(Struct, frozen=True, forbid_unknown_fields=True):
    """One file; lines are "key = value" or plain words."""

    path: str  # "etc/mail/proxy.conf"
    lines: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Where it lies: "" is the root."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name without the folder."""
        return self.path.rpartition("/")[2]


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of the log."""

    event: str  # line.set, file.rename, file.move, file.delete, report.write, report.submit
    file: int  # number of the file, 0 where none
    said: str  # the sentence for people
    before: str = ""


class Refused(Exception):
    """A tool does not do it; the message says why."""


def key_of(line: str) -> str:
    """ "port = 8" -> "port"; "" for plain words."""
    key, sign, _ = line.partition(" = ")
    return key if sign else ""


def value_of(line: str) -> str:
    """ "port = 8" -> "8"; the whole line where it has no key."""
    _, sign, value = line.partition(" = ")
    return value if sign else line


class Bench:
    """The state of one workbench. Everything is reached through the tools, and every write is in the log."""

    def __init__(self, files: dict[int, File], folders: tuple[str, ...], *, window: int) -> None:
        self.files = dict(files)  # by number: a renamed or moved file stays the same file
        self.folders = folders
        self.window = window  # lines shown at once
        self.folder = ""
        self.open = 0  # number of the open file, 0 = none
        self.query = ""  # what was searched for, "" while a file is open or nothing is
        self.results: tuple[int, ...] = ()
        self.selected = -1  # line of the open file
        self.top = 0  # first line or result shown
        self.argument = ""
        self.operand = ""
        self.operation = OPERATIONS[0]
        self.report = ""
        self.submitted = False
        self.log: list[Change] = []

    # Looking: changes what is shown and nothing else.

    @property
    def rows(self) -> int:
        """How many lines or results there are to show."""
        return len(self.results) if self.query else len(self.files[self.open].lines) if self.open else 0

    def go_up(self) -> None:
        """To the folder above. Raises Refused."""
        if not self.folder:
            raise Refused("this is the uppermost folder")
        self.folder = self.folder.rpartition("/")[0]

    def enter(self, folder: str) -> None:
        """Into a folder."""
        self.folder = folder

    def read(self, number: int) -> None:
        """Open a file in the window."""
        self.open, self.query, self.results = number, "", ()
        self.selected, self.top = -1, 0
        self.folder = self.files[number].folder

    def select(self, line: int) -> None:
        """Mark a line of the open file."""
        self.selected = line

    def scroll(self, rows: int) -> bool:
        """Move the window by whole pages; whether it moved."""
        top = self.top + rows
        if top < 0 or top >= self.rows:
            return False
        self.top = top
        return True

    def find(self) -> None:
        """Search names and lines of all files for the argument. Raises Refused."""
        if not self.argument:
            raise Refused("the argument is empty: type what to look for")
        text = self.argument
        found = [n for n, file in self.files.items() if text in file.name or any(text in line for line in file.lines)]
        self.results = tuple(sorted(found, key=lambda number: self.files[number].path))
        self.query, self.open, self.selected, self.top = text, 0, -1, 0

    # Reckoning: changes what is in hand.

    def copy(self, *, operand: bool = False) -> None:
        """Take the marked line's value. Raises Refused."""
        if self.selected < 0:
            raise Refused("no line is marked")
        value = value_of(self.files[self.open].lines[self.selected])
        if operand:
            self.operand = value
        else:
            self.argument = value

    def count(self) -> None:
        """The number of results into the argument. Raises Refused."""
        if not self.query:
            raise Refused("nothing was searched for")
        self.argument = str(len(self.results))

    def compute(self) -> None:
        """Argument, operation, operand: the result becomes the argument. Raises Refused."""
        if not (_NUMBER.fullmatch(self.argument) and _NUMBER.fullmatch(self.operand)):
            raise Refused("argument and operand have to be numbers")
        one, other = int(self.argument), int(self.operand)
        results = {"plus": one + other, "minus": one - other, "times": one * other}
        self.argument = str(results[self.operation])[:18]

    # Writing: goes into the log.

    def set(self) -> None:
        """Give the marked line's key the argument as value. Raises Refused."""
        self._may_write()
        if not self.open or self.selected < 0 or not key_of(self.files[self.open].lines[self.selected]):
            raise Refused("no line with a key is marked")
        file = self.files[self.open]
        old = file.lines[self.selected]
        key = key_of(old)
        new = f"{key} = {self.argument}"
        if not self.argument or new == old:
            raise Refused("the argument is empty" if not self.argument else "it has this value already")
        lines = (*file.lines[: self.selected], new, *file.lines[self.selected + 1 :])
        self.files[self.open] = replace(file, lines=lines)
        self._note("line.set", self.open, f"set {key} in {file.path} to {self.argument}", before=old)

    def rename(self) -> None:
        """Give the open file the argument as name. Raises Refused."""
        file = self._open_file()
        if not _NAME.fullmatch(self.argument):
            raise Refused("the argument is not a name for a file")
        self._carry(file, f"{file.folder}/{self.argument}".lstrip("/"), "file.rename", "renamed")

    def move(self) -> None:
        """Put the open file into the folder that the argument names. Raises Refused."""
        file = self._open_file()
        if self.argument not in self.folders:
            raise Refused("the argument names no folder")
        self._carry(file, f"{self.argument}/{file.name}", "file.move", "moved")
        self.folder = self.argument

    def delete(self) -> None:
        """Delete the open file for good. Raises Refused."""
        file = self._open_file()
        number = self.open
        del self.files[number]
        self.open, self.selected, self.top = 0, -1, 0
        self._note("file.delete", number, f"deleted {file.path}", before=file.path)

    def write_report(self) -> None:
        """The argument becomes what is reported. Raises Refused."""
        self._may_write()
        if not self.argument or self.argument == self.report:
            raise Refused("the argument is empty" if not self.argument else "the report says this already")
        self._note("report.write", 0, f"reported {self.argument}", before=self.report)
        self.report = self.argument

    def submit(self) -> None:
        """Send the report; after that nothing can be written any more. Raises Refused."""
        self._may_write()
        if not self.report:
            raise Refused("the report is empty")
        self.submitted = True
        self._note("report.submit", 0, f"submitted {self.report}")

    def _carry(self, file: File, path: str, event: str, verb: str) -> None:
        if path == file.path:
            raise Refused("it is there already")
        if any(each.path == path for each in self.files.values()):
            raise Refused(f"there is already {path}")
        self.files[self.open] = replace(file, path=path)
        self._note(event, self.open, f"{verb} {file.path} to {path}", before=file.path)

    def _open_file(self) -> File:
        self._may_write()
        if not self.open:
            raise Refused("no file is open")
        return self.files[self.open]

    def _may_write(self) -> None:
        if self.submitted:
            raise Refused("the report was submitted: nothing can be changed any more")

    def _note(self, event: str, file: int, said: str, *, before: str = "") -> None:
        self.log.append(Change(event, file, said, before))
