"""Legal moves of a rollout."""

from webapp.rollouts.models import Rollout

S = Rollout.State
TRANSITIONS: dict[Rollout.State, frozenset[Rollout.State]] = {
    S.RUNNING: frozenset({S.PAUSED, S.PROMOTED, S.ROLLED_BACK}),
    S.PAUSED: frozenset({S.RUNNING, S.ROLLED_BACK}),
    S.PROMOTED: frozenset(),
    S.ROLLED_BACK: frozenset(),
}
