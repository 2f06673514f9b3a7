"""Training runs, policy versions, dataset versions and rollouts."""

import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.builders import a_policy_folder, a_trajectory, packed
from tests.crash.rig import wait_for
from webapp import storage
from webapp.rollouts.actions import record_result, register_policy, start_rollout
from webapp.rollouts.models import PolicyVersion, Rollout
from webapp.training import actions as training
from webapp.training import queries
from webapp.training.models import TrainingRun
from webapp.trajectories.actions import freeze, import_starter
from webapp.trajectories.models import DatasetVersion

pytestmark = pytest.mark.django_db(transaction=True)

JUDGED = {"live": {"templates": {"cloud/create-disk": {"episodes": 20, "verified": 19, "interval": [0.76, 0.99]}}}}


def a_challenger(cast: Cast, folder: Path) -> PolicyVersion:
    """A second version, trained from the champion."""
    storage.ensure_bucket()
    return register_policy(
        folder=a_policy_folder(folder / "policy"),
        source=PolicyVersion.Source.TRAINING,
        parent=cast.policy,
        spec={"layers": 3},
        card="# Second\n\nLearned from **corrections**. <script>document.title = 'taken'</script>",
        lineage={"dataset": None},
        evaluation=JUDGED,
        user=cast.admin,
        how="web",
    )


def a_dataset(cast: Cast) -> DatasetVersion:
    """One trajectory, frozen."""
    storage.ensure_bucket()
    import_starter([packed(a_trajectory())[1]])
    return freeze(reason=DatasetVersion.Reason.MANUAL, user=cast.admin, how="web")


def test_a_dataset_version_lists_its_trajectories(cast: Cast, looks: Looks) -> None:
    version = a_dataset(cast)
    page = looks.person(cast.operator, "/datasets")
    page.get_by_role("link", name=f"Dataset version {version.number}").click()
    expect(page.get_by_role("table", name="Trajectories").get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("button", name="Freeze a version now")).to_have_count(0)


def test_a_training_run_shows_its_curves_as_they_grow_and_can_be_cancelled(cast: Cast, looks: Looks) -> None:
    run = training.request_run(dataset=a_dataset(cast), trigger=TrainingRun.Trigger.MANUAL, user=cast.admin, how="web")
    claim = training.claim(run_id=run.pk, holder="a worker")
    assert claim is not None
    training.report(claim=claim, phase="fit", progress=0.25, step=50, values={"loss": 2.5, "held_out_accuracy": 0.5})
    page = looks.person(cast.admin, f"/training/{run.pk}")
    expect(page.get_by_role("figure", name="Accuracy")).to_contain_text("held-out actions right 50.0 %")
    training.report(claim=claim, phase="fit", progress=0.5, step=100, values={"loss": 1.25, "held_out_accuracy": 0.75})
    expect(page.get_by_role("figure", name="Accuracy")).to_contain_text("held-out actions right 75.0 %")
    expect(page.get_by_role("figure", name="Loss")).to_contain_text("1.25")

    page.get_by_role("button", name="Cancel the run").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text("cancelled", exact=True)).to_be_visible()
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_a_run_that_practises_shows_reward_and_success_by_task(cast: Cast, looks: Looks) -> None:
    run = training.request_run(dataset=a_dataset(cast), trigger=TrainingRun.Trigger.MANUAL, user=cast.admin, how="web")
    claim = training.claim(run_id=run.pk, holder="a worker")
    assert claim is not None
    values = {"reward": 0.4, "kl": 0.01, "success/cloud/create-disk": 0.9, "success/cloud/stop-instance": 0.25}
    training.report(claim=claim, phase="play", progress=0.5, step=10, values=values)
    page = looks.person(cast.operator, f"/training/{run.pk}")
    expect(page.get_by_role("figure", name="Reward: reward 0.4")).to_be_visible()
    expect(page.get_by_role("figure", name="Success by task")).to_contain_text(
        re.compile("stop-instance.*25 %.*create-disk.*90 %")
    )


def test_an_admin_plans_trainings(cast: Cast, looks: Looks) -> None:
    page = looks.person(cast.admin, "/training")
    form = page.get_by_role("form", name="Plan")
    form.get_by_label("Train after accepted sessions").fill("8")
    form.get_by_label("Practise in the sandbox, minutes").fill("1.5")
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text(f"Changed by {cast.admin.username}")
    assert (queries.plan().after_accepted, queries.plan().practice_s) == (8, 90)
    others = looks.person(cast.operator, "/training")
    expect(others.get_by_label("Train after accepted sessions")).to_be_disabled()


def test_a_policy_shows_card_lineage_and_evaluation_and_its_card_runs_no_script(
    cast: Cast, looks: Looks, tmp_path: Path
) -> None:
    challenger = a_challenger(cast, tmp_path)
    page = looks.person(cast.operator, f"/policies/{challenger.number}")
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    expect(page.get_by_role("region", name="Lineage")).to_contain_text("v1")
    expect(page.get_by_role("figure", name="cloud/create-disk 19/20 = 95 % [76 %, 99 %]")).to_be_visible()
    expect(page).to_have_title("Policy v2 · Belay")
    expect(page.get_by_role("button", name="Roll out")).to_have_count(0)


def test_both_arms_are_shown_as_sessions_end_and_a_roll_back_needs_a_reason(
    cast: Cast, looks: Looks, tmp_path: Path
) -> None:
    rollout = start_rollout(challenger=a_challenger(cast, tmp_path), weight=10, user=cast.admin, how="web")
    page = looks.person(cast.admin, f"/rollouts/{rollout.pk}")
    expect(page.get_by_text("No session has ended in this rollout yet.")).to_be_visible()
    record_result(
        rollout_id=rollout.pk,
        session_id=1,
        arm="challenger",
        outcome="verified",
        end_state="completed",
        steps=6,
        corrections=1,
        takeovers=0,
        ended_at=timezone.now(),
    )
    expect(page.get_by_role("figure", name="challenger v2 1/1 = 100 %")).to_be_visible()

    page.get_by_role("button", name="Roll back").click()
    dialog = page.get_by_role("dialog", name="Roll v2 back?")
    dialog.get_by_role("textbox", name="Reason").fill("slower than the champion")
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("slower than the champion")).to_be_visible()
    wait_for("the roll-back", lambda: Rollout.objects.get().state == "rolled_back")
