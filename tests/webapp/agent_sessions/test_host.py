"""A host process with a real browser: people take over, refuse, stop and switch policies off, and it obeys."""

from collections.abc import Iterator

import pytest

from sandbox.contracts import storage
from sandbox.contracts.observations import Observation
from sandbox.contracts.takeover import HandEvent, KeyStroke, Pointer
from tests.builders import a_user
from tests.crash import rig
from webapp.accounts.models import Role
from webapp.agent_sessions import actions, takeover
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.policies import CannotRun, prove_champion
from webapp.agent_sessions.states import Control, SessionState
from webapp.rollouts.actions import set_human_only

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


@pytest.fixture(autouse=True)
def _nothing_left_running(transactional_db: None) -> Iterator[None]:
    yield
    rig.put_away_everything()


def middle_of(session: Session, role: str, name: str) -> Pointer:
    """A click in the middle of an element of the page now."""
    session.refresh_from_db()
    page: Observation = storage.from_builtins(session.observation, Observation)
    box = next(each.box for each in page.elements if (each.role, each.name) == (role, name))
    return Pointer(box.x + box.width / 2, box.y + box.height / 2)


def test_what_a_person_does_at_the_wheel_reaches_the_browser_and_is_recorded() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        rig.approve_up_to_submit(session, reviewer)
        takeover.take_over(session_id=session.pk, user=reviewer, how="web")
        rig.wait_for("the wheel", lambda: rig.state_of(session) == SessionState.USER_CONTROL)
        inputs: list[HandEvent] = [
            middle_of(session, "textbox", "Description"),
            KeyStroke("End"),
            KeyStroke("!"),
        ]
        takeover.hand(session_id=session.pk, user=reviewer, how="web", inputs=inputs)
        takeover.hand_back(session_id=session.pk, user=reviewer, how="web")
        rig.wait_for("the typing", lambda: session.steps.filter(actor="operator").count() == 2)
        rig.wait_for("the agent", lambda: rig.open_step(session) is not None)
    clicked, typed = session.steps.filter(actor="operator").order_by("index")
    assert (clicked.action or {})["kind"] == "click"
    assert (typed.action or {})["kind"] == "type"
    assert (typed.action or {})["text"].endswith("!")
    assert {clicked.decided_by, typed.decided_by} == {reviewer}
    session.refresh_from_db()
    assert session.control == Control.AGENT


def test_a_person_finishes_the_work_by_hand() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        rig.approve_up_to_submit(session, reviewer)
        takeover.take_over(session_id=session.pk, user=reviewer, how="web")
        rig.wait_for("the wheel", lambda: rig.state_of(session) == SessionState.USER_CONTROL)
        submit = middle_of(session, "button", "Create security group")
        takeover.hand(session_id=session.pk, user=reviewer, how="web", inputs=[submit])
        takeover.finish(session_id=session.pk, user=reviewer, how="web", answer="")
        rig.wait_for("the end", lambda: rig.is_put_away(session))
    assert (session.state, session.outcome) == (SessionState.COMPLETED, "verified"), session.verification
    assert [(step.action or {})["kind"] for step in session.steps.filter(actor="operator").order_by("index")] == [
        "click",
        "finish",
    ]


def test_a_refused_proposal_without_alternative_waits_for_a_person() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
        decide(
            session_id=session.pk,
            proposal_id=str(step.proposal_id),
            fingerprint=step.fingerprint,
            decision="rejected",
            user=reviewer,
            how="web",
        )
        rig.wait_for("the pause", lambda: rig.state_of(session) == SessionState.PAUSED)
        assert "refused" in session.end_reason
        assert rig.writes(session) == []


def test_a_stopped_session_has_no_browser_any_more() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        rig.approve_up_to_submit(session, reviewer)
        actions.stop(session_id=session.pk, user=reviewer, how="web")
        rig.wait_for("the browser's end", lambda: rig.is_put_away(session))
    assert (session.state, session.outcome) == (SessionState.CANCELLED, "unverified")


def test_human_only_withdraws_the_open_question_and_waits_for_people() -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        rig.approve_up_to_submit(session, reviewer)
        set_human_only(on=True, reason="drill", user=a_user(Role.ADMIN), how="web")
        rig.wait_for("the pause", lambda: rig.state_of(session) == SessionState.PAUSED)
    assert rig.open_step(session) is None
    assert "only people" in session.end_reason


def test_a_policy_that_cannot_run_pauses_its_session_and_says_what_to_do() -> None:
    session, _ = rig.a_filed_ticket()
    with rig.a_host(CANNOT_RUN="Policy v1 cannot be run. Train a new version."):
        rig.wait_for("the pause", lambda: rig.state_of(session) == SessionState.PAUSED)
    assert session.end_reason == "Policy v1 cannot be run. Train a new version. Until then people can take over."
    assert session.fence == 1


def test_a_host_says_at_its_start_that_the_champion_cannot_run() -> None:
    rig.a_filed_ticket()  # its champion is a row without files
    with pytest.raises(CannotRun, match="Policy v1 cannot be run, its files are not whole"):
        prove_champion()
