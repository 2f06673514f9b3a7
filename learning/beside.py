"""A player that gives tools other names now and then, in the learner's process or in one beside it."""

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from learning.acting import Acting
from learning.networks import sizes
from learning.segments import Met, Order, Segment, SegmentPlayer
from sandbox.contracts.observations import Element, Observation
from sandbox.episode import Turn
from sandbox.levels import Level
from sandbox.worlds.workbench.jobs import NAME

RENAMED = 0.1  # of the episodes have tools with names that nobody knows
_SYLLABLES = ("ba", "do", "fe", "gi", "ku", "la", "mo", "ne", "pi", "ru", "sa", "to", "vu", "xe", "zi")


@lru_cache(maxsize=4096)
def _names(level: Level) -> Callable[[str], str]:
    """What the tools are called in a level: as they are, or in words that nobody knows."""
    chance = random.Random(f"names:{level.seed}:{level.template}")  # noqa: S311  # not a secret
    if level.split != "train" or chance.random() >= RENAMED:
        return lambda name: name
    made: dict[str, str] = {}

    def name_of(name: str) -> str:
        if name not in made:
            made[name] = "".join(chance.choices(_SYLLABLES, k=2))
        return made[name]

    return name_of


def renamed(observation: Observation, level: Level) -> Observation:
    """The page of a level with its tools under the level's names."""
    name_of = _names(level)
    if name_of("") == "":
        return observation
    elements = tuple(
        msgspec.structs.replace(each, name=name_of(each.name), label=name_of(each.label) if each.label else "")
        if _is_tool(each)
        else each
        for each in observation.elements
    )
    return msgspec.structs.replace(observation, elements=elements)


def _is_tool(element: Element) -> bool:
    return element.group == "Tools" and element.role in ("button", "textbox") and element.name != "Operand"


class Player(SegmentPlayer):
    """Plays with tools under other names now and then, so that what a tool is shows in more than its name."""

    def seen(self, turn: Turn) -> Turn:
        """See SegmentPlayer."""
        return msgspec.structs.replace(turn, observation=renamed(turn.observation, turn.level))


def _serve(line: Connection, shape: dict[str, int]) -> None:
    """The other end of `_Beside`: plays what it is told until the line is closed."""
    player = Player(shape, (NAME,))
    with suppress(EOFError, BrokenPipeError):  # the learner has closed the line
        while True:
            version, weights, order = line.recv()
            player.take_weights(version, weights)
            line.send(player.play(order))


class Beside:
    """A player in a process of its own that plays on while the learner learns: its policy is one update old."""

    def __init__(self, network: Acting) -> None:
        context = get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, sizes(network.policy.shape)), daemon=True)
        self._process.start()
        other.close()
        self._underway = False

    def ask(self, version: int, weights: Mapping[str, Any], order: Order) -> tuple[list[Segment], dict[str, Met]]:
        """Take what was asked for before, and only then ask for more: two full pipes would wait for each other."""
        if not self._underway:
            self._line.send((version, weights, msgspec.structs.replace(order, seed=(*order.seed, 1))))
        played: tuple[list[Segment], dict[str, Met]] = self._line.recv()
        self._line.send((version, weights, order))
        self._underway = True
        return played

    def fetch(self, ticket: tuple[list[Segment], dict[str, Met]]) -> tuple[list[Segment], dict[str, Met]]:
        """See collecting: it is there already."""
        return ticket

    @property
    def pid(self) -> int:
        """Of the process that plays."""
        return self._process.pid or 0

    def close(self) -> None:
        """End the process; safe to repeat."""
        self._line.close()
        self._process.terminate()
        self._process.join()


class Here:
    """A player in this process: the same seed gives the same weights, also gone on from a checkpoint."""

    def __init__(self, network: Acting) -> None:
        self._player = Player(sizes(network.policy.shape), (NAME,))

    def ask(self, version: int, weights: Mapping[str, Any], order: Order) -> Order:
        """See collecting."""
        self._player.take_weights(version, weights)
        return order

    def fetch(self, ticket: Order) -> tuple[list[Segment], dict[str, Met]]:
        """See collecting."""
        return self._player.play(ticket)

    @property
    def pid(self) -> int:
        """Of this process."""
        return self._player.pid()

    def close(self) -> None:
        """Nothing is held."""
