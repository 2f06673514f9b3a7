"""Consoles made from API documents: each declaration in the folders that BELAY_CONSOLES names is an environment."""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.contracts.tasks import Split, Task

if TYPE_CHECKING:
    from sandbox.registry import Registered
    from sandbox.worlds.console.world import World

VARIABLE = "BELAY_CONSOLES"


def furnish(task: Task) -> "World":
    """The world in which a task begins; whoever calls this here has the consoles registered."""
    from sandbox.worlds.console.furnish import furnish as furnished  # only who runs one pays for it

    return furnished(task)


def entered(folder: Path) -> "tuple[Registered, ...]":
    """Make the declarations of a folder known here and to processes started from here, in order of their names.

    Raises BadDeclaration with file, line and what was expected.
    """
    found = _enter([folder])
    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    if str(folder.resolve()) not in named:
        os.environ[VARIABLE] = os.pathsep.join(filter(None, (*named, str(folder.resolve()))))
    return found


def split_by_document(names: Iterable[str], *, validation: float = 0.1, test: float = 0.2) -> Mapping[str, Split]:
    """Which consoles are learned in and which are kept for judging: whole documents, by their names alone.

    Each share is rounded up, so that two documents are enough for one of each. A name keeps its place in the order
    when others come and go.
    """
    ordered = sorted(set(names), key=lambda name: sha256(name.encode()).digest())
    tested = -int(-len(ordered) * test // 1)
    validated = -int(-len(ordered) * validation // 1)
    return {
        name: "test" if at < tested else "validation" if at < tested + validated else "train"
        for at, name in enumerate(ordered)
    }


def _enter(folders: Iterable[Path]) -> "tuple[Registered, ...]":
    files = [file for folder in folders for file in sorted(folder.glob("*.console.json"))]
    if not files:
        return ()
    from sandbox.worlds.console.declare import BadDeclaration  # only who has such consoles pays for them
    from sandbox.worlds.console.openapi.files import load
    from sandbox.worlds.console.openapi.tasks import register_console

    consoles = {file: load(file) for file in files}
    by_name: dict[str, Path] = {}
    for file, console in consoles.items():
        other = by_name.setdefault(console.name, file)
        if other.resolve() != file.resolve():
            raise BadDeclaration([f"{file}:2: name: {console.name!r} is taken by {other}; give one of them another"])
        if "api" not in console.name.split("-"):
            wanted = "expected a name with 'api' among its words, as no world of ours has it"
            raise BadDeclaration([f"{file}:2: name: {wanted}; found {console.name!r}"])
    return tuple(register_console(console) for console in consoles.values())


_enter(Path(each) for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each)
