"""Every write about who holds a session: claim, renew, release, and the browser that goes with it."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from sandbox.contracts import storage
from sandbox.contracts.observations import Observation
from webapp.agent_sessions import events
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.session_row import audit, held, locked, move, put
from webapp.agent_sessions.states import LIVE, SessionState
from webapp.rollouts.queries import assignment

LEASE_S = 10.0
HEARTBEAT_S = 2.5
OTHER_MACHINE_S = 60.0  # a session is left to the hosts of its own machine for so long


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One session taken; `previous` is who held it, "" where nobody or where they let go of it."""

    session_id: int
    fence: int
    previous: str


@transaction.atomic
def claim(*, holder: str, machine: str) -> Claim | None:
    """Take the most urgent session that nobody holds: abandoned ones first, then the queue by priority and age."""
    lapsed = Q(lease_expires_at__lt=Now()) & (
        Q(lease_holder="")
        | Q(lease_holder__startswith=f"{machine}/")
        | Q(lease_expires_at__lt=Now() - timedelta(seconds=OTHER_MACHINE_S))
    )
    abandoned = lapsed & (Q(state__in=LIVE) | Q(handle__isnull=False))
    first = Case(When(state=SessionState.QUEUED, then=Value(1)), default=Value(0), output_field=IntegerField())
    row = (
        Session.objects.select_for_update(no_key=True, of=("self",), skip_locked=True)
        .filter(Q(state=SessionState.QUEUED) | abandoned)
        .order_by(first, "ticket__priority", "created_at", "pk")
        .first()
    )
    if row is None:
        return None
    session = locked(row.pk)
    previous = session.lease_holder
    Session.objects.filter(pk=session.pk).update(
        lease_holder=holder, lease_expires_at=Now() + timedelta(seconds=LEASE_S), fence=session.fence + 1
    )
    session.fence += 1
    if session.state == SessionState.QUEUED:
        _start(session)
    audit(session, "claim", user=None, how="host", after={"holder": holder, "fence": session.fence})
    return Claim(session_id=session.pk, fence=session.fence, previous=previous)


def _start(session: Session) -> None:
    chosen = assignment(session.ticket_id)
    Session.objects.filter(pk=session.pk).update(rollout=chosen.rollout)
    move(session, SessionState.STARTING, policy_version=chosen.policy, arm=chosen.arm, started_at=timezone.now())
    events.lists_changed("tickets")


def renew(*, holder: str, fences: dict[int, int]) -> set[int]:
    """Keep the leases of these sessions; returns those that were lost."""
    lost = set()
    for session_id, fence in fences.items():
        kept = Session.objects.filter(pk=session_id, fence=fence, lease_holder=holder).update(
            lease_expires_at=Now() + timedelta(seconds=LEASE_S)
        )
        if not kept:
            lost.add(session_id)
    return lost


def holders(*, machine: str) -> list[str]:
    """Who holds sessions on this machine."""
    held_here = Session.objects.filter(lease_holder__startswith=f"{machine}/", lease_expires_at__gte=Now())
    return list(held_here.values_list("lease_holder", flat=True).distinct())


def give_up(*, holder: str) -> None:
    """Its process is gone: what it held need not wait for the leases to run out."""
    Session.objects.filter(lease_holder=holder).update(lease_expires_at=Now())


def release(*, session_id: int, fence: int) -> None:
    """Let go of a session whose browser goes on; the next host attaches to it."""
    Session.objects.filter(pk=session_id, fence=fence).update(lease_holder="", lease_expires_at=Now())


@transaction.atomic
def remember_browser(*, session_id: int, fence: int, handle: Any) -> None:
    """Write down how to find the browser again, as soon as there is one."""
    session = held(session_id, fence)
    Session.objects.filter(pk=session.pk).update(handle=storage.to_builtins(handle))


@transaction.atomic
def opened(*, session_id: int, fence: int, observation: Observation, anew: bool) -> None:
    """The browser is at a page. `anew`: the console was begun from the start, so earlier steps belong to a lost one."""
    session = held(session_id, fence)
    if anew:
        last = session.steps.order_by("-index").first()
        Session.objects.filter(pk=session.pk).update(first_step=last.index + 1 if last else 1)
    show(session, observation)
    if session.state == SessionState.STARTING:
        move(session, SessionState.RUNNING)
        events.lists_changed("tickets")
    audit(session, "open", user=None, how="host", after={"anew": anew, "fence": fence})


@transaction.atomic
def observed(*, session_id: int, fence: int, observation: Observation) -> None:
    """Show live pages what the page looks like now."""
    show(held(session_id, fence), observation)


def show(session: Session, observation: Observation) -> None:
    """Write the page of a locked session where it differs from what live pages have."""
    seen = json.loads(storage.to_json(observation))  # lists, as the column gives them back
    if seen != session.observation:
        put(session, observation=seen, fingerprint=observation.fingerprint)
        events.page_changed(session)
