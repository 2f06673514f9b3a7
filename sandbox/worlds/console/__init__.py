"""The simulated cloud console: declared once; world, pages, tasks, verifiers and oracles follow from it."""

from sandbox.registry import World, register
from sandbox.worlds.console.tasks import ENVIRONMENT, TASKS


def _world() -> World:
    from sandbox.worlds.console.instance import ConsoleWorld  # only who runs a console pays for it

    return ConsoleWorld()


register(ENVIRONMENT, _world, TASKS)
