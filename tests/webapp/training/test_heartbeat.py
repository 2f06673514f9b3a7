"""A lease is kept through a database that goes away for a moment, and given up where it stays away."""

import threading
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, connection

from webapp.training import actions, leases
from webapp.training.models import TrainingRun
from webapp.training.worker import Heartbeat
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

SOON_S = 20.0


def a_claim() -> actions.Claim:
    manual = TrainingRun.Trigger.MANUAL
    dataset = freeze(reason=DatasetVersion.Reason.MANUAL)
    run = actions.request_run(dataset=dataset, trigger=manual, user=None, how="system")
    claim = actions.claim(run_id=run.pk, holder="a")
    assert claim is not None
    return claim


def lease_until(claim: actions.Claim) -> datetime:
    until = TrainingRun.objects.get(id=claim.id).lease_expires_at
    assert until is not None
    return until


def renewed_after(claim: actions.Claim, before: datetime) -> bool:
    """Whether the lease grows soon."""
    waiting = threading.Event()
    return any(lease_until(claim) > before or waiting.wait(0.05) for _ in range(int(SOON_S / 0.05)))


def test_a_lease_is_renewed_again_after_its_connection_broke() -> None:
    claim = a_claim()
    with Heartbeat(claim, every_s=0.05) as heartbeat:
        assert renewed_after(claim, lease_until(claim))
        with connection.cursor() as cursor:
            cursor.execute(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database()"
                " and pid <> pg_backend_pid() and query ilike '%training_trainingrun%'"
            )
            assert cursor.fetchone() == (1,)
        assert renewed_after(claim, lease_until(claim) + timedelta(seconds=0.2))
        assert not heartbeat.lost.is_set()


def test_a_lease_that_could_not_be_renewed_in_its_time_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*, claim: actions.Claim) -> None:
        raise OperationalError(f"no connection for {claim.id}")

    claim = a_claim()
    monkeypatch.setattr(leases, "renew", unreachable)
    monkeypatch.setattr(leases, "LEASE", timedelta(seconds=0.3))
    with Heartbeat(claim, every_s=0.05) as heartbeat:
        assert heartbeat.lost.wait(SOON_S)
