"""A worker brings a run of each kind to its end: a version with its lineage, its card and its curves."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from learning.jobs import Kind, load_policy
from sandbox.contracts import storage as files
from tests.builders import a_trajectory, an_observation
from webapp import storage
from webapp.rollouts.actions import seed_starter
from webapp.rollouts.queries import local_folder
from webapp.training import actions, queries, tasks, worker
from webapp.training.models import Evaluation, TrainingRun
from webapp.trajectories.actions import freeze, import_starter
from webapp.trajectories.models import DatasetVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


@pytest.mark.parametrize("kind", ["offline", "distill"])
def test_a_run_of_each_kind_makes_a_candidate(kind: Kind) -> None:
    storage.ensure_bucket()
    starter = seed_starter()
    import_starter(files.pack(a_trajectory(id=f"shown-{number}", decision="corrected")) for number in range(4))
    dataset = freeze(reason=DatasetVersion.Reason.MANUAL)
    wish = actions.Wish(kind=kind, parent=starter, learn_s=2, practice_s=0, share=0.5)
    manual = TrainingRun.Trigger.MANUAL
    run = actions.request_run(dataset=dataset, trigger=manual, user=None, how="system", wish=wish)
    tasks.train(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("completed", "")
    made = run.policy
    assert made is not None
    assert (made.parent, made.lineage["algorithm"], made.lineage["dataset"]) == (starter, run.algorithm, dataset.number)
    assert kind in made.evaluation
    assert f"- kind: `{kind}`" in made.card
    assert queries.metrics(run.pk).exists()
    page = an_observation("Save", "Cancel")
    goal = a_trajectory().task.goal
    assert load_policy(local_folder(made), name=made.name).act(page, goal, ()).action


def test_a_worker_removes_what_jobs_left_that_ended_while_nobody_held_them(settings: Settings, tmp_path: Path) -> None:
    settings.STATE_DIR = tmp_path
    storage.ensure_bucket()
    import_starter([files.pack(a_trajectory(id="shown"))])
    dataset = freeze(reason=DatasetVersion.Reason.MANUAL)
    states = (TrainingRun.State.CANCELLED, TrainingRun.State.RUNNING, TrainingRun.State.QUEUED)
    runs = [TrainingRun.objects.create(dataset=dataset, seed=n, state=state) for n, state in enumerate(states)]
    for each in (*(str(run.pk) for run in runs), "999999", "notes"):
        (tmp_path / "training" / each / "checkpoints").mkdir(parents=True)
    worker.clear_ended(TrainingRun)
    left = {each.name for each in (tmp_path / "training").iterdir()}
    assert left == {str(runs[1].pk), str(runs[2].pk), "999999", "notes"}
    worker.clear_ended(Evaluation)  # none was ever judged here
