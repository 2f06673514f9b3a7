"""A run starts once when enough was accepted, is worked by one worker at a time, and survives a dead one."""

import math
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from learning.jobs import Improved
from tests.builders import a_policy_folder, a_trajectory, a_user, packed
from webapp import storage
from webapp.accounts.models import Role
from webapp.audit.models import AuditEntry
from webapp.problems import Conflict
from webapp.rollouts.actions import register_policy
from webapp.rollouts.models import PolicyVersion
from webapp.training import actions, queries
from webapp.training.models import MetricPoint, TrainingPlan, TrainingRun
from webapp.training.worker import register
from webapp.trajectories import actions as dataset
from webapp.trajectories.models import DatasetVersion

pytestmark = pytest.mark.django_db


def admit(*session_ids: int) -> None:
    for session_id in session_ids:
        content_hash, content = packed(a_trajectory(id=str(session_id)))
        storage.put(dataset.object_key(content_hash), content, "application/octet-stream")
        dataset.request_append(session_id=session_id, content_hash=content_hash, user=a_user(Role.REVIEWER))
        dataset.append(session_id=session_id)


@pytest.fixture
def run() -> TrainingRun:
    admit(1)
    version = dataset.freeze(reason=DatasetVersion.Reason.MANUAL)
    return actions.request_run(dataset=version, trigger=TrainingRun.Trigger.MANUAL, user=None, how="system")


def claimed(run: TrainingRun, holder: str = "a") -> actions.Claim:
    claim = actions.claim(run_id=run.pk, holder=holder)
    assert claim is not None
    return claim


def expire(run: TrainingRun) -> None:
    TrainingRun.objects.filter(id=run.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_no_run_before_enough_was_accepted() -> None:
    admit(1, 2, 3, 4)
    assert actions.request_run_when_due() is None
    admit(5)
    run = actions.request_run_when_due()
    assert run is not None
    assert (run.trigger, run.dataset.count) == ("threshold", 5)


def test_starter_demonstrations_alone_start_nothing() -> None:
    dataset.import_starter([packed(a_trajectory())[1] for _ in range(9)])
    dataset.freeze(reason=DatasetVersion.Reason.STARTER)
    assert actions.request_run_when_due() is None


def test_being_due_twice_starts_one_run() -> None:
    admit(1, 2, 3, 4, 5)
    first = actions.request_run_when_due()
    assert first is not None
    assert actions.request_run_when_due() is None
    assert TrainingRun.objects.count() == 1


def test_the_next_run_counts_from_the_last_one() -> None:
    admit(1, 2, 3, 4, 5)
    first = actions.request_run_when_due()
    assert first is not None
    actions.fail(claim=claimed(first), error="no")
    admit(6, 7, 8, 9)
    assert actions.request_run_when_due() is None
    admit(10)
    second = actions.request_run_when_due()
    assert second is not None
    assert second.dataset.number == first.dataset.number + 1


def test_one_worker_at_a_time(run: TrainingRun) -> None:
    claimed(run, "a")
    assert actions.claim(run_id=run.pk, holder="b") is None
    entry = AuditEntry.objects.get(verb="training.claim")
    assert (entry.object_id, entry.after) == (str(run.pk), {"holder": "a", "fence": 1})


def test_a_dead_workers_run_is_taken_over_and_the_dead_can_write_nothing(run: TrainingRun) -> None:
    dead = claimed(run, "a")
    expire(run)
    assert queries.unclaimed() == [run]
    claimed(run, "b")
    with pytest.raises(actions.LeaseLost):
        actions.report(claim=dead, phase="fit", progress=0.5, step=1, values={"loss": 1.0})
    assert MetricPoint.objects.count() == 0


def test_a_run_whose_workers_keep_dying_is_given_up(run: TrainingRun) -> None:
    for _ in range(actions.MAX_ATTEMPTS):
        claimed(run)
        expire(run)
    assert actions.claim(run_id=run.pk, holder="x") is None
    run.refresh_from_db()
    assert run.state == TrainingRun.State.FAILED


def test_a_run_that_gets_further_each_time_outlives_any_number_of_restarts(run: TrainingRun) -> None:
    for time in range(actions.MAX_ATTEMPTS + 1):
        actions.report(claim=claimed(run), phase="train", progress=0.1 * (time + 1), step=time, values={})
        expire(run)
    for _ in range(actions.MAX_ATTEMPTS):
        actions.report(claim=claimed(run), phase="train", progress=0.3, step=0, values={})
        expire(run)
    assert actions.claim(run_id=run.pk, holder="x") is None


def test_metrics_of_a_step_are_replaced_not_doubled(run: TrainingRun) -> None:
    claim = claimed(run)
    actions.report(claim=claim, phase="fit", progress=0.1, step=10, values={"loss": 2.0})
    actions.report(claim=claim, phase="fit", progress=0.1, step=10, values={"loss": 1.5})
    assert [point.values for point in queries.metrics(run.pk)] == [{"loss": 1.5}]


def test_measures_of_one_step_that_come_apart_are_kept_together(run: TrainingRun) -> None:
    claim = claimed(run)
    actions.report(claim=claim, phase="fit", progress=0.1, step=10, values={"loss": 2.0})
    actions.report(claim=claim, phase="fit", progress=0.1, step=10, values={"held_out_accuracy": 0.5})
    assert [point.values for point in queries.metrics(run.pk)] == [{"loss": 2.0, "held_out_accuracy": 0.5}]


@pytest.mark.parametrize("nothing", [math.nan, math.inf])
def test_a_measure_that_is_no_number_is_left_out(run: TrainingRun, nothing: float) -> None:
    actions.report(
        claim=claimed(run), phase="fit", progress=0.1, step=10, values={"loss": nothing, "held_out_accuracy": 0.5}
    )
    assert [point.values for point in queries.metrics(run.pk)] == [{"held_out_accuracy": 0.5}]


def test_a_cancelled_run_ends_its_worker(run: TrainingRun) -> None:
    claim = claimed(run)
    actions.cancel(run_id=run.pk, user=a_user(Role.ADMIN), how="web")
    with pytest.raises(actions.LeaseLost):
        actions.renew(claim=claim)
    with pytest.raises(Conflict, match="has ended"):
        actions.cancel(run_id=run.pk, user=a_user(Role.ADMIN), how="web")


def test_a_completed_run_names_its_policy(run: TrainingRun, tmp_path: Path) -> None:
    claim = claimed(run)
    policy = register_policy(
        folder=a_policy_folder(tmp_path / "policy"), source=PolicyVersion.Source.TRAINING, parent=None, spec={},
        card="", lineage={}, evaluation={}, user=None, how="celery",
    )  # fmt: skip
    actions.complete(claim=claim, policy=policy)
    run.refresh_from_db()
    assert (run.state, run.policy, run.progress) == (TrainingRun.State.COMPLETED, policy, 1.0)


def test_a_run_that_was_cancelled_while_it_registers_leaves_no_version(run: TrainingRun, tmp_path: Path) -> None:
    storage.ensure_bucket()
    claim = claimed(run)
    actions.cancel(run_id=run.pk, user=a_user(Role.ADMIN), how="web")
    made = Improved(folder=a_policy_folder(tmp_path / "policy"), spec={}, card="", evaluation={}, held_out_accuracy=0.0)
    with pytest.raises(actions.LeaseLost):
        register(run, claim, made, lineage={"training_run": run.pk})
    assert not PolicyVersion.objects.exists()


def test_the_same_version_and_seed_is_one_run(run: TrainingRun) -> None:
    again = actions.request_run(dataset=run.dataset, trigger=TrainingRun.Trigger.MANUAL, user=None, how="system")
    assert again.pk == run.pk


def test_an_admins_plan_says_when_a_run_starts_and_how_long_it_may_take() -> None:
    assert queries.plan().after_accepted == 5
    actions.set_plan(
        after_accepted=2,
        learn_s=30,
        practice_s=90,
        queue=TrainingPlan.Queue.GPU,
        user=a_user(Role.ADMIN),
        how="web",
    )
    admit(1)
    assert actions.request_run_when_due() is None
    admit(2)
    run = actions.request_run_when_due()
    assert run is not None
    assert run.algorithm == "bc+ppo"
    assert run.spec == {"budget_s": 30, "practice_s": 90, "queue": "training-gpu"}
    entry = AuditEntry.objects.get(verb="training.plan")
    assert ((entry.before or {})["after_accepted"], (entry.after or {})["after_accepted"]) == (5, 2)
