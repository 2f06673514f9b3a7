"""Numbers of the first page, out of every app's reads."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema

from webapp.access import needs
from webapp.accounts.models import Role, Scope
from webapp.agent_sessions.models import ApprovalRequest, Session
from webapp.agent_sessions.states import LIVE, ApprovalState, ReviewState
from webapp.rollouts.models import Alias, Rollout
from webapp.rollouts.queries import alias, human_only
from webapp.tickets.api import TicketRow, ticket_rows
from webapp.tickets.models import Ticket
from webapp.tickets.queries import tickets
from webapp.tickets.states import TicketState
from webapp.training.queries import plan, trained_on
from webapp.trajectories.queries import accepted_since

router = Router(tags=["home"])


class Home(Schema):
    open_tickets: int
    waiting_approvals: int
    waiting_reviews: int
    running_sessions: int
    verified_7d: int
    judged_7d: int
    verified_rate_7d: float | None
    accepted_since_training: int
    train_after: int
    champion: str | None
    rollout: int | None
    human_only: bool
    recent: list[TicketRow]


@router.get("/home", response=Home, **needs(Role.OPERATOR, Scope.READ))
def home(request: HttpRequest) -> dict[str, Any]:
    week = Session.objects.filter(ended_at__gte=timezone.now() - timedelta(days=7))
    judged = week.filter(outcome__in=["verified", "failed"]).count()
    verified = week.filter(outcome="verified").count()
    champion = alias(Alias.Name.CHAMPION)
    rollout = Rollout.objects.filter(state__in=[Rollout.State.RUNNING, Rollout.State.PAUSED]).first()
    return {
        "open_tickets": Ticket.objects.filter(state=TicketState.OPEN).count(),
        "waiting_approvals": ApprovalRequest.objects.filter(state=ApprovalState.PENDING).count(),
        "waiting_reviews": Session.objects.filter(review_state=ReviewState.WAITING).count(),
        "running_sessions": Session.objects.filter(state__in=LIVE).count(),
        "verified_7d": verified,
        "judged_7d": judged,
        "verified_rate_7d": verified / judged if judged else None,
        "accepted_since_training": accepted_since(trained_on()),
        "train_after": plan().after_accepted,
        "champion": champion.name if champion else None,
        "rollout": rollout.pk if rollout else None,
        "human_only": human_only(),
        "recent": ticket_rows(tickets()[:8]),
    }
