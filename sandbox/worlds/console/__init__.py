"""The simulated cloud console: declared once; world, pages, tasks, verifiers and oracles follow from it."""

from sandbox.registry import Simulator, World, register
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.tasks import ENVIRONMENT, TASKS
from sandbox.worlds.console.variant import DIMENSIONS


def _world() -> World:
    from sandbox.worlds.console.instance import ConsoleWorld  # only who runs a console pays for it

    return ConsoleWorld(ENVIRONMENT, CLOUD)


def _simulator() -> Simulator:
    from sandbox.worlds.console.simulator import ConsoleSimulator  # only who plays one pays for it

    return ConsoleSimulator()


register(ENVIRONMENT, _world, TASKS, simulator=_simulator, dimensions=DIMENSIONS)
