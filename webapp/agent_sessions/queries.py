"""Every read about sessions."""

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from webapp.accounts.models import Role, User
from webapp.agent_sessions import snapshot
from webapp.agent_sessions.approvals import blocked_reason
from webapp.agent_sessions.models import ApprovalRequest, FailureLabel, Session, SessionEvent
from webapp.agent_sessions.schemas import Can, SessionView
from webapp.agent_sessions.session_row import locked
from webapp.agent_sessions.states import ENDED, ApprovalState, Control, ReviewState, SessionState
from webapp.problems import NotFound

_LISTED = ("ticket__filed_by", "policy_version")


def sessions(
    *,
    state: str = "",
    ticket: int | None = None,
    outcome: str = "",
    policy: int | None = None,
    rollout: int | None = None,
) -> QuerySet[Session]:
    """Sessions by filter, newest first, with the number of corrections and demonstrations."""
    rows = _with_counts(Session.objects.select_related(*_LISTED)).order_by("-id")
    if state:
        rows = rows.filter(state=state)
    if ticket is not None:
        rows = rows.filter(ticket_id=ticket)
    if outcome:
        rows = rows.filter(outcome=outcome)
    if policy is not None:
        rows = rows.filter(policy_version__number=policy)
    if rollout is not None:
        rows = rows.filter(rollout_id=rollout)
    return rows


def to_review(*, environment: str = "", template: str = "", outcome: str = "") -> QuerySet[Session]:
    """Ended sessions that wait for a verdict, oldest first."""
    rows = sessions(outcome=outcome).filter(review_state=ReviewState.WAITING)
    if environment:
        rows = rows.filter(ticket__environment=environment)
    if template:
        rows = rows.filter(ticket__template=template)
    return rows.order_by("ended_at", "id")


def _with_counts(rows: QuerySet[Session]) -> QuerySet[Session]:
    return rows.annotate(
        corrections=Count("steps", filter=Q(steps__decision="corrected")),
        demonstrations=Count("steps", filter=Q(steps__actor="operator", steps__proposal=None)),
    )


def approvals(*, environment: str = "", risk: str = "") -> QuerySet[ApprovalRequest]:
    """Open questions, riskiest first and then oldest."""
    rows = (
        ApprovalRequest.objects.filter(state=ApprovalState.PENDING)
        .select_related("step__decided_by", "session__ticket__filed_by", "claimed_by")
        .prefetch_related("step__marks__label")
        .order_by("-risk_rank", "asked_at")
    )
    if environment:
        rows = rows.filter(session__ticket__environment=environment)
    if risk:
        rows = rows.filter(step__risk=risk)
    return rows


@transaction.atomic
def session_view(session_id: int, user: User) -> SessionView:
    """One session whole, at one moment, as this person may see and handle it."""
    session = locked(session_id)
    seen = snapshot.snapshot(session)
    if seen.approval is not None:
        seen.approval.blocked_reason = blocked_reason(user, session, seen.approval.risk)
    view = SessionView.model_validate({**seen.model_dump(), "can": can(session, user).model_dump()})
    return view


def can(session: Session, user: User) -> Can:
    """What this person may do with a session now."""
    reviewer = user.is_at_least(Role.REVIEWER)
    live = session.state not in ENDED
    under_way = live and session.state not in (SessionState.QUEUED, SessionState.STARTING)
    mine = session.ticket.filed_by_id == user.pk
    return Can(
        decide=reviewer and session.state == SessionState.AWAITING_APPROVAL,
        take_over=reviewer and under_way and session.control == Control.AGENT,
        hand_back=reviewer and live and session.control != Control.AGENT,
        pause=reviewer and session.state in (SessionState.RUNNING, SessionState.AWAITING_APPROVAL),
        resume=reviewer and session.state == SessionState.PAUSED,
        stop=live and (reviewer or mine),
        review=reviewer and session.review_state == ReviewState.WAITING,
        label=session.state != SessionState.QUEUED,
    )


def events_after(session_id: int, seq: int, *, limit: int = 500) -> list[SessionEvent]:
    """The events that follow one, in order."""
    return list(SessionEvent.objects.filter(session_id=session_id, seq__gt=seq).order_by("seq")[:limit])


def last_seq(session_id: int) -> int | None:
    """The number of a session's last event; None where there is no such session."""
    return Session.objects.filter(pk=session_id).values_list("event_seq", flat=True).first()


def observation(session_id: int, index: int) -> dict[str, object]:
    """What a step was taken on."""
    seen = (
        Session.objects.filter(pk=session_id, steps__index=index).values_list("steps__observation", flat=True).first()
    )
    if seen is None:
        raise NotFound(f"Session {session_id} has no step {index}.")
    return dict(seen)


def is_frame(content_hash: str) -> bool:
    """Whether this picture belongs to a step that can be seen."""
    return Session.objects.filter(Q(steps__before=content_hash) | Q(steps__after=content_hash)).exists()


def labels() -> QuerySet[FailureLabel]:
    """The failure taxonomy, archived entries last."""
    return FailureLabel.objects.order_by("archived", F("position"), "key")
