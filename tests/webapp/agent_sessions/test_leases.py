"""One host at a time; who lost its lease writes nothing; what the last host left uncertain is settled by looking."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.actions import Click
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import Risk
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import a_page, a_scene, a_ticket, queued
from webapp.accounts.models import Role
from webapp.agent_sessions import identity, leases, proposals, situation
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.session_row import Interrupted, LeaseLost
from webapp.agent_sessions.states import SessionState, StepState
from webapp.rollouts.actions import set_human_only

pytestmark = pytest.mark.django_db
ME = {"holder": "here/boot:1:1", "machine": "here"}
LONG_AGO = "2000-01-01T00:00Z"


def test_the_most_urgent_ticket_is_claimed_first() -> None:
    filer = a_user()
    calm, urgent = queued(a_ticket(filer, priority=3)), queued(a_ticket(filer, priority=1))
    claims = [leases.claim(**ME) for _ in range(3)]
    assert [claim and claim.session_id for claim in claims] == [urgent.pk, calm.pk, None]


def test_a_session_in_a_living_lease_is_nobody_elses() -> None:
    a_scene()
    assert leases.claim(holder="here/boot:2:2", machine="here") is None


def test_a_lapsed_lease_is_taken_with_a_higher_fence_and_the_old_host_can_write_nothing() -> None:
    scene = a_scene()
    Session.objects.update(lease_expires_at=LONG_AGO)
    claim = leases.claim(holder="here/boot:2:2", machine="here")
    assert claim is not None
    assert (claim.fence, claim.previous) == (scene.fence + 1, "here/boot:1:1")
    with pytest.raises(LeaseLost):
        scene.propose()
    with pytest.raises(LeaseLost):
        leases.observed(**scene.host, observation=a_page("next"))
    assert leases.renew(holder=ME["holder"], fences={scene.session_id: scene.fence}) == {scene.session_id}


def test_a_session_of_another_machine_is_left_to_it_for_a_minute() -> None:
    scene = a_scene()
    Session.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=20))
    assert leases.claim(holder="there/boot:2:2", machine="there") is None
    Session.objects.update(lease_expires_at=LONG_AGO)
    claim = leases.claim(holder="there/boot:2:2", machine="there")
    assert claim is not None
    assert claim.session_id == scene.session_id


def test_a_released_session_is_free_at_once_and_its_holder_let_go() -> None:
    scene = a_scene()
    leases.release(session_id=scene.session_id, fence=scene.fence)
    Session.objects.update(lease_expires_at=LONG_AGO)  # the test's transaction stands still in time
    claim = leases.claim(holder="here/boot:2:2", machine="here")
    assert claim is not None
    assert identity.fate(claim.previous) == "gone"


def test_what_a_gone_process_held_is_given_up_at_once() -> None:
    scene = a_scene()
    assert leases.holders(machine="here") == ["here/boot:1:1"]
    leases.give_up(holder="here/boot:1:1")
    assert leases.renew(holder="here/boot:2:2", fences={scene.session_id: scene.fence}) == {scene.session_id}


def test_holders_can_be_told_apart() -> None:
    me = identity.holder()
    where, _, rest = me.partition("/")
    boot, pid, begun = rest.split(":", 2)
    assert identity.fate(me) == "alive"
    assert identity.fate("") == "gone"
    assert identity.fate(f"{where}/{boot}:{pid}:{int(begun) + 1}") == "gone"
    assert identity.fate(f"{where}/another-boot:{pid}:{begun}") == "gone"
    assert identity.fate(f"elsewhere/{boot}:{pid}:{begun}") == "elsewhere"


def test_an_intended_step_without_result_is_uncertain_and_never_just_repeated() -> None:
    scene = a_scene()
    step = scene.propose(Risk.READ)
    proposals.begin_intent(**scene.host, step_id=step.pk)
    assert proposals.mark_uncertain(**scene.host) == step.pk
    assert scene.step(step.pk).state == StepState.UNCERTAIN
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)


@pytest.mark.parametrize(("happened", "state", "count"), [(True, StepState.DONE, 1), (False, StepState.WITHDRAWN, 0)])
def test_an_uncertain_step_is_settled_by_looking(happened: bool, state: StepState, count: int) -> None:
    scene = a_scene()
    step = scene.propose(Risk.READ)
    proposals.begin_intent(**scene.host, step_id=step.pk)
    proposals.mark_uncertain(**scene.host)
    proposals.settle(**scene.host, step_id=step.pk, happened=happened, observation=a_page("next"))
    assert (scene.step(step.pk).state, scene.session.step_count) == (state, count)


def test_human_only_stops_a_decided_step_before_it_is_carried_out() -> None:
    scene = a_scene()
    step = scene.propose(Risk.READ)
    set_human_only(on=True, reason="drill", user=a_user(Role.ADMIN), how="web")
    with pytest.raises(Interrupted):
        proposals.begin_intent(**scene.host, step_id=step.pk)
    with pytest.raises(Interrupted):
        scene.propose(Risk.READ)


def test_a_console_begun_anew_forgets_the_steps_of_the_lost_one() -> None:
    scene = a_scene()
    scene.carry_out(scene.propose(Risk.READ))
    assert len(situation.history(scene.session_id)) == 1
    leases.opened(**scene.host, observation=a_page(), anew=True)
    assert situation.history(scene.session_id) == []
    assert situation.situation(scene.session_id).steps_taken == 0
    assert scene.session.state == SessionState.RUNNING


def test_a_proposal_is_kept_word_for_word() -> None:
    scene = a_scene()
    step = scene.propose()
    kept: Proposal = storage.from_builtins(step.proposal, Proposal)
    assert (kept.action, kept.probability, kept.policy) == (Click(1), 0.9, "v1")
