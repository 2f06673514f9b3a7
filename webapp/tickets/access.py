"""Who may do what with a ticket."""

from typing import Literal

from django.db.models import QuerySet

from webapp.accounts.models import Role, User
from webapp.problems import Forbidden, NotFound
from webapp.tickets.models import Ticket


def tickets_open_to(user: User) -> QuerySet[Ticket]:
    """Everybody who works here sees every ticket."""
    return Ticket.objects.select_related("filed_by") if user.is_active else Ticket.objects.none()


def access_ticket(user: User, ticket_id: int, *, to: Literal["see", "operate"]) -> Ticket:
    """The ticket, for its filer and reviewers to operate. Raises NotFound, Forbidden."""
    ticket = tickets_open_to(user).filter(id=ticket_id).first()
    if ticket is None:
        raise NotFound(f"There is no ticket {ticket_id}.")
    if to == "operate" and ticket.filed_by_id != user.pk and not user.is_at_least(Role.REVIEWER):
        raise Forbidden("Only the person who filed a ticket, reviewers and admins may do this.")
    return ticket
