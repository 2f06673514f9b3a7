"""Whatever hosts and people do, in whatever order: snapshot + events == fresh snapshot, and nothing acts undecided."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from sandbox.contracts.actions import ActOutcome, ActResult, Click, Finish
from sandbox.contracts.tasks import Outcome, Risk, Verification
from tests.webapp.agent_sessions.cast import a_page, a_scene, folded, seen
from webapp.agent_sessions import actions, approvals, leases, proposals, review, takeover
from webapp.agent_sessions.models import ApprovalRequest, Session, Step
from webapp.agent_sessions.session_row import Interrupted, LeaseLost
from webapp.agent_sessions.states import SessionState
from webapp.problems import Problem

PAGES = st.sampled_from(["start", "next", "other"])
REFUSED = (Problem, Interrupted, LeaseLost, Step.DoesNotExist)


class People(RuleBasedStateMachine):
    """Every verb may be tried at any time; what is not legal then must refuse and change nothing."""

    @initialize()
    def begin(self) -> None:
        self.clean = transaction.savepoint()
        review.seed_taxonomy()
        self.scene = a_scene()
        self.first = seen(self.scene.session_id)

    def teardown(self) -> None:
        if hasattr(self, "clean"):
            transaction.savepoint_rollback(self.clean)

    def attempt(self, verb: Callable[..., Any], **fields: Any) -> None:
        before = seen(self.scene.session_id)
        try:
            verb(**fields)
        except REFUSED:
            assert seen(self.scene.session_id) == before

    def person(self) -> dict[str, Any]:
        return {"session_id": self.scene.session_id, "user": self.scene.reviewer, "how": "web"}

    def last_step(self) -> int:
        step = Step.objects.filter(session_id=self.scene.session_id).order_by("-index").first()
        return step.pk if step else 0

    @rule(page=PAGES, risk=st.sampled_from(list(Risk)), ask=st.booleans())
    def propose(self, page: str, risk: Risk, ask: bool) -> None:
        self.attempt(self.scene.propose, risk=risk, page=page, ask=ask)

    @rule(decision=st.sampled_from(["approved", "rejected", "corrected"]), element=st.sampled_from([1, 4, 9]))
    def decide(self, decision: str, element: int) -> None:
        step = Step.objects.filter(session_id=self.scene.session_id).order_by("-index").first() or Step(fingerprint="x")
        self.attempt(approvals.decide, **self.scene.answer(step, decision), action=Click(element))

    @rule()
    def intend(self) -> None:
        self.attempt(proposals.begin_intent, **self.scene.host, step_id=self.last_step())

    @rule(page=PAGES)
    def finish_act(self, page: str) -> None:
        self.attempt(
            proposals.finish_act,
            **self.scene.host,
            step_id=self.last_step(),
            result=ActResult(ActOutcome.DONE),
            observation=a_page(page),
            after="a" * 64,
        )

    @rule(page=PAGES)
    def supersede(self, page: str) -> None:
        self.attempt(proposals.supersede, **self.scene.host, step_id=self.last_step(), observation=a_page(page))

    @rule(page=PAGES, happened=st.booleans())
    def host_dies(self, page: str, happened: bool) -> None:
        Session.objects.filter(pk=self.scene.session_id).update(lease_expires_at="2000-01-01T00:00Z")
        claim = leases.claim(holder="here/boot:2:2", machine="here")
        if claim is None:
            return
        self.scene.fence = claim.fence
        step_id = proposals.mark_uncertain(**self.scene.host)
        if step_id is not None:
            proposals.settle(**self.scene.host, step_id=step_id, happened=happened, observation=a_page(page))

    @rule(verb=st.sampled_from([takeover.take_over, takeover.hand_back, actions.pause, actions.resume]))
    def steer(self, verb: Callable[..., Any]) -> None:
        self.attempt(verb, **self.person())

    @rule()
    def grant(self) -> None:
        self.attempt(takeover.grant_control, **self.scene.host)

    @rule(page=PAGES)
    def demonstrate(self, page: str) -> None:
        self.attempt(takeover.finish, **self.person(), answer="")
        taken = takeover.next_input(**self.scene.host)
        if taken is not None:
            takeover.record_demonstration(
                **self.scene.host,
                user=taken[0],
                seen=a_page(),
                action=Finish(),
                risk=Risk.READ,
                result=ActResult(ActOutcome.DONE),
                now=a_page(page),
                before="b" * 64,
                after="a" * 64,
            )

    @rule()
    def claim_approval(self) -> None:
        approval = ApprovalRequest.objects.filter(session_id=self.scene.session_id).order_by("-id").first()
        if approval is not None:
            self.attempt(approvals.claim_approval, approval_id=approval.pk, user=self.scene.reviewer, how="web")

    @rule(label=st.sampled_from(["loop", "harm", "nonsense"]), on_step=st.booleans())
    def mark(self, label: str, on_step: bool) -> None:
        self.attempt(review.mark, **self.person(), label=label, step_id=self.last_step() if on_step else None)

    @rule()
    def unmark(self) -> None:
        mark = self.scene.session.marks.first()
        self.attempt(review.unmark, **self.person(), mark_id=mark.pk if mark else 0)

    @rule(outcome=st.sampled_from(list(Outcome)), dice=st.integers(0, 5))
    def end(self, outcome: Outcome, dice: int) -> None:
        if dice == 0:
            self.attempt(
                actions.end_held,
                **self.scene.host,
                state=SessionState.COMPLETED,
                reason="finished",
                verification=Verification(outcome),
            )

    @rule(dice=st.integers(0, 9))
    def stop(self, dice: int) -> None:
        if dice == 0:
            self.attempt(actions.stop, **self.person())

    @rule()
    def expire(self) -> None:
        ApprovalRequest.objects.filter(session_id=self.scene.session_id).update(due_at="2000-01-01T00:00Z")
        approval = ApprovalRequest.objects.filter(session_id=self.scene.session_id).order_by("-id").first()
        self.first = seen(self.scene.session_id)  # the due date was moved by hand, not by an event
        if approval is not None:
            self.attempt(proposals.expire_approval, approval_id=approval.pk)

    @rule()
    def reject(self) -> None:
        self.attempt(review.review, **self.person(), verdict="reject", labels=["loop"])

    @invariant()
    def events_tell_everything(self) -> None:
        assert folded(self.first) == seen(self.scene.session_id)

    @invariant()
    def nothing_acts_undecided(self) -> None:
        acted = self.scene.session.steps.filter(state__in=["intent", "done", "uncertain"], actor="policy")
        assert set(acted.values_list("decision", flat=True)) <= {"approved"}

    @invariant()
    def a_question_is_open_exactly_while_awaited(self) -> None:
        is_open = ApprovalRequest.objects.filter(session_id=self.scene.session_id, state="pending").count()
        assert is_open == (self.scene.session.state == SessionState.AWAITING_APPROVAL)


@pytest.mark.django_db
def test_snapshot_and_events_give_the_fresh_snapshot_for_every_verb() -> None:
    budget = settings(max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(People, settings=budget)
