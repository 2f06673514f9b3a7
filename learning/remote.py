"""A policy that is served elsewhere (`learning.serve`), asked over one WebSocket."""

import itertools
import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack

import msgspec
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from learning.failures import TeacherFailed
from learning.serve import TOKEN_FROM, Ask, Told
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal


class ServingFailed(TeacherFailed):
    """The server gave no proposal; the message has its reason."""


class RemotePolicy:
    """Proposes by asking a server for one role. Connects when first asked, and anew after a break."""

    def __init__(self, url: str, *, role: str = "champion", timeout_s: float = 10.0) -> None:
        self.name = role
        self._url = url
        self._timeout_s = timeout_s
        self._connection: ClientConnection | None = None
        self._held = ExitStack()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """What the role proposes. Raises ServingFailed."""
        with self._lock:
            ask = Ask(next(self._numbers), observation, goal, tuple(history), (self.name,))
            try:
                told = self._asked(ask)
            except (OSError, TimeoutError, WebSocketException, msgspec.DecodeError) as problem:
                self.close()
                raise ServingFailed(f"{self._url} does not answer: {type(problem).__name__}: {problem}") from problem
        if told.proposal is None:
            raise ServingFailed(f"{self._url} {told.error}: {told.message}")
        return told.proposal

    def close(self) -> None:
        """Let go of the connection; safe to repeat."""
        self._connection = None
        self._held.close()

    def _asked(self, ask: Ask) -> Told:
        if self._connection is None:
            token = os.environ.get(TOKEN_FROM, "")
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            opening = connect(
                self._url, additional_headers=headers, open_timeout=self._timeout_s, compression=None, max_size=None
            )
            self._connection = self._held.enter_context(opening)
        self._connection.send(msgspec.json.encode(ask).decode())
        while True:  # an answer to a question that was given up may still be on its way
            told = msgspec.json.decode(self._connection.recv(self._timeout_s), type=Told)
            if told.id in (ask.id, 0):
                return told
