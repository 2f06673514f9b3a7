"""Legal moves of a training run, and of an evaluation."""

from webapp.training.models import Job

S = Job.State
TRANSITIONS: dict[Job.State, frozenset[Job.State]] = {
    S.QUEUED: frozenset({S.RUNNING, S.CANCELLED}),
    S.RUNNING: frozenset({S.RUNNING, S.COMPLETED, S.FAILED, S.CANCELLED}),  # to itself: claimed again after a crash
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
    S.CANCELLED: frozenset(),
}
ENDED = frozenset(state for state, targets in TRANSITIONS.items() if not targets)
