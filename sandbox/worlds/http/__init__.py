"""The http world: tickets for an API with faults, rate limits and a circuit breaker, behind a real port."""

from sandbox.registry import Simulator, register
from sandbox.worlds.http.templates import DIMENSIONS, HTTP, TEMPLATES


def _desk() -> Simulator:
    from sandbox.worlds.http.desk import Desk  # only who plays pays for sockets and threads

    return Desk()


register(HTTP, None, TEMPLATES, simulator=_desk, dimensions=DIMENSIONS)
