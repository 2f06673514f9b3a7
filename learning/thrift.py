"""What a language model may cost: a budget that is never overrun, and answers kept so that none is paid for twice."""

import hashlib
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from msgspec import Struct

from learning.failures import Hopeless


class OverBudget(Hopeless):
    """The next call could cost more than is left; nothing was sent."""


class Spent(Struct, frozen=True):
    """What was used so far."""

    calls: int
    tokens: int


class Budget:
    """Calls and tokens that may be used, shared by threads. A call reserves what it may cost, then settles."""

    def __init__(self, *, calls: int = 1_000, tokens: int = 1_000_000) -> None:
        self._most = Spent(calls, tokens)
        self._calls = self._tokens = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """Calls and tokens, with what is reserved for calls under way."""
        with self._lock:
            return Spent(self._calls, self._tokens)

    def reserve(self, tokens: int) -> None:
        """Take one call and so many tokens. Raises OverBudget."""
        with self._lock:
            if self._calls + 1 > self._most.calls:
                raise OverBudget(f"all {self._most.calls} calls are used; allow more, or ask a smaller teacher")
            if self._tokens + tokens > self._most.tokens:
                left = self._most.tokens - self._tokens
                raise OverBudget(f"{left} of {self._most.tokens} tokens are left, the next call may take {tokens}")
            self._calls += 1
            self._tokens += tokens

    def settle(self, *, reserved: int, used: int) -> None:
        """Put right what a call has really cost."""
        with self._lock:
            self._tokens += used - reserved


class Answers:
    """Answers by the hash of what was asked, one file each; safe for several processes, and after a crash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def get(self, asked: dict[str, Any]) -> str | None:
        """What was answered to this before."""
        try:
            return (self._folder / _key(asked)).read_text()
        except FileNotFoundError:
            return None

    def put(self, asked: dict[str, Any], said: str) -> None:
        """Keep an answer; whole or not at all."""
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".")
        with os.fdopen(handle, "w") as file:
            file.write(said)
        Path(name).replace(self._folder / _key(asked))


def _key(asked: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
