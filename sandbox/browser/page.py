"""One Chromium with one page: launch, observe, act, look, let go."""

import asyncio
import base64
import json
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from sandbox.browser import act as acting
from sandbox.browser import launch as launching
from sandbox.browser import observe as observing
from sandbox.browser.cdp import Cdp, CdpClosed, CdpError, CdpTimeout, PageCrashed, Params
from sandbox.browser.launch import Browser
from sandbox.browser.screencast import Screencast
from sandbox.browser.tab import Happened, Tab
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish, GiveUp, Wait
from sandbox.contracts.observations import Observation

JPEG_QUALITY = 60
FRESH_S = 0.5  # for so long the last look counts as the state before an action


class PageError(RuntimeError):
    """The page could not be brought where it was wanted."""


class Page:
    """The one page of one browser. `launch` starts a browser, `attach` finds one again."""

    def __init__(self, browser: Browser, cdp: Cdp, tab: Tab, allow: Collection[str] | None) -> None:
        self.browser = browser
        self.tab = tab
        self.allow = None if allow is None else frozenset(allow)
        self._cdp = cdp
        self._screencast: Screencast | None = None
        self._secrets: list[str] = []
        self._effect = ""
        self._looked_at = float("-inf")
        self._after: observing.Seen | None = None  # the look that told what the last action did
        self._closing: set[asyncio.Future[Params]] = set()
        cdp.listen(self._on_target)

    @classmethod
    async def launch(
        cls,
        *,
        proxy: str = "",
        allow: Collection[str] | None = None,
        viewport: tuple[int, int] = (1280, 720),
        noted_in: Path | None = None,
    ) -> "Page":
        """Start a browser of its own. `allow` ("host:port") bounds Navigate and new tabs; the proxy bounds the rest."""
        browser = await launching.launch(proxy=proxy, viewport=viewport, noted_in=noted_in)
        try:
            return await cls.attach(browser, allow=allow, viewport=viewport)
        except BaseException:
            await launching.end(browser)
            raise

    @classmethod
    async def attach(
        cls, browser: Browser, *, allow: Collection[str] | None = None, viewport: tuple[int, int] = (1280, 720)
    ) -> "Page":
        """Take hold of the browser's page as it is. Raises CdpClosed where the browser is gone."""
        cdp = await Cdp.connect(browser.socket)
        try:
            targets = (await cdp.call("Target.getTargets"))["targetInfos"]
            pages = [target["targetId"] for target in targets if target["type"] == "page"]
            if not pages:
                pages = [(await cdp.call("Target.createTarget", {"url": "about:blank"}))["targetId"]]
            # The list is newest first; the first page ever opened is ours, later ones are strays.
            tab = await Tab.attach(cdp, pages[-1], viewport)
        except BaseException:
            await cdp.close()
            raise
        page = cls(browser, cdp, tab, allow)
        for stray in pages[:-1]:
            page._close_target(stray)
        return page

    async def goto(self, url: str, *, limit_s: float = 15.0) -> None:
        """Load an address and wait until it has settled. Raises PageError."""
        outcome, detail = await acting.go(self.tab, url)
        if outcome is not ActOutcome.DONE:
            raise PageError(f"{url}: {detail}")
        if not await self.tab.settle(limit_s=limit_s):
            raise PageError(f"{url} did not settle within {limit_s:g} s")

    async def evaluate(self, script: str, *, limit_s: float = 10.0) -> Any:
        """Evaluate in the page's own world. For worlds and tests; policies have no way here."""
        return await self.tab.evaluate(script, limit_s=limit_s)

    async def keep_secret(self, *values: str) -> None:
        """Never show these values in observations or pictures."""
        self._secrets += values
        # In every document to come, and in this one.
        source = f"globalThis.belay?.keep({json.dumps(self._secrets)})"
        await self.tab.call(
            "Page.addScriptToEvaluateOnNewDocument", {"source": source, "worldName": "belay", "runImmediately": True}
        )
        await self.tab.ask(f"belay.keep({json.dumps(self._secrets)})")

    async def observe(self) -> Observation:
        """The page as it is now, once what it was doing is done or has taken too long."""
        if self.tab.is_busy:
            await self.tab.settle()
        seen = await self._look()
        return observing.observation(seen, pending=self.tab.pending)

    async def picture(self) -> bytes:
        """The viewport as masked JPEG."""
        await self.tab.ask("belay.maskAll()")
        answer = await self.tab.call(
            "Page.captureScreenshot", {"format": "jpeg", "quality": JPEG_QUALITY, "optimizeForSpeed": True}
        )
        return base64.b64decode(answer["data"])

    async def watch(self, on_frame: Callable[[bytes], Awaitable[None]]) -> None:
        """Send masked JPEG frames whenever the page changes, the latest first; replaces an earlier watcher."""
        await self.unwatch()
        await self.tab.ask("belay.maskAll()")
        self._screencast = await Screencast.start(self.tab, on_frame)

    async def unwatch(self) -> None:
        """Stop sending frames."""
        if self._screencast is not None:
            screencast, self._screencast = self._screencast, None
            await screencast.stop()

    async def act(self, action: Action) -> ActResult:
        """Do one action and wait until its effect can be seen. Raises CdpClosed when the browser is gone."""
        started = time.perf_counter()
        self.tab.happened = happened = Happened()
        self._after = None
        try:
            outcome, detail = await self._act(action, happened)
        except PageCrashed:
            outcome, detail = await self._reload()
        except CdpTimeout as late:
            outcome, detail = ActOutcome.TIMED_OUT, late.message
        elapsed_ms = (time.perf_counter() - started) * 1000
        return ActResult(outcome, detail, tuple(dict.fromkeys(happened.requests))[:50], round(elapsed_ms, 2))

    async def step(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action, as `act` does; with it the page after it, for which nobody has to look again."""
        result = await self.act(action)
        if self._after is None or self.tab.is_busy:
            return result, await self.observe()
        return result, observing.observation(self._after, pending=self.tab.pending)

    async def _act(self, action: Action, happened: Happened) -> acting.Did:
        if isinstance(action, Finish | GiveUp):
            return ActOutcome.DONE, ""
        fresh = time.monotonic() - self._looked_at < FRESH_S
        before = self._effect if fresh else (await self._look(again=False)).effect
        outcome, detail = await acting.dispatch(self.tab, action, allow=self.allow)
        settled = await self.tab.settle()
        if happened.windows:
            return await self._adopt(happened.windows[-1])
        if happened.crashed:
            return await self._reload()
        if happened.downloads or (happened.dropped_document and await self.tab.download()):
            return ActOutcome.DOWNLOAD, f"{happened.downloads[-1]} was refused"
        if happened.dialogs:
            return ActOutcome.NATIVE_DIALOG, happened.dialogs[-1]
        if happened.failed_document:
            return await self._back(happened.failed_document)
        if outcome is not ActOutcome.DONE:
            return outcome, detail
        if not settled:
            return ActOutcome.TIMED_OUT, f"{self.tab.pending or 'a'} request(s) still on their way"
        if isinstance(action, Wait):
            return outcome, detail
        self._after = await self._look()
        if self._after.effect == before and not happened.requests:
            return ActOutcome.NO_EFFECT, "nothing changed"
        return outcome, detail

    async def _look(self, *, again: bool = True) -> observing.Seen:
        try:
            seen = observing.read(await self.tab.ask("belay.lookWhole()"))
        except PageCrashed:
            if not again:
                raise
            await self._reload()
            seen = observing.read(await self.tab.ask("belay.lookWhole()"))
        self._effect, self._looked_at = seen.effect, time.monotonic()
        return seen

    async def _adopt(self, url: str) -> acting.Did:
        """A second tab is never kept: its address is loaded here, where it may be."""
        if not acting.is_allowed(url, self.allow):
            return ActOutcome.NEW_TAB, f"{url[:80] or 'an empty tab'} was closed"
        await acting.go(self.tab, url)
        await self.tab.settle()
        return ActOutcome.NEW_TAB, "opened in this tab"

    async def _back(self, problem: str) -> acting.Did:
        """A document that could not be loaded is left again."""
        with suppress(CdpError):
            await acting.go(self.tab, self.tab.last_url)
            await self.tab.settle()
        return ActOutcome.BLOCKED_NAVIGATION, problem

    async def _reload(self) -> acting.Did:
        self.tab.happened = Happened()
        await acting.go(self.tab, self.tab.last_url)
        await self.tab.settle()
        return ActOutcome.CRASHED, "the page was loaded again"

    def _on_target(self, method: str, params: Params, _: str) -> None:
        if method == "Target.targetCreated":
            info = params["targetInfo"]
            if info["type"] == "page" and info["targetId"] != self.tab.target:
                self._close_target(info["targetId"])

    def _close_target(self, target: str) -> None:
        future = self._cdp.send("Target.closeTarget", {"targetId": target})
        self._closing.add(future)
        future.add_done_callback(self._closing.discard)

    async def let_go(self) -> None:
        """Disconnect; the browser runs on."""
        with suppress(CdpClosed, CdpError):
            await self.unwatch()
        await self._cdp.close()

    async def close(self) -> None:
        """End the browser and remove its folder; safe to repeat."""
        await self.let_go()
        await launching.end(self.browser)
