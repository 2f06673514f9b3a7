"""The web process's database connections: few, shared by all threads, and replaced when the server ends them."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.utils import ConnectionHandler

from webapp.environ import Environ

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pooled() -> Iterator[ConnectionHandler]:
    """Connections as the web process has them, at most two."""
    handler = ConnectionHandler({"default": Environ(os.environ, {}).database("DATABASE_URL", pool=2)})
    yield handler
    wrapper = handler["default"]
    assert isinstance(wrapper, DatabaseWrapper)
    wrapper.close_pool()


def backend(handler: ConnectionHandler) -> int:
    """Which of the server's processes answered; as a request does, this gives the connection back."""
    with handler["default"].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        found: int = cursor.fetchone()[0]
    handler["default"].close()
    return found


def test_many_threads_share_a_few_connections_and_outlive_the_servers_end_of_them(pooled: ConnectionHandler) -> None:
    with ThreadPoolExecutor(8) as threads:
        first = set(threads.map(backend, [pooled] * 40))
        assert 1 <= len(first) <= 2
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM unnest(%s) AS pid", [list(first)])
        second = set(threads.map(backend, [pooled] * 40))
    assert second.isdisjoint(first)
