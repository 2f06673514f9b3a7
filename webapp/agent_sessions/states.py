"""Legal moves of sessions, steps and approval requests."""

from django.db.models import TextChoices


class SessionState(TextChoices):
    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    AWAITING_APPROVAL = "awaiting_approval"
    PAUSED = "paused"
    USER_CONTROL = "user_control"
    COMPLETED = "completed"
    FAILED = "failed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"


ENDED = frozenset(
    {
        SessionState.COMPLETED,
        SessionState.FAILED,
        SessionState.REJECTED,
        SessionState.CANCELLED,
        SessionState.TIMED_OUT,
    }
)
LIVE = frozenset(set(SessionState) - ENDED - {SessionState.QUEUED})

S = SessionState
TRANSITIONS: dict[SessionState, frozenset[SessionState]] = {
    S.QUEUED: frozenset({S.STARTING, S.CANCELLED}),
    S.STARTING: frozenset({S.RUNNING, S.FAILED, S.CANCELLED}),
    S.RUNNING: frozenset({S.AWAITING_APPROVAL, S.PAUSED, S.USER_CONTROL, *ENDED}),
    S.AWAITING_APPROVAL: frozenset({S.RUNNING, S.PAUSED, S.USER_CONTROL, *ENDED}),
    S.PAUSED: frozenset({S.RUNNING, S.USER_CONTROL, S.FAILED, S.CANCELLED, S.TIMED_OUT}),
    S.USER_CONTROL: frozenset({S.RUNNING, S.COMPLETED, S.FAILED, S.CANCELLED, S.TIMED_OUT}),
    **{ended: frozenset[SessionState]() for ended in ENDED},
}


class Control(TextChoices):
    AGENT = "agent"
    USER_PENDING = "user_pending"  # asked for; the agent has not stopped yet
    USER = "user"


class StepState(TextChoices):
    PROPOSED = "proposed"  # written, maybe waiting for a person
    DECIDED = "decided"  # may be carried out
    INTENT = "intent"  # about to be carried out; a crash from here on leaves UNCERTAIN
    DONE = "done"
    UNCERTAIN = "uncertain"  # nobody knows whether it happened; settled by looking, else by a person
    WITHDRAWN = "withdrawn"  # never carried out: rejected, superseded, cancelled


class ApprovalState(TextChoices):
    PENDING = "pending"
    APPROVED = "approved"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"  # superseded by a changed page, a takeover, a stop


class ReviewState(TextChoices):
    NONE = ""  # not ended yet, or nothing to judge
    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
