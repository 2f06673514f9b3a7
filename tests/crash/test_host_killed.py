"""A session host killed while it waits, while it acts, and between: the session goes on, and no act runs twice."""

import pytest

from tests.crash import rig
from webapp.agent_sessions.states import SessionState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def test_a_ticket_is_worked_to_verified_with_approvals() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        rig.approve_until(session, reviewer, lambda: rig.is_put_away(session))
    assert (session.state, session.outcome) == (SessionState.COMPLETED, "verified"), session.end_reason
    assert session.trajectory_hash
