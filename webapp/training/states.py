"""Legal moves of a training run."""

from webapp.training.models import TrainingRun

S = TrainingRun.State
TRANSITIONS: dict[TrainingRun.State, frozenset[TrainingRun.State]] = {
    S.QUEUED: frozenset({S.RUNNING, S.CANCELLED}),
    S.RUNNING: frozenset({S.RUNNING, S.COMPLETED, S.FAILED, S.CANCELLED}),  # to itself: claimed again after a crash
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
    S.CANCELLED: frozenset(),
}
ENDED = frozenset(state for state, targets in TRANSITIONS.items() if not targets)
