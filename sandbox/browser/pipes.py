"""Connections of the egress proxy."""

import asyncio

CHUNK = 64 * 1024
CONNECT_LIMIT_S = 10.0


async def connect(host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to "host:port". Raises OSError, also when it takes too long."""
    name, _, port = host.rpartition(":")
    async with asyncio.timeout(CONNECT_LIMIT_S):
        return await asyncio.open_connection(name.strip("[]"), int(port))


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
