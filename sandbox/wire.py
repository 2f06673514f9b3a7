"""A small HTTP/1.1 server on asyncio streams: enough for the pages of our own worlds, with connections kept alive."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Struct

MAX_BODY_BYTES = 8 * 1024 * 1024


class Request(Struct, frozen=True):
    """One request, read whole."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def cookies(self) -> dict[str, str]:
        """Cookies by name."""
        pairs = (part.strip().partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name: value for name, _, value in pairs}


class Response(Struct, frozen=True):
    """One answer."""

    status: HTTPStatus
    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0  # the server takes its time


Handler = Callable[[Request], Response]


def json_response(value: object, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """An answer in JSON."""
    return Response(status, msgspec.json.encode(value), "application/json")


async def listen(handler: Handler) -> asyncio.Server:
    """Serve on a free port of the loopback address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            while (request := await _read(reader)) is not None:
                response = handler(request)
                if response.delay_s:
                    await asyncio.sleep(response.delay_s)
                writer.write(_encode(response))
                await writer.drain()
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


def port_of(server: asyncio.Server) -> int:
    """The port that a server got."""
    port: int = server.sockets[0].getsockname()[1]
    return port


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as end:
        if not end.partial:
            return None
        raise
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    if not 0 <= length <= MAX_BODY_BYTES:
        raise ValueError(f"a body of {length} bytes")
    address = urlsplit(target)  # absolute where a proxy stands between
    query = dict(parse_qsl(address.query, keep_blank_values=True))
    return Request(method, address.path or "/", query, headers, await reader.readexactly(length))


def _encode(response: Response) -> bytes:
    lines = [
        f"HTTP/1.1 {response.status.value} {response.status.phrase}",
        f"Content-Type: {response.type}",
        f"Content-Length: {len(response.body)}",
        "Cache-Control: no-store",
        *(f"{name}: {value}" for name, value in response.headers),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + response.body
