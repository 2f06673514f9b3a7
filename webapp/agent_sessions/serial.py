"""A live session that its driver and its viewers share: one call at a time reaches the browser."""

import asyncio
from collections.abc import Awaitable, Callable

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.takeover import HandEvent
from sandbox.contracts.tasks import Risk, Verification
from sandbox.sessions import LiveSession


class Serial:
    """The LiveSession of the door, behind a lock."""

    def __init__(self, live: LiveSession) -> None:
        self.handle = live.handle
        self._live = live
        self._lock = asyncio.Lock()

    async def observe(self) -> Observation:
        async with self._lock:
            return await self._live.observe()

    async def act(self, action: Action, *, permit: Risk) -> ActResult:
        async with self._lock:
            return await self._live.act(action, permit=permit)

    def risk(self, action: Action, observation: Observation) -> Risk:
        return self._live.risk(action, observation)

    async def picture(self) -> bytes:
        async with self._lock:
            return await self._live.picture()

    async def watch(self, on_frame: Callable[[bytes], Awaitable[None]]) -> None:
        async with self._lock:
            await self._live.watch(on_frame)

    async def unwatch(self) -> None:
        async with self._lock:
            await self._live.unwatch()

    async def hand(self, event: HandEvent, *, permit: Risk = Risk.UNKNOWN) -> Action | None:
        async with self._lock:
            return await self._live.hand(event, permit=permit)

    def held_back(self) -> str:
        return self._live.held_back()

    def dialog(self) -> str:
        return self._live.dialog()

    async def flush_hand(self) -> Action | None:
        async with self._lock:
            return await self._live.flush_hand()

    async def verify(self, answer: str) -> Verification:
        async with self._lock:
            return await self._live.verify(answer)

    async def close(self) -> None:
        async with self._lock:
            await self._live.close()
