"""PostgreSQL's advisory locks that put whole kinds of writes in order; each is held until the transaction's end."""

from django.db import connection

AUDIT_CHAIN = 0x0BE1A700  # taken last, because everybody who writes needs it
DATASET = 0x0BE1A701  # appends and freezes, so that a version is a clean cut through the list
REGISTRY = 0x0BE1A702  # numbers of policy versions, and which rollout is out
TRAINING = 0x0BE1A703  # whether a run is due


def take(lock: int) -> None:
    """Wait for a lock, inside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])
