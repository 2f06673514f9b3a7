"""A Celery worker killed anywhere while it appends: nothing accepted is lost or doubled."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import a_trajectory, a_user, packed
from webapp import storage
from webapp.accounts.models import Role
from webapp.audit.models import AuditEntry
from webapp.trajectories import actions, queries, tasks
from webapp.trajectories.models import AppendRequest, TrajectoryRecord

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]


def a_worker(*, until_killed_at: str = "") -> "subprocess.Popen[bytes]":
    """A real worker with one process; given a name, it dies at that point."""
    argv = [sys.executable, "-m", "celery", "-A", "webapp.celery", "worker", "-P", "solo", "-Q", "celery"]
    env = {**os.environ, "BELAY_TESTING": "1", "BELAY_CRASH_AT": until_killed_at}
    return subprocess.Popen([*argv, "--without-mingle", "--without-gossip", "-l", "WARNING"], cwd=ROOT, env=env)


@pytest.mark.parametrize("point", ["append_after_fetch", "append_before_commit", "append_after_commit"])
@pytest.mark.usefixtures("valkey")
def test_a_killed_append_is_done_once_by_the_next_worker(point: str) -> None:
    content_hash, content = packed(a_trajectory(id="7"))
    storage.put(actions.object_key(content_hash), content, "application/octet-stream")
    actions.request_append(session_id=7, content_hash=content_hash, user=a_user(Role.REVIEWER))
    killed = a_worker(until_killed_at=point)
    assert killed.wait(60) == -signal.SIGKILL
    tasks.sweep_appends()
    tasks.append.delay(7)  # and the broker hands the lost message out again
    survivor = a_worker()
    try:
        wait_until_nothing_is_pending()
    finally:
        survivor.terminate()
        survivor.wait(30)
    assert list(TrajectoryRecord.objects.values_list("session_id", "content_hash")) == [(7, content_hash)]
    assert AuditEntry.objects.filter(verb="trajectory.append").count() == 1
    assert AppendRequest.objects.get().state == AppendRequest.State.DONE


def wait_until_nothing_is_pending() -> None:
    from benchmarks.client import until

    until(lambda: not queries.pending_appends() or None, within_s=60, what="the append")
