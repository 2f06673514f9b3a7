"""A session's own thread and database connection inside an asyncio host."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection

T = TypeVar("T")


class Rows:
    """Runs queries and verbs one after the other; a broken connection is replaced before the next."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def call(self, fn: Callable[..., T], *args: Any, **fields: Any) -> T:
        """The result of `fn`, computed on this thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, _careful, partial(fn, *args, **fields))

    async def close(self) -> None:
        """Close the connection and let the thread end."""
        await self.call(_close)
        self._thread.shutdown(wait=False)


def _careful(call: Callable[[], T]) -> T:
    try:
        return call()
    except (OperationalError, InterfaceError):
        connection.close()
        raise


def _close() -> None:
    connection.close()  # looked up here, because each thread has its own
