"""What the training worker does with one run: fetch, improve, register."""

import logging
import os
import platform
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection, transaction
from msgspec import structs

from learning.jobs import Improved
from sandbox import sessions as sandbox
from webapp import crashpoints
from webapp.rollouts.actions import register_policy
from webapp.rollouts.models import PolicyVersion
from webapp.rollouts.queries import local_folder
from webapp.training import actions, leases, queries
from webapp.training.models import Evaluation, Job, TrainingRun
from webapp.training.states import ENDED
from webapp.training.tasks import train_when_due
from webapp.trajectories.actions import manifest
from webapp.trajectories.models import TrajectoryRecord
from webapp.trajectories.queries import entries, local_copies, local_files

log = logging.getLogger(__name__)

LEARN_FROM_BAD = ("midtrain", "offline")
EVALUATION_SEED = 500_000  # of validation tasks; training and the benchmarks use others
FOLDERS: dict[type[Job], str] = {TrainingRun: "training", Evaluation: "evaluations"}  # in STATE_DIR


class Heartbeat:
    """Renews a job's lease in its own thread while the trainer computes.

    `lost` is set when somebody else has the lease, or may have it: when the database was away for as long as it lasts.
    """

    def __init__(self, claim: leases.Claim, *, every_s: float = 5.0) -> None:
        self.lost = threading.Event()
        self._claim = claim
        self._every_s = every_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        until = time.monotonic() + leases.LEASE.total_seconds()
        while not self._done.wait(self._every_s):
            asked = time.monotonic()
            try:
                close_old_connections()
                leases.renew(claim=self._claim)
                until = asked + leases.LEASE.total_seconds()
            except leases.LeaseLost:
                self.lost.set()
                break
            except DatabaseError as problem:
                log.warning("cannot renew the lease of %s %s: %s", self._claim.kind.__name__, self._claim.id, problem)
                connection.close()
                if time.monotonic() >= until:
                    self.lost.set()
                    break
        connection.close()


def me() -> str:
    """Who holds what this process claims."""
    return f"{platform.node()}:{os.getpid()}"


@contextmanager
def held(claim: leases.Claim) -> Iterator[Heartbeat]:
    """Keeps a lease while a job is worked on, and ends the job as failed where that breaks.

    A job that was cancelled or taken over is left quietly.
    """
    try:
        with Heartbeat(claim) as heartbeat:
            yield heartbeat
    except leases.LeaseLost:
        log.info("%s %s was cancelled or taken over", claim.kind.__name__, claim.id)
    except Exception as problem:  # the edge of one job: its row says why, and Celery logs the traceback
        with suppress(leases.LeaseLost):
            leases.fail(claim=claim, error=f"{type(problem).__name__}: {problem}")
        raise


def work(run_id: int) -> None:
    """Claim a run and bring it to its end. A run that another worker holds, or that has ended, is left alone."""
    claim = actions.claim(run_id=run_id, holder=me())
    if claim is None:
        return
    crashpoints.reach("training_after_claim")
    run = TrainingRun.objects.select_related("dataset", "parent").get(id=run_id)
    try:
        with held(claim) as heartbeat:
            _improve(run, claim, heartbeat)
            train_when_due.delay()
    finally:
        clear_ended(TrainingRun)


def folder_of(job: Job) -> Path:
    """Where a worker on this machine keeps what it makes for a job."""
    return Path(settings.STATE_DIR) / FOLDERS[type(job)] / str(job.pk)


def clear_ended(kind: type[Job]) -> None:
    """Remove what jobs left on this machine that have ended for good: nobody goes on from there.

    Also of those that ended while no worker held them, as when they were cancelled between two tries.
    """
    root = Path(settings.STATE_DIR) / FOLDERS[kind]
    kept = {int(each.name): each for each in root.iterdir() if each.name.isdigit()} if root.is_dir() else {}
    for number in kind._default_manager.filter(pk__in=kept, state__in=ENDED).values_list("pk", flat=True):
        shutil.rmtree(kept[number], ignore_errors=True)


def _improve(run: TrainingRun, claim: actions.Claim, heartbeat: Heartbeat) -> None:
    from learning import jobs  # the door to torch: only this worker opens it

    actions.report(claim=claim, phase="load", progress=0.0, step=0, values={})
    folder = folder_of(run)
    folder.mkdir(parents=True, exist_ok=True)
    rejected = rejected_by(run)
    lineage = _lineage(run, rejected)
    request = jobs.ImproveRequest(
        parent=local_folder(run.parent) if run.parent else None,
        trajectories=local_files(run.dataset),
        out=folder / "policy",
        work=folder / "checkpoints",
        seed=run.seed,
        budget_s=float(run.spec.get("budget_s", settings.TRAIN_BUDGET_S)),
        practice_s=float(run.spec.get("practice_s", 0)),
        lineage=lineage,
        kind=run.spec.get("kind", "bc"),
        rejected=local_copies(rejected),
        share=float(run.spec.get("share", 0.25)),
    )

    def report(at: jobs.Progress) -> None:
        actions.report(claim=claim, phase=at.phase, progress=at.progress, step=at.step, values=at.values)
        crashpoints.reach(f"training_while_{at.phase}")

    try:
        improved = jobs.improve(request, report=report, should_stop=heartbeat.lost.is_set)
    except jobs.Stopped as stopped:
        raise actions.LeaseLost(f"training run {run.pk} was taken away") from stopped
    live = _evaluated(run, claim, improved.folder)
    actions.report(claim=claim, phase="register", progress=0.99, step=0, values={})
    made = structs.replace(improved, evaluation=improved.evaluation | live)
    register(run, claim, made, lineage=lineage)


def register(run: TrainingRun, claim: actions.Claim, made: Improved, *, lineage: dict[str, Any]) -> None:
    """Number what a run made and end the run with it: both, or neither where it is no longer ours. Raises LeaseLost."""
    with transaction.atomic():
        policy = register_policy(
            folder=made.folder,
            source=PolicyVersion.Source.TRAINING,
            parent=run.parent,
            spec=made.spec,
            card=made.card,
            lineage=lineage,
            evaluation=made.evaluation,
            user=run.created_by,
            how="celery",
        )
        crashpoints.reach("training_after_register")
        actions.complete(claim=claim, policy=policy)


def rejected_by(run: TrainingRun) -> list[str]:
    """Content hashes of what people had judged bad when the run was asked for, where its kind learns from that too."""
    return queries.rejected(before=run.created_at) if run.spec.get("kind") in LEARN_FROM_BAD else []


def _lineage(run: TrainingRun, rejected: list[str]) -> dict[str, Any]:
    """Where the version that this run makes comes from."""
    beside = {"rejected": len(rejected), "rejected_hash": manifest(rejected)} if rejected else {}
    return {
        "parent": run.parent.name if run.parent else None,
        "parent_hash": run.parent.content_hash if run.parent else None,
        "dataset": run.dataset.number,
        "dataset_hash": run.dataset.manifest_hash,
        "training_run": run.pk,
        "algorithm": run.algorithm,
        "commit": run.commit,
        "seed": run.seed,
        **beside,
    }


def _evaluated(run: TrainingRun, claim: actions.Claim, folder: Path) -> dict[str, Any]:
    """Held-out tasks of the consoles that people worked in, in a browser, nobody correcting. Raises LeaseLost."""
    from learning import jobs  # the door to torch: only this worker opens it

    consoles = entries(run.dataset).filter(source=TrajectoryRecord.Source.SESSION).values_list("environment", flat=True)
    templates = [each.id for console in sorted(set(consoles)) for each in sandbox.templates(console)]
    if not templates or settings.EVALUATE_EPISODES == 0:
        return {}

    def report(at: jobs.Progress) -> None:
        actions.report(claim=claim, phase="evaluate", progress=at.progress, step=0, values={})

    judged = jobs.evaluate(
        folder,
        templates=templates,
        episodes=settings.EVALUATE_EPISODES,
        seed=EVALUATION_SEED + run.seed,
        split="validation",
        report=report,
    )
    return {"live": judged.as_data()}
