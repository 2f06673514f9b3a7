"""One desk on this run's PostgreSQL for the tests of this folder."""

from collections.abc import Iterator

import pytest

from sandbox.worlds.sql.desk import Desk


@pytest.fixture(scope="session")
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()
