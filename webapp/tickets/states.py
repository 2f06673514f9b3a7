"""Legal moves of a ticket."""

from django.db.models import TextChoices


class TicketState(TextChoices):
    OPEN = "open"  # filed; an attempt is queued or under way
    DONE = "done"  # an attempt ended and was not found wanting
    FAILED = "failed"  # the last attempt ended without success
    CANCELLED = "cancelled"


TRANSITIONS: dict[TicketState, frozenset[TicketState]] = {
    TicketState.OPEN: frozenset({TicketState.DONE, TicketState.FAILED, TicketState.CANCELLED}),
    TicketState.DONE: frozenset({TicketState.OPEN}),
    TicketState.FAILED: frozenset({TicketState.OPEN}),
    TicketState.CANCELLED: frozenset({TicketState.OPEN}),
}
