"""A decision can be taken back while nothing was done because of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from sandbox.contracts.actions import Click
from sandbox.contracts.tasks import Risk
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_scene
from webapp.accounts.models import Role
from webapp.agent_sessions import proposals, situation
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.models import ApprovalRequest, Step
from webapp.agent_sessions.session_row import Interrupted
from webapp.agent_sessions.states import ApprovalState, SessionState, StepState
from webapp.agent_sessions.undo import UNDO_S, take_back
from webapp.audit.models import AuditEntry
from webapp.problems import Conflict, Forbidden, NotFound

pytestmark = pytest.mark.django_db


def decided(scene: Scene, decision: str, **more: Any) -> Step:
    step = scene.propose()
    decide(**scene.answer(step, decision, **more))
    return step


def undo(scene: Scene, step: Step, **more: Any) -> Step:
    return take_back(
        **{
            "session_id": scene.session_id,
            "proposal_id": str(step.proposal_id),
            "user": scene.reviewer,
            "how": "web",
            **more,
        }
    )


@pytest.mark.parametrize("more", [{"decision": "approved"}, {"decision": "corrected", "action": Click(4)}])
def test_what_was_allowed_and_taken_back_is_not_carried_out(more: dict[str, Any]) -> None:
    scene = a_scene()
    step = decided(scene, **more)
    undo(scene, step)
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)
    assert scene.session.state == SessionState.RUNNING
    assert (scene.step(step.pk).state, scene.step(step.pk).decision) == (StepState.WITHDRAWN, "cancelled")


def test_a_rejection_taken_back_may_be_proposed_again_and_does_not_count() -> None:
    scene = a_scene()
    for _ in range(3):  # the third that stood would end the session
        undo(scene, decided(scene, "rejected", reason="no"))
    page = scene.session.steps.latest("index").fingerprint
    assert situation.refused(scene.session_id, page) == []
    assert scene.session.state == SessionState.RUNNING


@pytest.mark.parametrize("decision", ["approved", "rejected"])
def test_its_question_says_so_too(decision: str) -> None:
    scene = a_scene()
    step = decided(scene, decision)
    assert scene.approval.state == decision
    undo(scene, step)
    assert (scene.approval.state, scene.approval.decided_by) == (ApprovalState.CANCELLED, scene.reviewer)


def test_the_next_question_is_withdrawn_with_it() -> None:
    scene = a_scene()
    step = decided(scene, "rejected", reason="no")
    following = scene.propose(page="next")
    undo(scene, step)
    assert scene.step(following.pk).state == StepState.WITHDRAWN
    assert not ApprovalRequest.objects.filter(state=ApprovalState.PENDING).exists()
    assert scene.session.state == SessionState.RUNNING


def test_what_is_under_way_or_done_stands() -> None:
    scene = a_scene()
    step = decided(scene, "approved")
    proposals.begin_intent(**scene.host, step_id=step.pk)
    with pytest.raises(Conflict, match="carried out already"):
        undo(scene, step)
    assert scene.step(step.pk).state == StepState.INTENT


def test_a_rejection_stands_once_the_next_step_was_decided() -> None:
    scene = a_scene()
    step = decided(scene, "rejected", reason="no")
    decide(**scene.answer(scene.propose(page="next")))
    with pytest.raises(Conflict, match="next step"):
        undo(scene, step)


def test_time_goes_by() -> None:
    scene = a_scene()
    step = decided(scene, "approved")
    Step.objects.filter(pk=step.pk).update(decided_at=timezone.now() - timedelta(seconds=UNDO_S + 0.1))
    with pytest.raises(Conflict, match="time"):
        undo(scene, step)


def test_it_is_taken_back_once() -> None:
    scene = a_scene()
    step = decided(scene, "approved")
    undo(scene, step)
    with pytest.raises(Conflict):
        undo(scene, step)


def test_only_who_decided_may_take_it_back() -> None:
    scene = a_scene()
    step = decided(scene, "approved")
    with pytest.raises(Forbidden, match="Only who decided"):
        undo(scene, step, user=a_user(Role.ADMIN))
    automatic = scene.propose(Risk.READ, page="next")
    with pytest.raises(Forbidden):
        undo(scene, automatic)


def test_an_ended_session_and_a_strange_proposal_are_refused_by_name() -> None:
    scene = a_scene()
    for _ in range(3):
        step = decided(scene, "rejected", reason="no")
    with pytest.raises(Conflict, match="has ended"):
        undo(scene, step)
    with pytest.raises(NotFound):
        undo(scene, step, proposal_id="00000000-0000-0000-0000-000000000000")


def test_it_is_in_the_audit_log() -> None:
    scene = a_scene()
    step = decided(scene, "rejected", reason="no")
    undo(scene, step)
    entry = AuditEntry.objects.get(verb="session.undo")
    assert (entry.actor, entry.before) == (scene.reviewer.username, {"decision": "rejected", "state": "withdrawn"})
