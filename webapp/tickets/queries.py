"""Every read about tickets and approval policies."""

from django.db.models import Q, QuerySet

from webapp.tickets.models import ApprovalPolicy, Ticket


def tickets(
    *, state: str = "", environment: str = "", template: str = "", filed_by: str = "", outcome: str = "", q: str = ""
) -> QuerySet[Ticket]:
    """Tickets, newest first; empty filters do not filter; `outcome` is of any attempt."""
    exact = {
        "state": state,
        "environment": environment,
        "template": template,
        "filed_by__username": filed_by,
        "sessions__outcome": outcome,
    }
    rows = Ticket.objects.filter(**{name: value for name, value in exact.items() if value})
    if q:
        wanted = Q(title__icontains=q) | Q(text__icontains=q)
        if q.isdecimal() and len(q) < 18:
            wanted |= Q(id=int(q))
        rows = rows.filter(wanted)
    return rows.select_related("filed_by").distinct().order_by("-id")


def approval_policy(environment: str) -> ApprovalPolicy:
    """An environment's policy; the default where none was set."""
    return ApprovalPolicy.objects.filter(environment=environment).first() or ApprovalPolicy(environment=environment)
