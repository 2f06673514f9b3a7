"""Telling open pages, after commit, that something changed; they then ask what."""

import asyncio
import os
import threading
from typing import Any, Literal

from channels.layers import get_channel_layer
from django.db import transaction

Topic = Literal["tickets", "approvals", "review", "training", "rollouts"]


class _Loop:
    """One event loop on a thread of its own, so that a hint neither waits nor opens a connection each time."""

    def __init__(self) -> None:
        self._pid = 0
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()

    def running(self) -> asyncio.AbstractEventLoop:
        """The loop of this process; a forked child gets its own."""
        with self._lock:
            if self._pid != os.getpid():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="hints", daemon=True).start()
                self._pid = os.getpid()
        return self._loop


_loop = _Loop()


def lists_changed(*topics: Topic) -> None:
    """After commit, tell open lists to fetch again."""
    for topic in topics:
        after_commit("lists", {"type": "list.hint", "topic": topic})


def after_commit(group: str, message: dict[str, Any]) -> None:
    """Send to a group when this transaction commits, and forget: a reader who missed it looks by itself in a while."""
    transaction.on_commit(
        lambda: asyncio.run_coroutine_threadsafe(get_channel_layer().group_send(group, message), _loop.running())
    )
