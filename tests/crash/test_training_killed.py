"""A training worker killed before, in or after its learning: one run, one version, each metric once."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from benchmarks.client import until
from learning.jobs import Kind
from tests.builders import a_trajectory, a_user, packed
from webapp import storage
from webapp.accounts.models import Role
from webapp.rollouts.models import PolicyVersion
from webapp.training import actions, tasks
from webapp.training.models import MetricPoint, TrainingRun
from webapp.trajectories import actions as dataset
from webapp.trajectories.models import DatasetVersion

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]


def a_trainer(*, until_killed_at: str = "") -> "subprocess.Popen[bytes]":
    """A real training worker with one process; given a name, it dies at that point."""
    argv = [sys.executable, "-m", "celery", "-A", "webapp.celery", "worker", "-P", "solo", "-Q", "training"]
    env = {**os.environ, "BELAY_TESTING": "1", "BELAY_CRASH_AT": until_killed_at, "EVALUATE_EPISODES": "0"}
    return subprocess.Popen([*argv, "--without-mingle", "--without-gossip", "-l", "WARNING"], cwd=ROOT, env=env)


def a_queued_run(kind: Kind) -> TrainingRun:
    for session_id in range(1, 7):
        content_hash, content = packed(a_trajectory(id=str(session_id), decision="corrected"))
        storage.put(dataset.object_key(content_hash), content, "application/octet-stream")
        dataset.request_append(session_id=session_id, content_hash=content_hash, user=a_user(Role.REVIEWER))
        dataset.append(session_id=session_id)
    version = dataset.freeze(reason=DatasetVersion.Reason.MANUAL)
    wish = actions.Wish(kind=kind, parent=None, learn_s=5, practice_s=0, share=0.25)
    manual = TrainingRun.Trigger.MANUAL
    return actions.request_run(dataset=version, trigger=manual, user=None, how="system", wish=wish)


@pytest.mark.parametrize(
    ("kind", "point"),
    [
        ("bc", "training_after_claim"),
        ("bc", "training_while_train"),
        ("offline", "training_while_offline"),
        ("bc", "training_after_register"),
    ],
)
@pytest.mark.usefixtures("valkey")
def test_a_killed_training_is_brought_to_its_end_by_the_next_worker(kind: Kind, point: str) -> None:
    run = a_queued_run(kind)
    killed = a_trainer(until_killed_at=point)
    assert killed.wait(120) == -signal.SIGKILL
    run.refresh_from_db()
    assert (run.state, run.attempts) == (TrainingRun.State.RUNNING, 1)
    TrainingRun.objects.filter(id=run.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    tasks.sweep_runs()
    survivor = a_trainer()
    try:
        until(lambda: _ended(run), within_s=120, what="the run's end", every_s=0.2)
    finally:
        survivor.terminate()
        survivor.wait(30)
    run.refresh_from_db()
    assert (run.state, run.attempts, run.error) == (TrainingRun.State.COMPLETED, 2, "")
    assert list(PolicyVersion.objects.values_list("pk", flat=True)) == [run.policy_id]
    steps = list(MetricPoint.objects.filter(run=run).values_list("step", flat=True))
    assert len(steps) == len(set(steps)) > 0
    assert not (Path(settings.STATE_DIR) / "training" / str(run.pk)).exists()


def _ended(run: TrainingRun) -> TrainingRun | None:
    return TrainingRun.objects.filter(id=run.pk, ended_at__isnull=False).first()
