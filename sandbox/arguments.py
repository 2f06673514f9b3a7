"""Arguments of the sandbox's commands, checked before anything is played."""

import argparse
import math
import os
from pathlib import Path

from msgspec import Struct

from sandbox.registry import Registered, UnknownEnvironment, UnknownTemplate, find_environment, find_template
from sandbox.variants import parse


class Chosen(Struct, frozen=True):
    """An environment with the dimensions that its id fixes; the others vary."""

    environment: Registered
    fixed: dict[str, str]


def environment(text: str) -> Chosen:
    """An environment by its id, with or without a recipe."""
    try:
        return Chosen(find_environment(text), parse(text)[1])
    except UnknownEnvironment as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000000, found {text!r}")
    return int(text)


def whole(text: str) -> int:
    """A whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, found {text!r}")
    return int(text)


def amount(text: str) -> float:
    """A number from 0, of seconds or minutes."""
    found = _number(text)
    if not found >= 0 or math.isinf(found):
        raise argparse.ArgumentTypeError(f"expected a number from 0, found {text!r}")
    return found


def positive(text: str) -> float:
    """A number above 0, of seconds or minutes."""
    found = _number(text)
    if not found > 0 or math.isinf(found):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text!r}")
    return found


def environment_name(text: str) -> str:
    """The id of an environment that there is."""
    environment(text)
    return text


def template_name(text: str) -> str:
    """The id of a template that there is, with its environment's."""
    try:
        find_template(text)
    except (UnknownEnvironment, UnknownTemplate) as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def new_file(text: str) -> Path:
    """A file that can be written: it is found out before, not after an hour's work."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file to write, found the folder {text}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file to write; there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"expected a file to write; {text} may not be written by this user")
    return path


def new_folder(text: str) -> Path:
    """A folder that there is, or that can be made, to write into."""
    path = Path(text)
    above = path
    while not above.exists():
        above = above.parent
    if not above.is_dir():
        raise argparse.ArgumentTypeError(f"expected a folder to write into; {above} is none")
    if not os.access(above, os.W_OK):
        raise argparse.ArgumentTypeError(f"expected a folder to write into; {above} may not be written by this user")
    return path


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
