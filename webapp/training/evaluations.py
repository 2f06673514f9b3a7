"""Every write of an evaluation: asking for one, claiming it, its end."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from sandbox.contracts.tasks import Split
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.problems import BadInput
from webapp.rollouts.models import PolicyVersion
from webapp.training import leases
from webapp.training.events import changed
from webapp.training.leases import Claim
from webapp.training.models import Evaluation
from webapp.training.queries import plan, report_prefix


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What a policy version is tried on."""

    environment: str  # "" = what it says it has learnt
    splits: Sequence[Split]
    variants: int  # ways in which each task's console differs from the plain one, at most
    minutes: float
    seed: int


@transaction.atomic
def request_evaluation(
    *, policy: PolicyVersion, against: PolicyVersion | None, trial: Trial, user: User, how: str
) -> Evaluation:
    """Queue a judgement of a version, alone or beside another. Raises BadInput where the other is the same."""
    if against is not None and against.pk == policy.pk:
        sentence = f"{policy.name} cannot be compared with itself; choose another version."
        raise BadInput(sentence, errors={"against": sentence})
    spec = {
        "environment": trial.environment,
        "splits": list(trial.splits),
        "variants": trial.variants,
        "minutes": trial.minutes,
        "queue": plan().queue,
    }
    evaluation = Evaluation.objects.create(policy=policy, against=against, seed=trial.seed, spec=spec, created_by=user)
    after = {**spec, "policy": policy.name, "against": against.name if against else None, "seed": trial.seed}
    record("evaluation.request", ("evaluation", evaluation.pk), user=user, how=how, after=after)
    changed()
    transaction.on_commit(lambda: dispatch(evaluation))
    return evaluation


def claim(*, evaluation_id: int, holder: str) -> Claim | None:
    """Take an evaluation that is queued or whose worker is gone; None where there is nothing to take."""
    return leases.claim(Evaluation, evaluation_id, holder=holder)


def complete(*, claim: Claim) -> None:
    """End an evaluation whose report is stored. Raises LeaseLost."""
    leases.complete(claim, after={}, report=report_prefix(claim))


def cancel(*, evaluation_id: int, user: User, how: str) -> Evaluation:
    """Stop an evaluation; its worker notices. Raises Conflict where it has ended."""
    return leases.cancel(Evaluation, evaluation_id, user=user, how=how)


def dispatch(evaluation: Evaluation) -> None:
    """Tell the workers of its queue that there is work."""
    from webapp.training.tasks import judge  # the task module imports these actions

    judge.apply_async((evaluation.pk,), queue=evaluation.spec["queue"], expires=leases.TOLD_S)
