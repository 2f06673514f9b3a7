"""Consoles made from API documents: each declaration in the folders that BELAY_CONSOLES names is an environment."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.contracts.tasks import Task

if TYPE_CHECKING:
    from sandbox.worlds.console.world import World


def furnish(task: Task) -> "World":
    """The world in which a task begins; whoever calls this here has the consoles registered."""
    from sandbox.worlds.console.furnish import furnish as furnished  # only who runs one pays for it

    return furnished(task)


def _register() -> None:
    folders = [Path(each) for each in os.environ.get("BELAY_CONSOLES", "").split(os.pathsep) if each]
    for file in [file for folder in folders for file in sorted(folder.glob("*.console.json"))]:
        from sandbox.worlds.console.openapi.convert import load  # only who has such consoles pays for them
        from sandbox.worlds.console.openapi.tasks import register_console

        register_console(load(file))


_register()
