"""The sql world: tickets about a database, each played in a transaction that is rolled back."""

from sandbox.registry import Simulator, register
from sandbox.worlds.sql.templates import DIMENSIONS, SQL, TEMPLATES


def _desk() -> Simulator:
    from sandbox.worlds.sql.desk import Desk  # only who plays pays for the database's client

    return Desk()


register(SQL, None, TEMPLATES, simulator=_desk, dimensions=DIMENSIONS)
