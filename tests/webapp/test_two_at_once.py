"""Two people, or a person and a host, at the same moment: one is first, the other hears of it, nobody is stuck."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_policy, a_scene, a_ticket, queued
from webapp.accounts.actions import change_person
from webapp.accounts.models import Role, User
from webapp.agent_sessions import actions, approvals, leases, takeover
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.states import ENDED, SessionState
from webapp.audit.models import AuditEntry
from webapp.audit.queries import verify
from webapp.problems import Problem
from webapp.rollouts import actions as rollouts
from webapp.rollouts.models import Alias, Rollout
from webapp.rollouts.queries import alias
from webapp.tickets.states import TicketState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
ROUNDS = 10


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each of these gave, or the problem it met, when all begin at the same moment."""
    start = threading.Barrier(len(calls))
    heard: list[Any] = [None] * len(calls)

    def make(place: int) -> None:
        start.wait()
        try:
            heard[place] = calls[place]()
        except Exception as problem:  # told to the test, which looks whether it may be
            heard[place] = problem
        finally:
            connection.close()

    threads = [threading.Thread(target=make, args=(place,)) for place in range(len(calls))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return heard


def faults(heard: list[Any]) -> list[Any]:
    """What went wrong without a name."""
    return [each for each in heard if isinstance(each, Exception) and not isinstance(each, Problem)]


def won(heard: list[Any]) -> int:
    return sum(not isinstance(each, Exception) for each in heard)


@pytest.fixture
def admin() -> User:
    return a_user(Role.ADMIN)


def a_rollout(admin: User) -> Rollout:
    rollouts.point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=admin, how="web")
    return rollouts.start_rollout(challenger=a_policy(), weight=50, user=admin, how="web")


def test_of_two_admins_who_promote_and_roll_back_one_is_first(admin: User) -> None:
    for _ in range(ROUNDS):
        rollout = a_rollout(admin)
        names: dict[str, Any] = {"rollout_id": rollout.pk, "user": admin, "how": "web", "reason": ""}
        heard = at_once(partial(rollouts.promote, **names), partial(rollouts.roll_back, **names))
        assert (faults(heard), won(heard)) == ([], 1)
        rollout.refresh_from_db()
        champion = {"promoted": rollout.challenger, "rolled_back": rollout.champion}[rollout.state]
        assert (alias(Alias.Name.CHAMPION), alias(Alias.Name.CHALLENGER)) == (champion, None)
    assert verify().ok


def test_of_two_admins_who_start_a_rollout_one_is_first(admin: User) -> None:
    rollouts.point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=admin, how="web")
    one, other = a_policy(), a_policy()
    heard = at_once(
        *(partial(rollouts.start_rollout, challenger=p, weight=10, user=admin, how="web") for p in (one, other))
    )
    assert (faults(heard), won(heard)) == ([], 1)
    assert alias(Alias.Name.CHALLENGER) == Rollout.objects.get().challenger


def test_sessions_that_end_while_their_rollout_is_promoted_are_counted(admin: User) -> None:
    for _ in range(ROUNDS):
        rollout = a_rollout(admin)
        scenes = [a_scene() for _ in range(3)]
        Session.objects.filter(state__in=[SessionState.RUNNING]).update(rollout=rollout)
        ends = [partial(actions.stop, session_id=s.session_id, user=s.reviewer, how="web") for s in scenes]
        heard = at_once(partial(rollouts.promote, rollout_id=rollout.pk, user=admin, how="web"), *ends)
        assert (faults(heard), won(heard)) == ([], 4)
        assert rollout.results.count() == 3


def test_a_reviewer_decides_while_the_filer_cancels() -> None:
    for _ in range(ROUNDS):
        scene = a_scene()
        answer = scene.answer(scene.propose())
        ticket_id = scene.session.ticket_id
        heard = at_once(
            partial(approvals.decide, **answer),
            partial(actions.cancel_ticket, ticket_id=ticket_id, user=scene.filer, how="web"),
        )
        assert faults(heard) == []
        assert heard[1].state == TicketState.CANCELLED
        assert scene.session.state == SessionState.CANCELLED
        assert scene.session.steps.get().state == "withdrawn"
        assert scene.session.approvals.get().state in ("cancelled", "approved")


def test_a_host_claims_while_the_filer_cancels() -> None:
    filer = a_user()
    for _ in range(ROUNDS):
        session = queued(a_ticket(filer))
        heard = at_once(
            partial(leases.claim, holder="here/boot:1:1", machine="here"),
            partial(actions.cancel_ticket, ticket_id=session.ticket_id, user=filer, how="web"),
        )
        assert (faults(heard), won(heard)) == ([], 2)
        session.refresh_from_db()
        assert (session.state, session.ticket.state) == (SessionState.CANCELLED, TicketState.CANCELLED)
        assert leases.claim(holder="here/boot:2:2", machine="here") is None


def test_two_hosts_claim_two_sessions_once_each() -> None:
    filer = a_user()
    for _ in range(ROUNDS):
        wanted = {queued(a_ticket(filer)).pk for _ in range(2)}
        heard = at_once(*(partial(leases.claim, holder=f"here/boot:{m}:1", machine="here") for m in range(2)))
        assert faults(heard) == []
        claimed = {claim.session_id for claim in heard if claim is not None}
        claimed |= {claim.session_id for claim in [leases.claim(holder="here/boot:9:1", machine="here")] if claim}
        assert claimed == wanted
        actions.stop(session_id=min(wanted), user=filer, how="web")
        actions.stop(session_id=max(wanted), user=filer, how="web")
        Session.objects.update(lease_expires_at=None)


def test_a_cancelled_ticket_has_nothing_at_work_also_when_it_is_rerun_at_the_same_moment() -> None:
    filer = a_user()
    for _ in range(ROUNDS):
        ticket = actions.file_ticket(user=filer, how="web", environment="cloud", text="look around")
        actions.stop(session_id=ticket.sessions.get().pk, user=filer, how="web")
        names: dict[str, Any] = {"ticket_id": ticket.pk, "user": filer, "how": "web"}
        heard = at_once(
            *(partial(actions.rerun_ticket, **names) for _ in range(2)),
            partial(actions.cancel_ticket, **names),
        )
        assert faults(heard) == []
        ticket.refresh_from_db()
        at_work = ticket.sessions.exclude(state__in=ENDED).count()
        assert (ticket.state, at_work) in {(TicketState.OPEN, 1), (TicketState.CANCELLED, 0)}


def demote(subject: User, by: User) -> User:
    return change_person(user_id=subject.pk, role=Role.OPERATOR, is_active=None, password=None, by=by, how="web")


def test_two_admins_who_demote_each_other_leave_one() -> None:
    for _ in range(ROUNDS):
        User.objects.update(role=Role.OPERATOR)
        one, other = a_user(Role.ADMIN), a_user(Role.ADMIN)
        heard = at_once(partial(demote, one, other), partial(demote, other, one))
        assert (faults(heard), won(heard)) == ([], 1)
        assert User.objects.filter(role=Role.ADMIN, is_active=True).count() == 1


def test_a_person_decides_while_an_admin_changes_them(admin: User) -> None:
    scenes: list[Scene] = []
    for _ in range(ROUNDS):
        scene = a_scene()
        scenes.append(scene)
        answer = scene.answer(scene.propose())
        change: dict[str, Any] = {"user_id": scene.reviewer.pk, "role": Role.ADMIN, "is_active": None, "password": None}
        heard = at_once(partial(approvals.decide, **answer), partial(change_person, **change, by=admin, how="web"))
        assert (faults(heard), won(heard)) == ([], 2)
    assert AuditEntry.objects.filter(verb="session.decide").count() == len(scenes)
    assert verify().ok


def test_who_waits_for_a_session_sees_who_has_taken_it_meanwhile() -> None:
    for _ in range(ROUNDS):
        scene = a_scene()
        takers = [a_user(Role.REVIEWER), a_user(Role.REVIEWER)]
        heard = at_once(
            *[partial(takeover.take_over, session_id=scene.session_id, user=each, how="web") for each in takers]
        )
        assert (faults(heard), won(heard)) == ([], 1)
        said = [each.extra["controlled_by"] for each in heard if isinstance(each, Problem)]
        assert said == [str(scene.session.controlled_by)]
