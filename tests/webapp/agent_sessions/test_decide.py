"""A decision is for one proposal on one page, once, by somebody who may."""

import threading
from typing import Any

import pytest
from django.db import connection

from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    ActResult,
    Click,
    Finish,
    GiveUp,
    Navigate,
    Select,
    Type,
    Wait,
)
from sandbox.contracts.tasks import Risk
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_page, a_proposal, a_scene
from webapp.accounts.models import Role
from webapp.agent_sessions import actions, approvals, leases, proposals, situation, takeover
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.choosing import choose
from webapp.agent_sessions.corrections import objection
from webapp.agent_sessions.models import ApprovalRequest, Step
from webapp.agent_sessions.proposals import must_ask
from webapp.agent_sessions.session_row import Interrupted
from webapp.agent_sessions.states import SessionState, StepState
from webapp.agent_sessions.tasks import expire_overdue
from webapp.audit.models import AuditEntry
from webapp.problems import BadInput, Conflict, Forbidden

pytestmark = pytest.mark.django_db


def test_an_approved_step_is_carried_out_once() -> None:
    scene = a_scene()
    step = scene.propose()
    assert scene.session.state == SessionState.AWAITING_APPROVAL
    decide(**scene.answer(step))
    scene.carry_out(step)
    assert (scene.step(step.pk).state, scene.session.step_count) == (StepState.DONE, 1)
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)


def test_an_undecided_step_is_not_carried_out() -> None:
    scene = a_scene()
    step = scene.propose()
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)


def test_the_second_answer_hears_who_was_faster_and_when() -> None:
    scene = a_scene()
    step = scene.propose()
    decide(**scene.answer(step))
    late = a_user(Role.REVIEWER)
    with pytest.raises(Conflict) as refusal:
        decide(**{**scene.answer(step, "rejected"), "user": late})
    decided_at = scene.step(step.pk).decided_at
    assert decided_at is not None
    assert refusal.value.extra == {
        "decided_by": scene.reviewer.username,
        "decided_at": decided_at.isoformat(),
        "decision": "approved",
    }


def test_an_answer_for_another_page_does_not_count() -> None:
    scene = a_scene()
    step = scene.propose()
    with pytest.raises(Conflict, match="page has changed"):
        decide(**{**scene.answer(step), "fingerprint": "0" * 64})
    assert scene.step(step.pk).state == StepState.PROPOSED


def test_an_answer_for_a_superseded_proposal_does_not_count_for_the_next() -> None:
    scene = a_scene()
    old = scene.propose()
    assert proposals.supersede(**scene.host, step_id=old.pk, observation=a_page("next"))
    new = scene.propose(page="next")
    with pytest.raises(Conflict):
        decide(**scene.answer(old))
    assert scene.step(new.pk).state == StepState.PROPOSED
    assert scene.step(old.pk).decision == "cancelled"


def test_who_filed_the_ticket_does_not_decide_what_may_destroy() -> None:
    scene = a_scene()
    step = scene.propose(Risk.DESTRUCTIVE)
    with pytest.raises(Forbidden, match="somebody else"):
        decide(**{**scene.answer(step), "user": scene.filer})
    decide(**scene.answer(step))
    assert scene.step(step.pk).decided_by == scene.reviewer


def test_who_filed_the_ticket_does_not_slip_destruction_in_by_a_correction() -> None:
    scene = a_scene()
    step = scene.propose(Risk.REVERSIBLE)
    with pytest.raises(Forbidden):
        decide(**{**scene.answer(step, "corrected", action=Click(4)), "user": scene.filer})
    assert scene.step(step.pk).state == StepState.PROPOSED


def test_an_operator_decides_nothing() -> None:
    scene = a_scene()
    step = scene.propose()
    with pytest.raises(Forbidden, match="reviewer"):
        decide(**{**scene.answer(step), "user": a_user(Role.OPERATOR)})


def test_a_correction_is_classified_anew_and_audited_before_and_after() -> None:
    scene = a_scene()
    step = scene.propose(Risk.REVERSIBLE)
    decide(**scene.answer(step, "corrected", action=Click(4), reason="that one"))
    corrected = scene.step(step.pk)
    assert (corrected.risk, corrected.actor, corrected.decision) == ("destructive", "operator", "corrected")
    entry = AuditEntry.objects.filter(verb="session.decide").latest("id")
    assert entry.before == {"action": {"kind": "click", "element": 1}, "risk": "reversible"}
    assert entry.after is not None
    assert entry.after["action"] == {"kind": "click", "element": 4}


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (Click(9), "not on the page"),
        (Type(1, "x"), "takes no text"),
        (Select(3, "huge"), "no such option"),
        (Click(2), ""),
        (Type(2, "x"), ""),
        (Select(3, "large"), ""),
        (Navigate("javascript:alert(1)"), "no address"),
        (Navigate("http://ann:hunter2@host.example/"), "Leave the password out of the address"),
        (Type(2, "https://ann:hunter2@host.example/"), "Leave the password out of the address"),
        (Wait(), ""),
    ],
)
def test_a_correction_must_make_sense_on_the_page(action: Action, why: str) -> None:
    assert why in objection(action, a_page())
    assert bool(objection(action, a_page())) == bool(why)


def test_a_correction_without_an_action_is_refused_by_field() -> None:
    scene = a_scene()
    with pytest.raises(BadInput) as refusal:
        decide(**scene.answer(scene.propose(), "corrected"))
    assert set(refusal.value.errors) == {"action"}


def test_what_was_refused_on_a_page_is_not_proposed_there_again() -> None:
    scene = a_scene()
    decide(**scene.answer(scene.propose(), "rejected", reason="no"))
    refused = situation.refused(scene.session_id, a_page().fingerprint)
    second = choose(a_proposal(), refused)
    assert second is not None
    assert second.action == Click(4)
    assert situation.refused(scene.session_id, a_page("next").fingerprint) == []
    assert choose(a_proposal(), [Click(1), Click(4)]) is None


def test_a_rejected_proposal_is_remembered_when_the_page_is_come_back_to() -> None:
    scene = a_scene()
    decide(**scene.answer(scene.propose(), "rejected"))
    scene.carry_out(scene.propose(Risk.READ, proposal=a_proposal(Wait())))
    scene.carry_out(scene.propose(Risk.READ, page="next"), page="start")
    assert situation.refused(scene.session_id, a_page().fingerprint) == [Click(1)]


def test_a_corrected_proposal_is_kept_back_until_the_page_was_left() -> None:
    scene = a_scene()
    step = scene.propose()
    decide(**scene.answer(step, "corrected", action=Type(2, "x")))
    scene.carry_out(step, page="start")
    assert situation.refused(scene.session_id, a_page().fingerprint) == [Click(1)]
    scene.carry_out(scene.propose(Risk.READ, page="next"), page="start")
    assert situation.refused(scene.session_id, a_page().fingerprint) == []


def test_who_resumes_after_everything_was_refused_is_asked_again() -> None:
    scene = a_scene()
    decide(**scene.answer(scene.propose(), "rejected"))
    actions.pause_refused(**scene.host)
    assert scene.session.state == SessionState.PAUSED
    assert "take over" in scene.session.end_reason
    assert "resume" in scene.session.end_reason
    actions.resume(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert situation.refused(scene.session_id, a_page().fingerprint) == []
    assert scene.propose().state == StepState.PROPOSED


def a_stopped_step(scene: Scene, risk: Risk) -> None:
    """The way out stopped the request of a click on Save."""
    step = scene.propose(Risk.READ)
    proposals.begin_intent(**scene.host, step_id=step.pk)
    result = ActResult(ActOutcome.BLOCKED_REQUEST, f"POST /drop is {risk}; permitted was read")
    proposals.finish_act(**scene.host, step_id=step.pk, result=result, observation=a_page("next"), after="a" * 64)


def test_what_an_action_turned_out_to_ask_for_is_known_to_the_next_host_and_console() -> None:
    scene = a_scene()
    a_stopped_step(scene, Risk.COST)
    a_stopped_step(scene, Risk.DESTRUCTIVE)
    a_stopped_step(scene, Risk.CREDENTIAL)
    leases.opened(**scene.host, observation=a_page(), anew=True)
    assert situation.learnt_risk(scene.session_id, Click(1), a_page("another")) == Risk.DESTRUCTIVE
    assert situation.learnt_risk(scene.session_id, Click(4), a_page()) == Risk.READ
    assert situation.learnt_risk(a_scene().session_id, Click(1), a_page()) == Risk.READ


def test_who_filed_the_ticket_does_not_correct_to_what_turned_out_to_destroy() -> None:
    scene = a_scene()
    a_stopped_step(scene, Risk.DESTRUCTIVE)
    step = scene.propose(Risk.REVERSIBLE, proposal=a_proposal(Type(2, "x")))
    with pytest.raises(Forbidden):
        decide(**{**scene.answer(step, "corrected", action=Click(1)), "user": scene.filer})
    assert decide(**scene.answer(step, "corrected", action=Click(1))).risk == Risk.DESTRUCTIVE


def test_three_rejections_end_the_session() -> None:
    scene = a_scene()
    for _ in range(3):
        decide(**scene.answer(scene.propose(), "rejected"))
    assert scene.session.state == SessionState.REJECTED
    assert scene.session.ticket.state == "failed"


def test_silence_is_no_consent() -> None:
    scene = a_scene()
    step = scene.propose()
    ApprovalRequest.objects.update(due_at="2000-01-01T00:00Z")
    assert expire_overdue() == 1
    assert scene.session.state == SessionState.TIMED_OUT
    assert (scene.step(step.pk).state, scene.step(step.pk).decision) == (StepState.WITHDRAWN, "expired")
    with pytest.raises(Conflict):
        decide(**scene.answer(step))


def test_a_question_in_time_is_left_open() -> None:
    scene = a_scene()
    scene.propose()
    assert expire_overdue() == 0
    assert scene.session.state == SessionState.AWAITING_APPROVAL


@pytest.mark.parametrize(
    ("action", "risk", "up_to", "asks"),
    [
        (Click(1), Risk.READ, "nothing", True),
        (Click(1), Risk.READ, "read", False),
        (Click(1), Risk.REVERSIBLE, "read", True),
        (Click(1), Risk.REVERSIBLE, "reversible", False),
        (Click(1), Risk.COST, "reversible", True),
        (Click(1), Risk.COST, "cost", False),
        (Click(1), Risk.CREDENTIAL, "cost", True),
        (Click(1), Risk.DESTRUCTIVE, "cost", True),
        (Click(1), Risk.UNKNOWN, "cost", True),
        (Finish(), Risk.READ, "read", True),
        (Finish(), Risk.READ, "reversible", False),
        (GiveUp(), Risk.READ, "cost", True),
    ],
)
def test_the_approval_policy_is_a_table(action: Action, risk: Risk, up_to: str, asks: bool) -> None:
    assert must_ask(action, risk, up_to) is asks


def test_one_person_at_a_time_is_at_a_question() -> None:
    scene = a_scene()
    scene.propose()
    other = a_user(Role.REVIEWER)
    approvals.claim_approval(approval_id=scene.approval.pk, user=scene.reviewer, how="web")
    with pytest.raises(Conflict, match=scene.reviewer.username):
        approvals.claim_approval(approval_id=scene.approval.pk, user=other, how="web")
    approvals.release_approval(approval_id=scene.approval.pk, user=scene.reviewer, how="web")
    taken = approvals.claim_approval(approval_id=scene.approval.pk, user=other, how="web")
    assert taken.claimed_by == other


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(10))
def test_approve_and_reject_at_once_give_one_decision(round_: int) -> None:
    scene = a_scene()
    step = scene.propose()
    start, heard = threading.Barrier(2), dict[str, Any]()

    def press(decision: str) -> None:
        start.wait()
        try:
            heard[decision] = decide(**scene.answer(step, decision))
        except Conflict as loss:
            heard[decision] = loss
        finally:
            connection.close()

    presses = [threading.Thread(target=press, args=(each,)) for each in ("approved", "rejected")]
    for each in presses:
        each.start()
    for each in presses:
        each.join()
    won = [each for each, answer in heard.items() if isinstance(answer, Step)]
    lost = [answer for answer in heard.values() if isinstance(answer, Conflict)]
    assert won == [scene.step(step.pk).decision]
    assert [each.extra["decision"] for each in lost] == won
    assert_scene_is_whole(scene)


def assert_scene_is_whole(scene: Scene) -> None:
    """One decision was audited, one question closed."""
    assert AuditEntry.objects.filter(verb="session.decide", object_id=str(scene.session_id)).count() == 1
    assert ApprovalRequest.objects.filter(session_id=scene.session_id, state="pending").count() == 0


def test_an_answer_after_a_takeover_hears_of_the_takeover() -> None:
    scene = a_scene()
    step = scene.propose()
    taker = a_user(Role.REVIEWER)
    takeover.take_over(session_id=scene.session_id, user=taker, how="web")
    with pytest.raises(Conflict, match=f"closed: {taker.username} took over"):
        decide(**scene.answer(step))


@pytest.mark.parametrize("url", ["http://[", "javascript:alert(1)", "file:///etc/passwd", "//["])
def test_a_correction_to_what_is_no_address_is_refused(url: str) -> None:
    assert objection(Navigate(url), a_page()) == "That is no address."
