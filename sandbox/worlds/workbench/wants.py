"""What is wanted of a workbench: files by how they are reached, values by where they come from, and what shall be."""

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from msgspec import Struct

from sandbox.worlds.workbench.bench import File, key_of, value_of


class At(Struct, frozen=True):
    """A file whose place the ticket names."""

    file: int


class Found(Struct, frozen=True):
    """A file that only a search for a mark finds."""

    file: int
    mark: str


class Linked(Struct, frozen=True):
    """A file that another file names under some key."""

    file: int
    by: int
    key: str


Reach: TypeAlias = At | Found | Linked


class Given(Struct, frozen=True):
    """A value that the ticket says."""

    text: str


class Read(Struct, frozen=True):
    """The value of a key in a file."""

    reach: Reach
    key: str


class Counted(Struct, frozen=True):
    """How many files have a mark."""

    mark: str


class Computed(Struct, frozen=True):
    """What comes out of an operation."""

    base: Read
    operation: str
    other: Given | Read


Value: TypeAlias = Given | Read | Counted | Computed


class Set(Struct, frozen=True):
    """A key shall have a value."""

    reach: Reach
    key: str
    value: Value


class Rename(Struct, frozen=True):
    """A file shall have a name."""

    reach: Reach
    name: str


class Move(Struct, frozen=True):
    """A file shall lie in a folder."""

    reach: Reach
    folder: str


class Delete(Struct, frozen=True):
    """A file shall be gone."""

    reach: Reach


class Report(Struct, frozen=True):
    """A value shall be reported and sent."""

    value: Value


Want: TypeAlias = Set | Rename | Move | Delete | Report


class Job(Struct, frozen=True):
    """One task made concrete: what there is at first, and what is wanted in this order."""

    files: dict[int, File]
    folders: tuple[str, ...]
    window: int
    wants: tuple[Want, ...]


def line_of(file: File, key: str) -> int:
    """The place of a key's line. Raises LookupError."""
    for place, line in enumerate(file.lines):
        if key_of(line) == key:
            return place
    raise LookupError(f"{file.path} has no {key}")


def worth(value: Value, files: Mapping[int, File]) -> str:
    """What a value comes to, given the files of the beginning."""
    match value:
        case Given(text):
            return text
        case Read(reach, key):
            file = files[reach.file]
            return value_of(file.lines[line_of(file, key)])
        case Counted(mark):
            return str(sum(mark in file.name or any(mark in line for line in file.lines) for file in files.values()))
        case Computed(base, operation, other):
            one, two = int(worth(base, files)), int(worth(other, files))
            return str({"plus": one + two, "minus": one - two, "times": one * two}[operation])
        case _:
            assert_never(value)


def wanted_files(job: Job) -> dict[int, File]:
    """The files as they must be in the end."""
    files = dict(job.files)
    for want in job.wants:
        match want:
            case Set(reach, key, value):
                file = files[reach.file]
                place = line_of(file, key)
                new = f"{key} = {worth(value, job.files)}"
                files[reach.file] = File(file.path, (*file.lines[:place], new, *file.lines[place + 1 :]))
            case Rename(reach, name):
                file = files[reach.file]
                files[reach.file] = File(f"{file.folder}/{name}".lstrip("/"), file.lines)
            case Move(reach, folder):
                file = files[reach.file]
                files[reach.file] = File(f"{folder}/{file.name}", file.lines)
            case Delete(reach):
                del files[reach.file]
            case Report():
                pass
            case _:
                assert_never(want)
    return files


def wanted_report(job: Job) -> str:
    """What must be reported, "" for nothing."""
    return next((worth(want.value, job.files) for want in job.wants if isinstance(want, Report)), "")
