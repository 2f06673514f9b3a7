"""The only way out of a browser: a proxy process of its own with an allow-list and a permit.

Run as `python -m sandbox.browser.egress`; it reads its configuration as one JSON line from standard input and answers
with one JSON line that names its ports. TLS is refused: what cannot be read cannot be held to a permit.
"""

import asyncio
import hmac
import sys
from contextlib import suppress

import msgspec
from msgspec import Struct

from sandbox.browser.http1 import BadRequest, Request, read_request, response, stream_body, stream_response
from sandbox.browser.pipes import both_ways, connect
from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule, request_risk

LOG_LENGTH = 2000
_HERE = {"127.0.0.1", "localhost", "[::1]"}
_OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """What a proxy is started with."""

    allow: tuple[str, ...]  # "host:port"
    rules: tuple[RequestRule, ...]
    token: str  # who has it may set the permit
    via: str = ""  # "host:port" of the gateway through which everything but this machine is reached


class Ports(Struct, frozen=True, forbid_unknown_fields=True):
    """What it answers with."""

    proxy: int
    control: int


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One request that wanted out."""

    number: int
    method: str
    host: str  # "host:port"
    path: str  # without its query
    risk: Risk
    verdict: str  # passed | host (not on the allow-list) | risk (riskier than permitted) | form (not to be understood)
    document: bool  # a page was to be loaded, rather than a part of one


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """One line on the control port."""

    token: str
    permit: Risk | None = None
    lower_after_s: float | None = None  # then only READ passes, unless another permit comes first
    after: int = 0  # answer with entries from this number on


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """One line back."""

    last: int
    entries: tuple[Entry, ...] = ()


class Proxy:
    """Judges each request and carries what passes."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._allow = frozenset(config.allow)
        self._permit = Risk.READ
        self._lowering: asyncio.TimerHandle | None = None
        self._entries: list[Entry] = []
        self._last = 0

    async def serve_browser(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser: one request, or one tunnel with one request in it."""
        try:
            request = await read_request(reader)
            if request.method == "CONNECT" and request.host in self._allow:
                request = await _open_tunnel(request, reader, writer)
            await self._carry(request, reader, writer)
        except BadRequest as problem:
            self._note(Request("", "", "", {}, b""), Risk.UNKNOWN, "form")
            writer.write(response(400, "form", str(problem)))
        except (OSError, EOFError):  # one side went away
            pass
        finally:
            with suppress(OSError):
                await writer.drain()
            writer.close()

    async def serve_control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The session's own connection: lines of commands and answers."""
        with suppress(OSError, EOFError):
            async for line in reader:
                try:
                    command = msgspec.json.decode(line, type=Command)
                except msgspec.DecodeError:
                    break
                if not hmac.compare_digest(command.token.encode(), self._config.token.encode()):
                    break
                writer.write(msgspec.json.encode(self._obey(command)) + b"\n")
                await writer.drain()
        writer.close()

    def _obey(self, command: Command) -> Answer:
        if command.permit is not None:
            self._set_permit(command.permit)
        if command.lower_after_s is not None:
            self._cancel_lowering()
            loop = asyncio.get_running_loop()
            self._lowering = loop.call_later(command.lower_after_s, self._set_permit, Risk.READ)
        return Answer(self._last, tuple(entry for entry in self._entries if entry.number > command.after))

    def _set_permit(self, permit: Risk) -> None:
        self._cancel_lowering()
        self._permit = permit

    def _cancel_lowering(self) -> None:
        if self._lowering is not None:
            self._lowering.cancel()
            self._lowering = None

    async def _carry(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if request.host not in self._allow:
            self._refuse(request, writer, Risk.UNKNOWN, "host")
            return
        risk = self._risk(request)
        if risk.rank > self._permit.rank:
            self._refuse(request, writer, risk, "risk")
            return
        self._note(request, risk, "passed")
        try:
            upstream_reader, upstream = await connect(request.host, via=self._via(request.host))
        except OSError as problem:
            writer.write(response(502, "upstream", f"{request.host}: {problem}"))
            return
        try:
            upstream.write(request.head())
            await stream_body(request, reader, upstream)
            switched = await stream_response(upstream_reader, writer)
            if switched and request.wants_upgrade:
                await both_ways(reader, writer, upstream_reader, upstream)
        finally:
            upstream.close()

    def _via(self, host: str) -> str:
        """Consoles that Belay starts itself run beside the browser; all others are behind the gateway."""
        return "" if host.rpartition(":")[0] in _HERE else self._config.via

    def _risk(self, request: Request) -> Risk:
        if any(name in request.headers for name in _OVERRIDES):
            return Risk.UNKNOWN
        rules = self._config.rules
        spellings = {request.target, request.plain_target}
        return max((request_risk(rules, request.method, each) for each in spellings), key=lambda risk: risk.rank)

    def _refuse(self, request: Request, writer: asyncio.StreamWriter, risk: Risk, verdict: str) -> None:
        self._note(request, risk, verdict)
        # 204 leaves a page as it is, with what was typed into it; a script is told 403.
        writer.write(response(204 if request.is_document and request.method != "CONNECT" else 403, verdict, ""))

    def _note(self, request: Request, risk: Risk, verdict: str) -> None:
        self._last += 1
        self._entries.append(
            Entry(self._last, request.method, request.host, request.path, risk, verdict, document=request.is_document)
        )
        del self._entries[:-LOG_LENGTH]


async def _open_tunnel(connecting: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await writer.drain()
    # Within it the same judgement as outside: a tunnel is no way round.
    return (await read_request(reader)).to(connecting.host)


async def serve(config: Config) -> None:
    """Serve until killed."""
    proxy = Proxy(config)
    browser_side = await asyncio.start_server(proxy.serve_browser, "127.0.0.1", 0)
    control_side = await asyncio.start_server(proxy.serve_control, "127.0.0.1", 0)
    ports = Ports(browser_side.sockets[0].getsockname()[1], control_side.sockets[0].getsockname()[1])
    sys.stdout.write(msgspec.json.encode(ports).decode() + "\n")
    sys.stdout.flush()
    async with browser_side, control_side:
        await asyncio.gather(browser_side.serve_forever(), control_side.serve_forever())


if __name__ == "__main__":
    asyncio.run(serve(msgspec.json.decode(sys.stdin.readline(), type=Config)))
