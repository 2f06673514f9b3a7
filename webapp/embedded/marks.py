"""What a running Belay was started from, so that a later `make up` sees what has changed."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from webapp.embedded.processes import write_private
from webapp.embedded.state import State

PACKAGES = ("sandbox", "learning", "webapp")
_NOT_CODE = {"frontend", "__pycache__"}


@dataclass(frozen=True)
class Marks:
    """One digest for what every process runs, one for what only the web process shows."""

    code: str
    pages: str


def now(root: Path) -> Marks:
    """Of the files as they are."""
    code = [root / "requirements.lock", *(file for name in PACKAGES for file in _files(root / name))]
    return Marks(code=_digest(root, code), pages=_digest(root, _files(root / "webapp" / "frontend" / "dist")))


def read(state: State) -> Marks | None:
    """Of the last start; None where there was none, or one by an older version."""
    try:
        return Marks(**json.loads(_file(state).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write(state: State, marks: Marks) -> None:
    """Remember a start."""
    write_private(_file(state), json.dumps(asdict(marks)))


def _file(state: State) -> Path:
    return state.folder / "started-from.json"


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _NOT_CODE)
        yield from (Path(place) / name for name in sorted(files))


def _digest(root: Path, files: Iterator[Path] | list[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        total.update(f"{file.relative_to(root)}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
