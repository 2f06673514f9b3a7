"""What every crash test needs: nothing is left running, whatever went wrong."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _nothing_left_running(transactional_db: None) -> Iterator[None]:
    yield
    from tests.crash import rig  # late: this file is read before Django is set up

    rig.put_away_everything()
