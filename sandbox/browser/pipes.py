"""Connections of the egress proxy."""

import asyncio

CHUNK = 64 * 1024
CONNECT_LIMIT_S = 10.0


async def connect(host: str, *, via: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to "host:port", by a tunnel through the gateway at `via` where one is given.

    Raises OSError, also when it takes too long or the gateway refuses.
    """
    name, _, port = (via or host).rpartition(":")
    async with asyncio.timeout(CONNECT_LIMIT_S):
        reader, writer = await asyncio.open_connection(name.strip("[]"), int(port))
        if via:
            await _tunnel(host, reader, writer)
        return reader, writer


async def _tunnel(host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        writer.write(f"CONNECT {host} HTTP/1.1\r\n\r\n".encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).split(maxsplit=2)
    except (EOFError, asyncio.LimitOverrunError) as problem:
        writer.close()
        raise OSError("the gateway hung up") from problem
    if answer[1] != b"200":
        writer.close()
        raise OSError(f"the gateway answered {answer[1].decode(errors='replace')}")


async def both_ways(
    left_reader: asyncio.StreamReader,
    left: asyncio.StreamWriter,
    right_reader: asyncio.StreamReader,
    right: asyncio.StreamWriter,
) -> None:
    """Carry bytes until either side ends."""
    ways = [asyncio.create_task(one_way(left_reader, right)), asyncio.create_task(one_way(right_reader, left))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def one_way(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry bytes until the reader ends."""
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
