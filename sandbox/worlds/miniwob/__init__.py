"""MiniWoB++ in our Chromium: the public benchmark's pages, seeded, behind the contracts of every other world."""

from sandbox.registry import World, register
from sandbox.worlds.miniwob.tasks import ENVIRONMENT, TASKS


def _world() -> World:
    from sandbox.worlds.miniwob.world import MiniWob  # only who plays a page pays for it

    return MiniWob()


register(ENVIRONMENT, _world, TASKS)
