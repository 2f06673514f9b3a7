"""Consoles made from API documents: each declaration in the folders that BELAY_CONSOLES names is an environment."""

import os
from pathlib import Path

from sandbox.contracts.tasks import Task
from sandbox.worlds.console.openapi.convert import SUFFIX, load
from sandbox.worlds.console.openapi.tasks import register_console
from sandbox.worlds.console.world import World


def furnish(task: Task) -> World:
    """The world in which a task begins; whoever calls this here has the consoles registered."""
    from sandbox.worlds.console.furnish import furnish as furnished

    return furnished(task)


def _files() -> list[Path]:
    folders = [Path(each) for each in os.environ.get("BELAY_CONSOLES", "").split(os.pathsep) if each]
    return [file for folder in folders for file in sorted(folder.glob(f"*{SUFFIX}"))]


for _file in _files():
    register_console(load(_file))
