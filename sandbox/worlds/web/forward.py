"""A console that speaks https, at a plain port of this machine: `python -m sandbox.worlds.web.forward URL PORT`.

The egress proxy of a session judges each request by what it says, and what is encrypted it cannot read. This stands
behind it: the browser speaks http to it, and it speaks https to the one console, whose certificate it checks.
"""

import argparse
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import httpx
import uvicorn

HOST = "127.0.0.1"
LIMIT_S = 60.0
_HOP = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade")
)
# What only makes sense for https, or for the console's own name.
_COOKIE = re.compile(rb"; *(?:secure|domain=[^;]*|samesite=none|partitioned)(?=;|$)", re.IGNORECASE)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class Forward:
    """The application of the port. WebSockets are refused."""

    def __init__(self, url: str, *, authority: str = "") -> None:
        parts = urlsplit(url)
        self._there = f"{parts.scheme}://{parts.netloc}"
        verify = ssl.create_default_context(cafile=authority or None)
        self._client = httpx.AsyncClient(verify=verify, timeout=LIMIT_S, trust_env=False, follow_redirects=False)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, passed on as it is but for names of hosts."""
        if scope["type"] == "http":
            await self._pass_on(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1011})

    async def _pass_on(self, scope: Message, receive: Receive, send: Send) -> None:
        here = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
        target = scope["raw_path"].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        headers = [
            (name, value.replace(f"http://{here}".encode(), self._there.encode()))
            for name, value in scope["headers"]
            if name not in _HOP and name != b"host"
        ]
        has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])
        request = self._client.build_request(
            scope["method"],
            f"{self._there}{target}{'?' if query else ''}{query}",
            headers=headers,
            content=_body(receive) if has_body else None,
        )
        try:
            answer = await self._client.send(request, stream=True)
        except httpx.TransportError as problem:
            await _say(send, 502, [(b"content-type", b"text/plain; charset=utf-8")])
            text = f"{self._there} does not answer: {problem or type(problem).__name__}"
            await send({"type": "http.response.body", "body": text.encode()})
            return
        try:
            await _say(send, answer.status_code, self._told(answer.headers.raw, here))
            async for chunk in answer.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await answer.aclose()

    def _told(self, headers: Headers, here: str) -> Headers:
        """The console's headers as the browser has to hear them."""
        told: Headers = []
        for name, value in headers:
            match name.lower():
                case b"location":
                    value = value.replace(self._there.encode(), f"http://{here}".encode(), 1)
                case b"set-cookie":
                    value = _COOKIE.sub(b"", value)
                case b"strict-transport-security":
                    continue
            if name.lower() not in _HOP:
                told.append((name.lower(), value))
        return told


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        yield message.get("body", b"")


async def _say(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.worlds.web.forward")
    parser.add_argument("url", help="the console, such as https://console.example")
    parser.add_argument("port", type=int, help="the port of this machine")
    parser.add_argument("--authority", default="", help="a file with the certificate of an authority of your own")
    given = parser.parse_args()
    if not given.url.startswith("https://"):
        parser.error(f"expected an address that begins with https://, found {given.url}")
    app = Forward(given.url, authority=given.authority)
    uvicorn.run(app, host=HOST, port=given.port, lifespan="off", log_level="warning", server_header=False)


if __name__ == "__main__":
    main()
