"""HTTP of tickets, templates and environments."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Field, Header, Query, Router, Schema, Status

from sandbox import sessions as sandbox
from sandbox.contracts.storage import to_builtins
from sandbox.contracts.tasks import Template
from webapp.access import caller, needs
from webapp.accounts.models import Role, Scope
from webapp.agent_sessions import actions as session_actions
from webapp.agent_sessions.models import Session
from webapp.pages import Page, Window
from webapp.problems import NotFound
from webapp.rollouts.models import Alias
from webapp.rollouts.queries import alias
from webapp.tickets import actions, queries
from webapp.tickets.access import access_ticket
from webapp.tickets.models import ApprovalPolicy, Ticket

router = Router(tags=["tickets"])


class ParameterView(Schema):
    name: str
    title: str
    kind: Literal["text", "integer", "choice"]
    help: str
    pattern: str
    pattern_help: str
    minimum: int | None
    maximum: int | None
    max_length: int
    choices: list[str]
    unit: str
    example: str


class TemplateView(Schema):
    id: str
    environment: str
    title: str
    summary: str
    parameters: list[ParameterView]
    phrases: list[str]
    risk: str
    answers: bool
    max_steps: int
    demonstrations: int | None  # that the champion has learnt it from; None where there is no champion


class ApprovalPolicyView(Schema):
    auto_approve_up_to: Literal["nothing", "read", "reversible", "cost"]
    approval_timeout_s: int = Field(ge=30, le=7 * 24 * 3600)
    version: int


class EnvironmentView(Schema):
    id: str
    title: str
    summary: str
    real: bool
    protected: bool
    approval_policy: ApprovalPolicyView
    templates: list[TemplateView]


class Attempt(Schema):
    """The last or one session of a ticket, in short."""

    id: int
    attempt: int
    state: str
    outcome: str
    review_state: str
    policy: str
    arm: str
    step_count: int
    created_at: datetime
    ended_at: datetime | None


class TicketRow(Schema):
    id: int
    title: str
    environment: str
    template: str
    state: str
    priority: int
    filed_by: str
    created_at: datetime
    session: Attempt | None


class TicketView(TicketRow):
    text: str
    parameters: dict[str, str]
    sessions: list[Attempt]


class NewTicket(Schema):
    environment: str
    template: str = ""
    parameters: dict[str, str | int] = Field(default_factory=dict)
    text: str = Field("", max_length=4000)
    title: str = Field("", max_length=200)
    priority: int = Field(3, ge=1, le=4)


class Filters(Schema):
    state: str = ""
    environment: str = ""
    template: str = ""
    filed_by: str = ""
    outcome: str = ""
    q: str = Field("", max_length=200)


def attempt(session: Session) -> dict[str, Any]:
    plain = ("attempt", "state", "outcome", "review_state", "arm", "step_count", "created_at", "ended_at")
    policy = session.policy_version.name if session.policy_version else ""
    return {**{name: getattr(session, name) for name in plain}, "id": session.pk, "policy": policy}


def ticket_rows(tickets: Iterable[Ticket]) -> list[dict[str, Any]]:
    """Tickets with their last session, in two queries."""
    tickets = list(tickets)
    attempts = Session.objects.filter(ticket__in=tickets).select_related("policy_version").order_by("attempt")
    last = {session.ticket_id: session for session in attempts}
    return [_row(ticket, last.get(ticket.pk)) for ticket in tickets]


def _row(ticket: Ticket, session: Session | None) -> dict[str, Any]:
    plain = ("title", "environment", "template", "state", "priority", "created_at")
    return {
        **{name: getattr(ticket, name) for name in plain},
        "id": ticket.pk,
        "filed_by": ticket.filed_by.get_username(),
        "session": attempt(session) if session else None,
    }


def ticket_view(ticket: Ticket) -> dict[str, Any]:
    sessions = list(ticket.sessions.select_related("policy_version").order_by("-attempt"))
    return {
        **_row(ticket, sessions[0] if sessions else None),
        "text": ticket.text,
        "parameters": ticket.parameters,
        "sessions": [attempt(session) for session in sessions],
    }


def template_views(templates: Iterable[Template]) -> list[dict[str, Any]]:
    champion = alias(Alias.Name.CHAMPION)
    learnt = champion.spec.get("templates", {}) if champion else {}
    return [
        {**to_builtins(template), "demonstrations": learnt.get(template.id, 0) if champion else None}
        for template in templates
    ]


@router.get("/environments", response=list[EnvironmentView], **needs(Role.OPERATOR, Scope.READ))
def list_environments(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {
            **to_builtins(environment),
            "approval_policy": _policy(queries.approval_policy(environment.id)),
            "templates": template_views(sandbox.templates(environment.id)),
        }
        for environment in sandbox.environments()
    ]


@router.put(
    "/environments/{environment}/approval-policy", response=ApprovalPolicyView, **needs(Role.ADMIN, Scope.ADMIN)
)
def set_approval_policy(request: HttpRequest, environment: str, body: ApprovalPolicyView) -> dict[str, Any]:
    if environment not in {each.id for each in sandbox.environments()}:
        raise NotFound(f"There is no environment {environment}.")
    who = caller(request)
    return _policy(actions.set_approval_policy(environment=environment, **body.dict(), user=who.user, how=who.how))


@router.get("/templates", response=list[TemplateView], **needs(Role.OPERATOR, Scope.READ))
def list_templates(request: HttpRequest) -> list[dict[str, Any]]:
    return template_views(sandbox.templates())


@router.get("/tickets", response=Page[TicketRow], **needs(Role.OPERATOR, Scope.READ))
def list_tickets(request: HttpRequest, filters: Query[Filters], window: Query[Window]) -> dict[str, Any]:
    rows = queries.tickets(**filters.dict())
    part = rows[window.offset : window.offset + window.limit]
    return {"items": ticket_rows(part), "count": rows.count()}


@router.post("/tickets", response={201: TicketView}, **needs(Role.OPERATOR, Scope.TICKETS))
def file_ticket(
    request: HttpRequest, body: NewTicket, idempotency_key: Header[str | None] = None
) -> Status[dict[str, Any]]:
    who = caller(request)
    ticket = session_actions.file_ticket(
        user=who.user, how=who.how, **body.dict(), idempotency_key=(idempotency_key or "")[:128] or None
    )
    return Status(201, ticket_view(ticket))


@router.get("/tickets/{ticket_id}", response=TicketView, **needs(Role.OPERATOR, Scope.READ))
def show_ticket(request: HttpRequest, ticket_id: int) -> dict[str, Any]:
    return ticket_view(access_ticket(caller(request).user, ticket_id, to="see"))


@router.post("/tickets/{ticket_id}/cancel", response=TicketView, **needs(Role.OPERATOR, Scope.TICKETS))
def cancel_ticket(request: HttpRequest, ticket_id: int) -> dict[str, Any]:
    who = caller(request)
    access_ticket(who.user, ticket_id, to="operate")
    return ticket_view(session_actions.cancel_ticket(ticket_id=ticket_id, user=who.user, how=who.how))


@router.post("/tickets/{ticket_id}/rerun", response={201: Attempt}, **needs(Role.OPERATOR, Scope.TICKETS))
def rerun_ticket(request: HttpRequest, ticket_id: int) -> Status[dict[str, Any]]:
    who = caller(request)
    access_ticket(who.user, ticket_id, to="operate")
    return Status(201, attempt(session_actions.rerun_ticket(ticket_id=ticket_id, user=who.user, how=who.how)))


def _policy(policy: ApprovalPolicy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in ApprovalPolicyView.model_fields}
