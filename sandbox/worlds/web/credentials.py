"""Credentials of a console by reference: from a variable, from a file, or made up for a console of its own."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import msgspec

from sandbox.browser.processes import write_private
from sandbox.registry import SessionLost

_FILE = "credentials.json"


class NoCredential(RuntimeError):
    """A credential that a console's file refers to is not there; the message says where it was looked for."""


def find(references: Mapping[str, Mapping[str, str | int]], folder: Path, *, make: bool) -> dict[str, str]:
    """Every credential by name. Made-up ones lie in the folder, readable by its owner alone, and nowhere else.

    Raises NoCredential; SessionLost where `make` is false and the folder is gone.
    """
    lengths = {name: int(given["random"]) for name, given in references.items() if "random" in given}
    made = {name: secrets.token_urlsafe(length)[:length] for name, length in lengths.items()}
    if made and make:
        write_private(folder / _FILE, msgspec.json.encode(made))
    elif made:
        try:
            made = msgspec.json.decode((folder / _FILE).read_bytes(), type=dict[str, str])
        except FileNotFoundError as problem:
            raise SessionLost("the console's folder is gone") from problem
    return {name: made[name] if name in made else _given(name, given) for name, given in references.items()}


def _given(name: str, reference: Mapping[str, str | int]) -> str:
    if "env" in reference:
        value = os.environ.get(str(reference["env"]), "")
        where = f"the variable {reference['env']}"
    else:
        path = Path(str(reference["file"]))
        where = f"the file {path}"
        value = path.read_text().strip() if path.is_file() else ""
    if not value:
        raise NoCredential(f"the credential {name} is not there: {where} is missing or empty")
    return value
