"""What every crash test needs: nothing is left running, whatever went wrong."""

from collections.abc import Iterator

import pytest

from tests.crash import rig


@pytest.fixture(autouse=True)
def _nothing_left_running(transactional_db: None) -> Iterator[None]:
    yield
    rig.put_away_everything()
