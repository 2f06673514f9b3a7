"""A worker killed while it judges: the next one judges anew, and there is one report."""

import signal
from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.client import until
from tests.builders import a_user
from tests.crash.test_training_killed import a_trainer
from webapp import storage
from webapp.accounts.models import Role
from webapp.rollouts.actions import seed_starter
from webapp.training import evaluations, queries, tasks, worker
from webapp.training.models import Evaluation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("valkey")
def test_a_killed_evaluation_is_brought_to_its_end_by_the_next_worker() -> None:
    storage.ensure_bucket()
    trial = evaluations.Trial(environment="workbench", splits=["test"], variants=0, minutes=0.05, seed=1)
    evaluation = evaluations.request_evaluation(
        policy=seed_starter(), against=None, trial=trial, user=a_user(Role.ADMIN), how="web"
    )
    killed = a_trainer(until_killed_at="evaluation_before_store")
    assert killed.wait(120) == -signal.SIGKILL
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempts) == (Evaluation.State.RUNNING, 1)
    Evaluation.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    tasks.sweep_runs()
    survivor = a_trainer()
    try:
        until(lambda: _ended(evaluation), within_s=120, what="the evaluation's end", every_s=0.2)
    finally:
        survivor.terminate()
        survivor.wait(30)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempts, evaluation.error) == (Evaluation.State.COMPLETED, 2, "")
    assert queries.report(evaluation, "report.md").startswith(b"# v1")
    assert not worker.folder_of(evaluation).exists()


def _ended(evaluation: Evaluation) -> Evaluation | None:
    return Evaluation.objects.filter(id=evaluation.pk, ended_at__isnull=False).first()
