"""A person at the wheel: asked for, given when the agent has stopped, recorded, given back."""

import pytest

from sandbox.contracts.actions import ActOutcome, ActResult, Finish, Type
from sandbox.contracts.takeover import HandEvent, KeyStroke, Pointer
from sandbox.contracts.tasks import Risk
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_page, a_scene
from webapp.accounts.models import Role
from webapp.agent_sessions import actions, proposals, situation, takeover
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.session_row import Interrupted
from webapp.agent_sessions.states import Control, SessionState, StepState
from webapp.audit.models import AuditEntry
from webapp.problems import Conflict

pytestmark = pytest.mark.django_db


def a_driven_scene() -> Scene:
    """The reviewer has the wheel."""
    scene = a_scene()
    takeover.take_over(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert takeover.grant_control(**scene.host)
    return scene


def test_taking_over_withdraws_the_open_question() -> None:
    scene = a_scene()
    step = scene.propose()
    takeover.take_over(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert scene.session.control == Control.USER_PENDING
    assert scene.step(step.pk).state == StepState.WITHDRAWN
    with pytest.raises(Conflict):
        decide(**scene.answer(step))


def test_a_step_decided_before_a_takeover_is_not_carried_out_after_it() -> None:
    scene = a_scene()
    step = scene.propose()
    decide(**scene.answer(step))
    takeover.take_over(session_id=scene.session_id, user=scene.reviewer, how="web")
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)


def test_an_act_that_is_under_way_is_finished_before_the_wheel_is_given() -> None:
    scene = a_scene()
    step = scene.propose(Risk.READ)
    proposals.begin_intent(**scene.host, step_id=step.pk)
    takeover.take_over(session_id=scene.session_id, user=scene.reviewer, how="web")
    done = ActResult(ActOutcome.DONE)
    proposals.finish_act(**scene.host, step_id=step.pk, result=done, observation=a_page("next"), after="a" * 64)
    assert takeover.grant_control(**scene.host)
    assert (scene.session.state, scene.session.control) == (SessionState.USER_CONTROL, Control.USER)


def test_only_one_person_has_the_wheel() -> None:
    scene = a_driven_scene()
    other = a_user(Role.REVIEWER)
    with pytest.raises(Conflict, match=scene.reviewer.username):
        takeover.take_over(session_id=scene.session_id, user=other, how="web")
    with pytest.raises(Conflict):
        takeover.hand(session_id=scene.session_id, user=other, how="web", inputs=[Pointer(1, 1)])


def test_inputs_go_to_the_browser_in_order_and_once_and_leave_nothing_typed_behind() -> None:
    scene = a_driven_scene()
    typed: list[HandEvent] = [Pointer(20, 50), KeyStroke("x"), KeyStroke("Enter")]
    takeover.hand(session_id=scene.session_id, user=scene.reviewer, how="web", inputs=typed)
    takeover.finish(session_id=scene.session_id, user=scene.reviewer, how="web", answer="7")
    taken = [takeover.next_input(**scene.host) for _ in range(5)]
    assert [each and each[1] for each in taken] == [*typed, Finish("7"), None]
    assert [row.data for row in scene.session.inputs.filter(data__kind="key")] == [{"kind": "key"}] * 2
    assert AuditEntry.objects.filter(verb="session.hand").latest("id").after == {"inputs": 3}


def test_what_a_person_does_is_recorded_as_a_demonstration() -> None:
    scene = a_driven_scene()
    takeover.record_demonstration(
        **scene.host,
        user=scene.reviewer,
        seen=a_page(),
        action=Type(2, "logs to https://ann:hunter2@host.example/"),
        risk=Risk.REVERSIBLE,
        result=ActResult(ActOutcome.DONE),
        now=a_page("next"),
        before="b" * 64,
        after="a" * 64,
    )
    step = scene.session.steps.get()
    assert (step.actor, step.proposal, step.decided_by) == ("operator", None, scene.reviewer)
    assert [each.action for each in situation.history(scene.session_id)] == [
        Type(2, "logs to https://ann:•••@host.example/")
    ]


def test_handing_back_lets_the_agent_go_on() -> None:
    scene = a_driven_scene()
    takeover.hand_back(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert (scene.session.state, scene.session.control) == (SessionState.RUNNING, Control.AGENT)
    assert scene.propose().state == StepState.PROPOSED


def test_a_pause_withdraws_the_question_and_an_answer_that_comes_late_does_nothing() -> None:
    scene = a_scene()
    step = scene.propose()
    actions.pause(session_id=scene.session_id, user=scene.reviewer, how="web")
    with pytest.raises(Conflict):
        decide(**scene.answer(step))
    with pytest.raises(Interrupted):
        scene.propose()
    actions.resume(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert scene.propose().state == StepState.PROPOSED


def test_a_stopped_session_does_nothing_more_and_its_ticket_failed() -> None:
    scene = a_scene()
    step = scene.propose(Risk.READ)
    actions.stop(session_id=scene.session_id, user=scene.reviewer, how="web", reason="wrong ticket")
    assert (scene.session.state, scene.session.end_reason) == (SessionState.CANCELLED, "wrong ticket")
    assert scene.session.ticket.state == "failed"
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)
    with pytest.raises(Conflict):
        actions.stop(session_id=scene.session_id, user=scene.reviewer, how="web")


def test_cancelling_a_ticket_stops_its_session_and_a_rerun_begins_another() -> None:
    scene = a_scene()
    scene.propose()
    ticket_id = scene.session.ticket_id
    ticket = actions.cancel_ticket(ticket_id=ticket_id, user=scene.filer, how="web")
    assert (ticket.state, scene.session.state) == ("cancelled", SessionState.CANCELLED)
    assert scene.approval.state == "cancelled"


def test_a_rerun_waits_for_the_attempt_under_way() -> None:
    scene = a_scene()
    with pytest.raises(Conflict, match="still at work"):
        actions.rerun_ticket(ticket_id=scene.session.ticket_id, user=scene.filer, how="web")
