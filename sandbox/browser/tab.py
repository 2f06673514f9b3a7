"""One page of a browser over CDP: its events, its scripts, and when it has come to rest."""

import asyncio
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from sandbox.browser.cdp import Cdp, CdpClosed, CdpError, CdpTimeout, PageCrashed, Params
from sandbox.browser.injected import WORLD, script

QUIET_MS = 20
SETTLE_LIMIT_S = 5.0
LOAD_LIMIT_S = 15.0
DOWNLOAD_NEWS_S = 0.5
# Nobody waits for these: they never end, or change nothing that can be read.
_UNAWAITED = frozenset({"EventSource", "WebSocket", "Image", "Font", "Media", "Ping", "Prefetch", "Manifest"})


class Happened:
    """What went on in the page since the last action began."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.windows: list[str] = []
        self.downloads: list[str] = []
        self.failed_document = ""
        self.awaits = False  # something was asked for whose answer may change the page
        self.dropped_document = False  # asked for, then not shown: a download, or nothing to show
        self.crashed = False


class Tab:
    """One page target, attached with a flat session."""

    def __init__(self, cdp: Cdp, target: str, session: str) -> None:
        self.cdp = cdp
        self.target = target
        self.session = session
        self.happened = Happened()
        self.agrees = False  # whether a person at the wheel said OK to the native dialog that comes
        self.last_url = "about:blank"
        self.moved = asyncio.Event()  # set at each event that can end a wait
        # Our worlds in the page, the oldest first: after a host's death that is the dead host's, which knows the refs
        # it gave. A page that is being replaced may show its new world before the old one is gone.
        self._contexts: list[str] = []
        self._waiting: dict[str, str] = {}  # request id -> "METHOD host/path"
        self._endless: set[str] = set()  # requests that once outlived a wait
        self._loading = False
        self._handlers = {
            "Runtime.executionContextCreated": self._on_context,
            "Runtime.executionContextDestroyed": self._on_context_destroyed,
            "Runtime.executionContextsCleared": self._on_contexts_cleared,
            "Network.requestWillBeSent": self._on_request,
            "Network.loadingFinished": self._on_request_done,
            "Network.loadingFailed": self._on_request_failed,
            "Page.frameStartedLoading": self._on_loading,
            "Page.frameStoppedLoading": self._on_loaded,
            "Page.frameNavigated": self._on_navigated,
            "Page.javascriptDialogOpening": self._on_dialog,
            "Page.windowOpen": self._on_window,
            "Inspector.targetCrashed": self._on_crash,
            "Browser.downloadWillBegin": self._on_download,
        }
        cdp.listen(self._hear)

    @classmethod
    async def attach(cls, cdp: Cdp, target: str, viewport: tuple[int, int]) -> "Tab":
        """Attach to a page, with everything switched on that the rest relies on."""
        session = (await cdp.call("Target.attachToTarget", {"targetId": target, "flatten": True}))["sessionId"]
        tab = cls(cdp, target, session)
        await cdp.call("Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": True})
        await cdp.call("Target.setDiscoverTargets", {"discover": True})
        width, height = viewport
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        calls = [
            cdp.send(method, params, session)
            for method, params in (
                ("Page.enable", {}),
                ("Runtime.enable", {}),
                ("Network.enable", {}),
                ("Inspector.enable", {}),
                ("Emulation.setDeviceMetricsOverride", metrics),
                ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
                ("Page.setInterceptFileChooserDialog", {"enabled": True}),
                (
                    "Page.addScriptToEvaluateOnNewDocument",
                    {"source": script(), "worldName": WORLD, "runImmediately": True},
                ),
            )
        ]
        async with asyncio.timeout(LOAD_LIMIT_S):
            await asyncio.gather(*calls)
        return tab

    async def call(self, method: str, params: Params | None = None, *, limit_s: float = 15.0) -> Params:
        """A CDP call to this page."""
        return await self.cdp.call(method, params, session=self.session, limit_s=limit_s)

    def send(self, method: str, params: Params | None = None) -> "asyncio.Future[Params]":
        """A CDP call to this page, in order, not waited for."""
        return self.cdp.send(method, params, self.session)

    @property
    def pending(self) -> int:
        """Requests on their way that somebody waits for."""
        return sum(what not in self._endless for what in self._waiting.values())

    @property
    def is_busy(self) -> bool:
        """Whether the page is on its way somewhere."""
        return self._loading or self.pending > 0

    async def ask(self, expression: str, *, limit_s: float = 10.0) -> Any:
        """Evaluate in our own world of the page; a page that is being replaced is waited for."""
        deadline = time.monotonic() + limit_s
        while True:
            context = await self._world(deadline)
            try:
                return await self._evaluate(expression, {"uniqueContextId": context}, deadline)
            except PageCrashed:
                raise
            except CdpError as refusal:
                if isinstance(refusal, CdpTimeout) or not _lost_its_page(refusal.message):
                    raise
                if time.monotonic() > deadline:
                    raise CdpTimeout("Runtime.evaluate", "the page was replaced again and again") from refusal
                self._forget(context)

    async def evaluate(self, expression: str, *, limit_s: float = 10.0) -> Any:
        """Evaluate in the page's own world; a promise is awaited. Raises CdpError for what the script throws."""
        return await self._evaluate(expression, {}, time.monotonic() + limit_s)

    async def settle(self, *, limit_s: float = SETTLE_LIMIT_S) -> bool:
        """Wait until nothing that was begun is on its way; False where the limit came first.

        An idle page costs one round trip: its answer comes after the events of all that the last input caused.
        """
        started = time.monotonic()
        with suppress(CdpError):
            await self.ask("belay.turn()", limit_s=limit_s)
        # An answer that came already may still be on its way into the page.
        if self.happened.awaits and not self.is_busy and not await self._rest(limit_s):
            return False
        while self.is_busy:
            left = (max(LOAD_LIMIT_S, limit_s) if self._loading else limit_s) - (time.monotonic() - started)
            if left <= 0:
                self._endless.update(self._waiting.values())
                return False
            self.moved.clear()
            try:
                async with asyncio.timeout(left):
                    await self.moved.wait()
            except TimeoutError:
                continue
            if not self.is_busy and not await self._rest(limit_s - (time.monotonic() - started)):
                return False
        return True

    async def download(self) -> str:
        """The name of the file that a dropped document turned out to be, or ""; its news come late."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DOWNLOAD_NEWS_S):
                while not self.happened.downloads:
                    self.moved.clear()
                    await self.moved.wait()
        return self.happened.downloads[-1] if self.happened.downloads else ""

    async def _rest(self, left_s: float) -> bool:
        limit_ms = int(max(left_s, 0.2) * 1000)
        try:
            return bool(await self.ask(f"belay.rest({QUIET_MS}, {limit_ms})", limit_s=limit_ms / 1000 + 2))
        except CdpTimeout:
            return False

    async def _world(self, deadline: float) -> str:
        while not self._contexts:
            self.moved.clear()
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    await self.moved.wait()
            except TimeoutError:
                raise CdpTimeout("Runtime.evaluate", "the page has not come up") from None
            if self.happened.crashed:
                raise PageCrashed("Runtime.evaluate", "the page crashed")
            if self.cdp.closed.is_set():
                raise CdpClosed("Runtime.evaluate", "the browser is gone")
        return self._contexts[0]

    def _forget(self, context: str) -> None:
        if context in self._contexts:
            self._contexts.remove(context)

    async def _evaluate(self, expression: str, where: Params, deadline: float) -> Any:
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True, **where}
        answer = await self.call("Runtime.evaluate", params, limit_s=max(0.1, deadline - time.monotonic()))
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            thrown = details.get("exception", {}).get("description") or details.get("text", "")
            raise CdpError("Runtime.evaluate", thrown)
        return answer["result"].get("value")

    def _hear(self, method: str, params: Params, session: str) -> None:
        if session not in ("", self.session):
            return
        handler = self._handlers.get(method)
        if handler is not None:
            handler(params)
            self.moved.set()

    def _on_context(self, params: Params) -> None:
        context = params["context"]
        data = context.get("auxData", {})
        if context["name"] == WORLD and data.get("frameId") == self.target:
            self._forget(context["uniqueId"])
            self._contexts.append(context["uniqueId"])

    def _on_context_destroyed(self, params: Params) -> None:
        self._forget(params.get("executionContextUniqueId", ""))

    def _on_contexts_cleared(self, _: Params) -> None:
        self._contexts.clear()

    def _on_request(self, params: Params) -> None:
        address = urlsplit(params["request"]["url"])
        if address.scheme not in ("http", "https"):
            return
        what = f"{params['request']['method']} {address.path}"
        self.happened.requests.append(what)
        if params.get("type") not in _UNAWAITED:
            self._waiting[params["requestId"]] = f"{what} {address.netloc}"
            self.happened.awaits = True

    def _on_request_done(self, params: Params) -> None:
        self._waiting.pop(params["requestId"], None)

    def _on_request_failed(self, params: Params) -> None:
        self._waiting.pop(params["requestId"], None)
        if params.get("type") == "Document":
            if params.get("canceled"):
                self.happened.dropped_document = True
            else:
                self.happened.failed_document = params.get("errorText", "failed")

    def _on_loading(self, params: Params) -> None:
        if params["frameId"] == self.target:
            self._loading = True

    def _on_loaded(self, params: Params) -> None:
        if params["frameId"] == self.target:
            self._loading = False

    def _on_navigated(self, params: Params) -> None:
        frame = params["frame"]
        if "parentId" in frame:
            return
        self._waiting.clear()  # the requests of the page that was left
        if not frame.get("unreachableUrl") and frame["url"].startswith("http"):
            self.last_url = frame["url"]

    def _on_dialog(self, params: Params) -> None:
        # A person has been asked already, by the approval: leaving is meant, anything else is not ours to confirm.
        accept = self.agrees or params["type"] == "beforeunload"
        if not accept:
            self.happened.dialogs.append(f"{params['type']}: {params['message'][:200]}")
        self.send("Page.handleJavaScriptDialog", {"accept": accept})

    def _on_window(self, params: Params) -> None:
        self.happened.windows.append(params["url"])

    def _on_crash(self, _: Params) -> None:
        self.happened.crashed = True
        self._contexts.clear()
        self._waiting.clear()
        self._loading = False
        self.cdp.fail(self.session)

    def _on_download(self, params: Params) -> None:
        self.happened.downloads.append(params.get("suggestedFilename", ""))
        self._loading = False


def _lost_its_page(message: str) -> bool:
    return any(word in message.lower() for word in ("context", "navigated", "inspected target"))
