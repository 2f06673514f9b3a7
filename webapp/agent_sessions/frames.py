"""How frames of a browser get to those who look: Valkey keys and channels, and nothing while nobody looks."""

import redis.asyncio as redis

REFRESH_S = 2.0
VIEWER_TTL_S = 5
LATEST_TTL_S = 60


def channel(session_id: int) -> str:
    """Where frames are published."""
    return f"belay:frames:{session_id}"


def viewers(session_id: int) -> str:
    """The key that exists while somebody looks."""
    return f"belay:viewers:{session_id}"


def latest(session_id: int) -> str:
    """The key of the last frame, for who comes later."""
    return f"belay:frame:{session_id}"


async def look(valkey: "redis.Redis", session_id: int) -> None:
    """Say that somebody looks, for the next few seconds."""
    await valkey.set(viewers(session_id), b"1", ex=VIEWER_TTL_S)


async def publish(valkey: "redis.Redis", session_id: int, jpeg: bytes) -> None:
    """Send a frame to all who look, and keep it for those who come."""
    async with valkey.pipeline(transaction=False) as pipe:
        pipe.set(latest(session_id), jpeg, ex=LATEST_TTL_S)
        pipe.publish(channel(session_id), jpeg)
        await pipe.execute()


async def is_watched(valkey: "redis.Redis", session_id: int) -> bool:
    """Whether somebody looks."""
    return bool(await valkey.exists(viewers(session_id)))
