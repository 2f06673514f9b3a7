"""A small asyncio client of the Chrome DevTools Protocol with flat sessions."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Params = dict[str, Any]
Listener = Callable[[str, Params, str], None]  # method, params, session id

CALL_LIMIT_S = 15.0


class CdpError(RuntimeError):
    """The browser refused a call."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.message = message


class CdpTimeout(CdpError):
    """The browser did not answer in time."""


class CdpClosed(CdpError):
    """The browser is gone."""


class PageCrashed(CdpError):
    """The page's process died while it was asked."""


class _Message(msgspec.Struct):
    id: int = 0
    method: str = ""
    params: Params = {}
    result: Params = {}
    error: Params | None = None
    sessionId: str = ""


class Cdp:
    """One socket to one browser. `listen` hears every event; answers come back to `call`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._calls: dict[int, tuple[str, str, asyncio.Future[Params]]] = {}
        self._last_id = 0
        self._listeners: list[Listener] = []
        self._decoder = msgspec.json.Decoder(_Message)
        self._encoder = msgspec.json.Encoder()
        self._reader = asyncio.create_task(self._read(), name="cdp-reader")
        self.closed = asyncio.Event()

    @classmethod
    async def connect(cls, address: str, *, limit_s: float = 10.0) -> "Cdp":
        """Connect to a browser's DevTools address. Raises CdpClosed where nothing answers."""
        try:
            socket = await connect(
                address, compression=None, max_size=None, open_timeout=limit_s, ping_interval=None, proxy=None
            )
        except (OSError, TimeoutError, InvalidHandshake) as problem:
            raise CdpClosed("connect", str(problem)) from problem
        return cls(socket)

    def listen(self, listener: Listener) -> None:
        """Hear every event from now on; the listener must not block."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """Hear no more."""
        self._listeners.remove(listener)

    def send(self, method: str, params: Params | None = None, session: str = "") -> "asyncio.Future[Params]":
        """Put a call on the wire now, in the order of calling; the answer comes in the future."""
        self._last_id += 1
        message: Params = {"id": self._last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        future: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        # A caller that has given up leaves its future behind: its failure is no news to anyone.
        future.add_done_callback(_forgive)
        if self.closed.is_set():
            future.set_exception(CdpClosed(method, "the browser is gone"))
            return future
        self._calls[self._last_id] = (method, session, future)
        writing = asyncio.ensure_future(self._write(self._encoder.encode(message)))
        writing.add_done_callback(_forgive)
        return future

    async def call(
        self, method: str, params: Params | None = None, *, session: str = "", limit_s: float = CALL_LIMIT_S
    ) -> Params:
        """Call and wait for the answer. Raises CdpError, CdpTimeout or CdpClosed."""
        future = self.send(method, params, session)
        try:
            async with asyncio.timeout(limit_s):
                return await future
        except TimeoutError:
            raise CdpTimeout(method, f"no answer within {limit_s:g} s") from None

    def fail(self, session: str) -> None:
        """End every open call of a session whose page crashed: no answer will come."""
        for method, owner, future in self._calls.values():
            if owner == session and not future.done():
                future.set_exception(PageCrashed(method, "the page crashed"))

    async def close(self) -> None:
        """Let go of the browser; it runs on."""
        with suppress(ConnectionClosed):
            await self._socket.close()
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader
        self._gone()

    async def _write(self, data: bytes) -> None:
        with suppress(ConnectionClosed):  # the reader tells every caller
            await self._socket.send(data, text=True)

    async def _read(self) -> None:
        try:
            async for data in self._socket:
                self._take(self._decoder.decode(data))
        except ConnectionClosed:
            pass
        finally:
            self._gone()

    def _take(self, message: _Message) -> None:
        if not message.id:
            for listener in tuple(self._listeners):
                listener(message.method, message.params, message.sessionId)
            return
        method, _, future = self._calls.pop(message.id, ("", "", None))
        if future is None or future.done():
            return
        if message.error is not None:
            future.set_exception(CdpError(method, str(message.error.get("message", "refused"))))
        else:
            future.set_result(message.result)

    def _gone(self) -> None:
        self.closed.set()
        calls, self._calls = self._calls, {}
        for method, _, future in calls.values():
            if not future.done():
                future.set_exception(CdpClosed(method, "the browser is gone"))


def _forgive(future: "asyncio.Future[Any]") -> None:
    if not future.cancelled():
        future.exception()
