"""Real consoles, each from one small file: those that come with Belay, and those that BELAY_CONSOLES names."""

import os
from collections.abc import Iterator
from pathlib import Path

from sandbox.documents import BadDocument
from sandbox.registry import NameTaken, World, register
from sandbox.tasks import GOAL
from sandbox.worlds.web.spec import Console, load
from sandbox.worlds.web.tickets import FileTemplate

SHIPPED = Path(__file__).parent / "consoles"
VARIABLE = "BELAY_CONSOLES"  # files, or folders with folders of files, separated as in PATH


def files() -> Iterator[Path]:
    """Every file that describes a console."""
    yield from sorted(SHIPPED.glob("*/console.yaml"))
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        path = Path(name)
        yield from sorted(path.glob("*/console.yaml")) if path.is_dir() else [path]


def enter(console: Console) -> None:
    """Make a console known."""

    def world() -> World:
        from sandbox.worlds.web.world import WebConsole  # only who runs a console pays for it

        return WebConsole(console)

    told_in_chinese = any(each.phrases_zh for each in console.templates)
    templates = [FileTemplate(each, each.template(console.console)) for each in console.templates]
    register(console.environment, world, templates, dimensions=(GOAL,) if told_in_chinese else ())


for _file in files():
    try:
        enter(load(_file))
    except NameTaken as problem:
        raise BadDocument(_file, 1, f"console: {problem}") from None
