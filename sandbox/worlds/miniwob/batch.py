"""Many MiniWoB++ tasks as frames of one page, stepped together by one call."""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sandbox import leftovers
from sandbox.browser import observe as observing
from sandbox.browser.page import Page
from sandbox.contracts.actions import Action, ActOutcome
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Goal
from sandbox.worlds.miniwob.tasks import goal
from sandbox.worlds.miniwob.world import MiniWob

T = TypeVar("T")

ACROSS, WIDTH, HEIGHT = 8, 160, 210  # frames in a row, and CSS pixels of one


class Begin(Struct, frozen=True):
    """Start a frame's task anew, drawn from another seed."""

    seed: int


class Frame(Struct, frozen=True):
    """One task after a step. `raw` is the reward without time decay, 0 before the end; refs are the frame's own."""

    observation: Observation
    outcome: ActOutcome
    done: bool
    raw: float
    goal: Goal


class _Told(Struct, frozen=True):
    outcome: ActOutcome
    changed: tuple[tuple[int, str, tuple[str, ...]], ...] = ()  # index, value, states: all else is as it was
    seen: observing.Seen | None = None
    done: bool = False
    raw: float = 0.0
    utterance: str = ""
    fields: str = "{}"


_decoder = msgspec.json.Decoder(tuple[_Told, ...])


class Batch:
    """N tasks in one browser. Actions are done by the page's own events, not by trusted input: for learning and
    search, while what counts is judged by `sandbox.env.Gym`. Not for several threads; `close` ends what it started.
    """

    def __init__(self, tasks: Sequence[tuple[str, int]]) -> None:
        """`tasks` are page names with their first seeds, one frame each."""
        self._loop = asyncio.new_event_loop()
        self._world = MiniWob()
        self._page: Page | None = None
        self._folder = leftovers.owned_folder()
        self._count = len(tasks)
        self._last: tuple[Frame, ...] = ()  # what the page's own news build on; empty where nobody knows
        try:
            self._loop.run_until_complete(self._open(tasks))
        except BaseException:
            self.close()
            raise

    @property
    def page(self) -> Page:
        """The page that holds the frames."""
        if self._page is None:
            raise RuntimeError("the batch is closed")
        return self._page

    def look(self) -> tuple[Frame, ...]:
        """All frames as they are."""
        return self.step([None] * self._count)

    def step(self, steps: Sequence[Action | Begin | None]) -> tuple[Frame, ...]:
        """One action, fresh start or nothing (None) for each frame; all frames after it. Raises ValueError."""
        if len(steps) != self._count:
            raise ValueError(f"{self._count} frames take {self._count} steps, not {len(steps)}")
        return self.run(self._step(steps))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run something async of the page in the batch's own loop."""
        return self._loop.run_until_complete(coroutine)

    def close(self) -> None:
        """End browser and world; safe to repeat."""
        if self._loop.is_closed():
            return
        page, self._page = self._page, None
        if page is not None:
            self._loop.run_until_complete(page.close())
        self._loop.run_until_complete(self._world.stop())
        self._loop.run_until_complete(leftovers.clear_away(self._folder))
        self._loop.close()

    async def _open(self, tasks: Sequence[tuple[str, int]]) -> None:
        await self._world.start(self._folder / "world")
        viewport = (ACROSS * WIDTH, -(-len(tasks) // ACROSS) * HEIGHT)
        self._page = await Page.launch(allow=self._world.allow, viewport=viewport, noted_in=Path(self._folder))
        asked = ",".join(f"{name}:{seed}" for name, seed in tasks)
        await self._page.goto(f"{self._world.origin}/frames.html?{asked}", limit_s=180.0)

    async def _step(self, steps: Sequence[Action | Begin | None]) -> tuple[Frame, ...]:
        last, self._last = self._last, ()
        asked = f"belay.batch({_encoded(steps)}, {json.dumps(not last)})"
        told = _decoder.decode(await self.page.tab.ask(asked, limit_s=60.0))
        befores = last or (None,) * self._count
        self._last = tuple(_frame(each, before) for each, before in zip(told, befores, strict=True))
        return self._last


def _encoded(steps: Sequence[Action | Begin | None]) -> str:
    asked = [
        None
        if step is None
        else {"seed": step.seed}
        if isinstance(step, Begin)
        else {"action": msgspec.to_builtins(step)}
        for step in steps
    ]
    return json.dumps(asked)


def _frame(told: _Told, before: Frame | None) -> Frame:
    if told.seen is not None:
        fields = msgspec.json.decode(told.fields, type=dict[str, str])
        seen = observing.observation(told.seen, pending=0)
        return Frame(seen, told.outcome, told.done, told.raw, goal(told.utterance, fields))
    if before is None:
        raise RuntimeError("a frame told only what changed, and nobody knows since when")
    elements = list(before.observation.elements)
    for index, value, states in told.changed:
        elements[index] = replace(elements[index], value=value, states=states)
    seen = observing.changed(before.observation, tuple(elements)) if told.changed else before.observation
    return replace(before, observation=seen, outcome=told.outcome)
