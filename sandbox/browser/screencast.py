"""The live picture of a page: JPEG frames on change, the latest one wins."""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from sandbox.browser.cdp import CdpError, Params
from sandbox.browser.tab import Tab

QUALITY = 60
FRAMES_PER_S = 15.0


class Screencast:
    """Takes frames as they come and hands on the newest; Chromium is held back by late acknowledgement."""

    def __init__(self, tab: Tab, on_frame: Callable[[bytes], Awaitable[None]]) -> None:
        self._tab = tab
        self._on_frame = on_frame
        self._latest: Params | None = None
        self._came = asyncio.Event()
        self._stopped = False
        self._task = asyncio.create_task(self._hand_on(), name="screencast")
        tab.cdp.listen(self._hear)

    @classmethod
    async def start(cls, tab: Tab, on_frame: Callable[[bytes], Awaitable[None]]) -> "Screencast":
        """Begin; the first frame comes at once."""
        screencast = cls(tab, on_frame)
        await tab.call("Page.startScreencast", {"format": "jpeg", "quality": QUALITY, "everyNthFrame": 1})
        return screencast

    async def stop(self) -> None:
        """End; no frame is handed on afterwards."""
        self._stopped = True
        self._tab.cdp.unlisten(self._hear)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        with suppress(CdpError):
            await self._tab.call("Page.stopScreencast")

    def _hear(self, method: str, params: Params, session: str) -> None:
        if method != "Page.screencastFrame" or session != self._tab.session:
            return
        if self._latest is not None:
            self._acknowledge(self._latest)  # overtaken, never shown
        self._latest = params
        self._came.set()

    async def _hand_on(self) -> None:
        while not self._stopped:
            await self._came.wait()
            self._came.clear()
            frame, self._latest = self._latest, None
            if frame is None:
                continue
            begun = time.monotonic()
            await self._on_frame(base64.b64decode(frame["data"]))
            self._acknowledge(frame)
            # A pace, not a wait for something: an animated page must not take a whole core.
            await asyncio.sleep(max(0.0, 1 / FRAMES_PER_S - (time.monotonic() - begun)))

    def _acknowledge(self, frame: Params) -> None:
        self._tab.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})
