"""What the training worker does with one evaluation: fetch, judge in simulators, store the report."""

import mimetypes
import shutil
from pathlib import Path

from sandbox import sessions as sandbox
from webapp import crashpoints, storage
from webapp.rollouts.queries import local_folder
from webapp.training import evaluations, leases
from webapp.training.models import Evaluation
from webapp.training.queries import report_key, report_prefix
from webapp.training.worker import Heartbeat, clear_ended, folder_of, held, me

REPORTS = ("report.json", "report.md", "report.html")


def work(evaluation_id: int) -> None:
    """Claim an evaluation and bring it to its end. One that another worker holds, or that has ended, is left alone."""
    claim = evaluations.claim(evaluation_id=evaluation_id, holder=me())
    if claim is None:
        return
    evaluation = Evaluation.objects.select_related("policy", "against").get(id=evaluation_id)
    out = folder_of(evaluation) / str(claim.fence)  # of this claim alone: whoever had it before may still write
    try:
        with held(claim) as heartbeat:
            _judge(evaluation, claim, heartbeat, out)
            crashpoints.reach("evaluation_before_store")
            leases.renew(claim=claim)
            store(claim, out)
            evaluations.complete(claim=claim)
    finally:
        shutil.rmtree(out, ignore_errors=True)
        clear_ended(Evaluation)


def store(claim: leases.Claim, out: Path) -> None:
    """Keep a report and its replays in object storage, under the keys of a claim."""
    prefix = report_prefix(claim)
    for path in (*(out / name for name in REPORTS), *sorted((out / "replays").glob("*.html"))):
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        storage.put(report_key(prefix, str(path.relative_to(out))), path.read_bytes(), kind)


def _judge(evaluation: Evaluation, claim: leases.Claim, heartbeat: Heartbeat, out: Path) -> None:
    from learning import jobs  # the door to torch: only this worker opens it

    spec, against = evaluation.spec, evaluation.against

    def report(at: jobs.Progress) -> None:
        leases.reached(claim, phase=at.phase, progress=at.progress)

    leases.reached(claim, phase="load", progress=0.0)
    try:
        jobs.judge(
            local_folder(evaluation.policy),
            name=evaluation.policy.name,
            out=out,
            templates=[each.id for each in sandbox.templates(spec["environment"])] if spec["environment"] else (),
            splits=spec["splits"],
            seed=evaluation.seed,
            variants=spec["variants"],
            minutes=spec["minutes"],
            against=(against.name, local_folder(against)) if against else None,
            report=report,
            should_stop=heartbeat.lost.is_set,
        )
    except jobs.Stopped as stopped:
        raise leases.LeaseLost(f"{evaluation} was taken away") from stopped
