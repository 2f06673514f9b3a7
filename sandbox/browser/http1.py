"""As much of HTTP/1.1 as the egress proxy needs, and strict about it."""

import asyncio
import posixpath
import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sandbox.browser.pipes import CHUNK, one_way

HEAD_LIMIT = 64 * 1024  # bytes, asyncio's own limit of a line
_HOP = {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade", "trailer"}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PHRASES = {204: "No Content", 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway"}


class BadRequest(ValueError):
    """This is not a request that can be judged."""


@dataclass(frozen=True)
class Request:
    """The head of one request. `host` is "host:port", `target` path and query."""

    method: str
    host: str
    target: str
    headers: dict[str, str]  # by lower-case name
    raw: bytes  # header lines to pass on, without those between us and the browser

    @property
    def path(self) -> str:
        """The path without its query."""
        return self.target.partition("?")[0]

    @property
    def plain_target(self) -> str:
        """The target spelled the way a server may understand it: no needless escapes, no dot segments."""
        path, mark, query = self.target.partition("?")
        path = re.sub(r"%([0-9A-Fa-f]{2})", _unescaped, path)
        plain = re.sub("/{2,}", "/", posixpath.normpath(path)) if path.startswith("/") else path
        return plain + ("/" if path.endswith("/") and plain != "/" else "") + mark + query

    @property
    def is_document(self) -> bool:
        """Whether a page is to be loaded, rather than a part of one."""
        destination = self.headers.get("sec-fetch-dest")
        if destination:
            return destination in ("document", "iframe", "frame")
        return self.headers.get("accept", "").startswith("text/html")

    @property
    def wants_upgrade(self) -> bool:
        """Whether it asks for a WebSocket."""
        return self.headers.get("upgrade", "").lower() == "websocket"

    @property
    def length(self) -> int:
        """Bytes of its body."""
        return int(self.headers.get("content-length", "0"))

    def to(self, host: str) -> "Request":
        """The same request inside a tunnel to this host."""
        if self.method == "CONNECT" or not self.target.startswith("/"):
            raise BadRequest("a tunnel holds plain requests only")
        return replace(self, host=host)

    def head(self) -> bytes:
        """What goes upstream."""
        connection = (
            b"Connection: Upgrade\r\nUpgrade: websocket\r\n" if self.wants_upgrade else b"Connection: close\r\n"
        )
        return f"{self.method} {self.target} HTTP/1.1\r\nHost: {_shown(self.host)}\r\n".encode("latin-1") + (
            self.raw + connection + b"\r\n"
        )


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Read a head. Raises BadRequest, EOFError."""
    first = await reader.readexactly(1)
    if first == b"\x16":
        raise BadRequest("TLS cannot be judged, so it is not let through")
    try:
        head = first + await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise BadRequest("the head is too long") from None
    lines = head[:-4].decode("latin-1").split("\r\n")
    method, _, rest = lines[0].partition(" ")
    uri, _, version = rest.rpartition(" ")
    if not _TOKEN.fullmatch(method) or version not in ("HTTP/1.1", "HTTP/1.0") or re.search(r"[\x00-\x20\x7f]", uri):
        raise BadRequest("not a request line")
    headers, raw = _headers(lines[1:])
    host, target = _where(method, uri)
    return Request(method, host, target, headers, raw)


def _headers(lines: list[str]) -> tuple[dict[str, str], bytes]:
    headers: dict[str, str] = {}
    kept = []
    for line in lines:
        name, colon, value = line.partition(":")
        key = name.lower()
        if not colon or not _TOKEN.fullmatch(name) or "\n" in value or "\r" in value or "\x00" in value:
            raise BadRequest("not a header line")
        if key in headers and key in ("content-length", "host"):
            raise BadRequest(f"more than one {key}")
        headers[key] = value.strip()
        if key not in _HOP and key != "host":
            kept.append(line)
    if "transfer-encoding" in headers or not re.fullmatch("[0-9]{0,15}", headers.get("content-length", "")):
        raise BadRequest("a body without a plain length")
    return headers, "".join(f"{line}\r\n" for line in kept).encode("latin-1")


def _where(method: str, uri: str) -> tuple[str, str]:
    if method == "CONNECT":
        return uri.lower(), ""
    if uri.startswith("/"):
        return "", uri  # inside a tunnel
    try:
        parts = urlsplit(uri)
        port = parts.port or 80
    except ValueError:
        raise BadRequest("not an address") from None
    if parts.scheme != "http" or not parts.hostname or "@" in parts.netloc:
        raise BadRequest("not an address")
    return f"{parts.hostname}:{port}", (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _unescaped(match: "re.Match[str]") -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _shown(host: str) -> str:
    return host.removesuffix(":80")


async def stream_body(request: Request, reader: asyncio.StreamReader, upstream: asyncio.StreamWriter) -> None:
    """Pass on exactly the body: nothing after it reaches the server."""
    left = request.length
    while left > 0:
        data = await reader.read(min(CHUNK, left))
        if not data:
            raise EOFError
        left -= len(data)
        upstream.write(data)
        await upstream.drain()
    await upstream.drain()


async def stream_response(upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Pass on a response until the server ends it; True where it switched to another protocol."""
    while True:
        head = await upstream.readuntil(b"\r\n\r\n")
        status = head.split(b" ", 2)[1][:3]
        if status == b"101":
            writer.write(head)
            await writer.drain()
            return True
        lines = [
            line for line in head[:-4].split(b"\r\n") if not line.lower().startswith((b"connection:", b"keep-alive:"))
        ]
        if not status.startswith(b"1"):
            lines.append(b"Connection: close")
        writer.write(b"\r\n".join(lines) + b"\r\n\r\n")
        if not status.startswith(b"1"):
            break
    await one_way(upstream, writer)
    return False


def response(status: int, verdict: str, text: str) -> bytes:
    """An answer of the proxy's own."""
    body = text.encode() if status != 204 else b""
    length = "" if status == 204 else f"Content-Length: {len(body)}\r\n"
    return (
        f"HTTP/1.1 {status} {_PHRASES[status]}\r\nX-Belay-Blocked: {verdict}\r\nCache-Control: no-store\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n{length}Connection: close\r\n\r\n"
    ).encode() + body
