"""The API behind a real port: an asyncio server in a thread of its own, closed with its owner."""

import asyncio
import http.client
import json
import re
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from msgspec import Struct

from sandbox.worlds.http.service import Answer, Api

HOST = "127.0.0.1"
LIMIT_S = 5.0  # real seconds: the server is ours and answers at once, or drops the connection on purpose
_START = re.compile(r"([A-Z]{3,7}) (/\S*) HTTP/1\.1")
_MOST = 64 * 1024  # bytes of a body


class Seen(Struct, frozen=True):
    """A response as a client sees it; status 0 is none."""

    status: int
    body: dict[str, Any]
    retry_after_s: int = 0
    circuit: str = ""


class Server:
    """One API at a port of this machine. `api` may be replaced between requests."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="http-world", daemon=True)
        self._thread.start()
        self._server = self._in_loop(lambda: asyncio.start_server(self._serve, HOST, 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Close the port and end the thread; safe to repeat."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _in_loop(self, make: Callable[[], Any]) -> Any:
        async def made() -> Any:
            return await make()

        return asyncio.run_coroutine_threadsafe(made(), self._loop).result(LIMIT_S)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, _, rest = head.partition("\r\n")
            found = _START.fullmatch(first)
            length = re.search(r"(?im)^content-length: *([0-9]{1,9})\r?$", rest)
            size = int(length[1]) if length else 0
            if found is None or size > _MOST:
                writer.write(_written(Answer(HTTPStatus.BAD_REQUEST, {"error": "this is no request"})))
            else:
                answer = self.api.ask(found[1], found[2], await reader.readexactly(size))
                if answer.status is not None:
                    writer.write(_written(answer))
            await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # the other side left or talks too long: nobody is there to be answered
        finally:
            writer.close()


def _written(answer: Answer) -> bytes:
    assert answer.status is not None
    body = b"" if answer.status is HTTPStatus.NO_CONTENT else json.dumps(answer.body).encode()
    lines = [f"HTTP/1.1 {answer.status.value} {answer.status.phrase}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", f"X-Circuit: {answer.circuit}", "Connection: close"]
    lines += [f"Retry-After: {answer.retry_after_s}"] if answer.retry_after_s else []
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def send(port: int, method: str, target: str, body: str) -> Seen:
    """One request over a real connection; one that is dropped without an answer has status 0."""
    connection = http.client.HTTPConnection(HOST, port, timeout=LIMIT_S)
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, target, body.encode() if body else None, headers)
        answer = connection.getresponse()
        content = answer.read()
        retry, circuit = answer.headers.get("Retry-After", "0"), answer.headers.get("X-Circuit", "")
        return Seen(answer.status, json.loads(content) if content else {}, int(retry), circuit)
    except (http.client.RemoteDisconnected, ConnectionError):
        return Seen(0, {})
    finally:
        connection.close()
