"""A session host killed while it waits, while it acts, and between: the session goes on, and no act runs twice."""

import pytest

from tests.crash import rig
from webapp.accounts.models import User
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.states import SessionState, StepState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def assert_it_was_done_once(session: Session, reviewer: User, browser: dict[str, object]) -> None:
    """Another host brings it to its end in the same browser; the console wrote once."""
    with rig.a_host():
        rig.approve_up_to_finish(session, reviewer)
        assert rig.browser_of(session) == browser
        assert len(rig.writes(session)) == 1
        rig.approve_until(session, reviewer, lambda: rig.is_put_away(session))
    assert (session.state, session.outcome) == (SessionState.COMPLETED, "verified"), session.verification
    assert session.trajectory_hash
    assert session.steps.filter(state__in=[StepState.INTENT, StepState.UNCERTAIN]).count() == 0


def test_killed_while_it_waits_the_answer_given_meanwhile_is_carried_out_once() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host() as host:
        step = rig.approve_up_to_submit(session, reviewer)
        host.kill()
    browser = rig.browser_of(session)
    rig.approve(session, reviewer, step)
    assert_it_was_done_once(session, reviewer, browser)


@pytest.mark.parametrize("point", ["before_intent", "after_finish"])
def test_killed_between_acts_the_session_goes_on_at_the_same_page(point: str) -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
    browser = rig.browser_of(session)
    rig.approve(session, reviewer, step)
    with rig.a_host(BELAY_CRASH_AT=point) as host:
        assert host.killed_itself()
    assert_it_was_done_once(session, reviewer, browser)


def test_killed_before_the_act_reached_the_browser_people_are_asked_again() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
    browser = rig.browser_of(session)
    rig.approve(session, reviewer, step)
    with rig.a_host(BELAY_CRASH_AT="after_intent") as host:
        assert host.killed_itself()
    assert rig.writes(session) == []
    with rig.a_host():
        asked_again = rig.approve_up_to_submit(session, reviewer)
    step.refresh_from_db()
    assert step.state == StepState.WITHDRAWN
    assert asked_again.action == step.action
    assert_it_was_done_once(session, reviewer, browser)


def test_killed_after_the_act_it_is_seen_and_not_repeated() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
    browser = rig.browser_of(session)
    rig.approve(session, reviewer, step)
    with rig.a_host(BELAY_CRASH_AT="after_act") as host:
        assert host.killed_itself()
    assert len(rig.writes(session)) == 1
    assert_it_was_done_once(session, reviewer, browser)
    step.refresh_from_db()
    assert step.state == StepState.DONE


def test_a_stalled_host_is_cut_off_before_another_goes_on_and_can_do_nothing_when_it_wakes() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
    browser = rig.browser_of(session)
    rig.approve(session, reviewer, step)
    with rig.a_host(BELAY_STALL_AT="before_act") as stalled:
        rig.wait_for("the stall", stalled.is_stalled)
        with rig.a_host():
            rig.wait_for("another browser", lambda: rig.browser_of(session) != browser)
            fence = session.fence
            stalled.go_on()
            rig.approve_up_to_finish(session, reviewer)
            assert len(rig.writes(session)) == 1
            assert session.fence == fence
            rig.approve_until(session, reviewer, lambda: rig.is_put_away(session))
    step.refresh_from_db()
    assert step.state == StepState.WITHDRAWN
    assert (session.state, session.outcome) == (SessionState.COMPLETED, "verified"), session.verification
