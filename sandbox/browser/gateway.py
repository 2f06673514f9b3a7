"""The one door between the browsers' network and the consoles: passes tunnels of session proxies to listed hosts.

Run as `python -m sandbox.browser.gateway` with EGRESS_ALLOW ("host:port,host:port"); listens on port 3128. It judges
only where a tunnel leads; what goes through it has been judged, request by request, by the session's own proxy.
"""

import asyncio
import logging
import os
import sys
from contextlib import suppress

from sandbox.browser.http1 import BadRequest, read_request, response
from sandbox.browser.pipes import both_ways, connect

PORT = 3128
log = logging.getLogger(__name__)


class Gateway:
    """Carries tunnels to the hosts on its list."""

    def __init__(self, allow: frozenset[str]) -> None:
        self._allow = allow

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a session's proxy."""
        try:
            await self._carry(reader, writer)
        except BadRequest as problem:
            writer.write(response(400, "form", str(problem)))
        except (OSError, EOFError):  # one side went away
            pass
        finally:
            with suppress(OSError):
                await writer.drain()
            writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wanted = await read_request(reader)
        if wanted.method != "CONNECT" or wanted.host not in self._allow:
            log.warning("refused: %s %s", wanted.method, wanted.host)
            writer.write(response(403, "host", f"{wanted.host} is not in EGRESS_ALLOW"))
            return
        try:
            upstream_reader, upstream = await connect(wanted.host)
        except OSError as problem:
            writer.write(response(502, "upstream", f"{wanted.host}: {problem}"))
            return
        try:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await both_ways(reader, writer, upstream_reader, upstream)
        finally:
            upstream.close()


def allowed(text: str) -> frozenset[str]:
    """EGRESS_ALLOW, read. Raises ValueError for what is no "host:port"."""
    hosts = [word.strip().lower() for word in text.split(",") if word.strip()]
    for host in hosts:
        name, _, port = host.rpartition(":")
        if not name or not port.isdecimal():
            raise ValueError(f"EGRESS_ALLOW: {host!r} is not host:port")
    return frozenset(hosts)


async def main(host: str = "0.0.0.0", port: int = PORT) -> None:  # noqa: S104  # in a container of its own
    """Serve until killed."""
    try:
        allow = allowed(os.environ.get("EGRESS_ALLOW", ""))
    except ValueError as problem:
        sys.exit(str(problem))
    log.info("passes to %s", ", ".join(sorted(allow)) or "nowhere: set EGRESS_ALLOW")
    server = await asyncio.start_server(Gateway(allow).serve, host, port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    asyncio.run(main())
