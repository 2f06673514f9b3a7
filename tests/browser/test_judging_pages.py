"""An admin asks for trainings of every kind and for evaluations; what was found is on the version's page."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from learning import jobs
from learning.judging import Plan, judge
from learning.report import write
from tests.browser.conftest import Cast
from tests.browser.site import Looks
from tests.builders import a_policy_folder, a_trajectory, packed
from webapp import storage
from webapp.rollouts.actions import register_policy
from webapp.rollouts.models import PolicyVersion
from webapp.training import evaluations, judging, leases
from webapp.training.models import Evaluation, TrainingRun
from webapp.trajectories.actions import import_starter

UNLEARNT = "cloud/create-network"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter on two templates, of which it has learnt one, beside itself."""
    out = tmp_path_factory.mktemp("report")
    templates = ("cloud/create-disk", UNLEARNT)
    plan = Plan(templates, episodes=2, splits=("validation", "test"), seed=1, in_browser=False, consistency=1)
    found, trajectories = judge(jobs.STARTER, plan, against=jobs.STARTER, names=("v2", "v1"))
    write(found, trajectories, out)
    return out


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> PolicyVersion:
    """A second version, trained from the champion."""
    storage.ensure_bucket()
    return register_policy(
        folder=a_policy_folder(tmp_path / "policy"),
        source=PolicyVersion.Source.TRAINING,
        parent=cast.policy,
        spec={},
        card="",
        lineage={},
        evaluation={},
        user=cast.admin,
        how="web",
    )


def judged(cast: Cast, version: PolicyVersion, report: Path) -> Evaluation:
    """An evaluation of the version that ended with this report."""
    trial = evaluations.Trial(environment="cloud", splits=["validation", "test"], variants=0, minutes=0.1, seed=1)
    found = evaluations.request_evaluation(policy=version, against=cast.policy, trial=trial, user=cast.admin, how="web")
    claim = evaluations.claim(evaluation_id=found.pk, holder="a worker")
    assert claim is not None
    judging.store(claim, report)
    evaluations.complete(claim=claim)
    return found


def chosen(page: Page, field: str, option: str | re.Pattern[str]) -> None:
    """Choose an option of a select."""
    page.get_by_role("textbox", name=field).click()
    page.get_by_role("option", name=option).click()


def test_an_admin_asks_for_a_smaller_student(cast: Cast, looks: Looks) -> None:
    storage.ensure_bucket()
    import_starter([packed(a_trajectory())[1]])
    page = looks.person(cast.admin, "/training")
    page.get_by_role("button", name="Train now").click()
    form = page.get_by_role("form", name="What to train")
    chosen(page, "Kind", "A smaller student of a version")
    expect(form).to_contain_text("A smaller network learns everything the teacher would say")
    expect(form.get_by_role("textbox", name="Teacher")).to_have_value("v1 · champion")
    chosen(page, "Size of the student", "half")
    form.get_by_label("Practise in the sandbox, minutes").fill("0")
    form.get_by_role("button", name="Train now").click()
    expect(page.get_by_role("heading", name=re.compile("Training run"))).to_be_visible()
    expect(page.get_by_text("student", exact=True)).to_be_visible()
    run = TrainingRun.objects.get()
    assert (run.algorithm, run.parent, run.spec["share"], run.spec["practice_s"]) == ("distill", cast.policy, 0.5, 0)


def test_an_admin_trains_from_nothing_after_mid_training(cast: Cast, looks: Looks) -> None:
    storage.ensure_bucket()
    import_starter([packed(a_trajectory())[1]])
    page = looks.person(cast.admin, "/training")
    page.get_by_role("button", name="Train now").click()
    chosen(page, "Kind", "Mid-training first, then the same")
    chosen(page, "Go on from", "nothing: fresh weights")
    page.get_by_role("dialog").get_by_role("button", name="Train now").click()
    expect(page.get_by_text("mid-training → corrections → practice")).to_be_visible()
    run = TrainingRun.objects.get()
    assert (run.algorithm, run.parent) == ("midtrain+bc+ppo", None)


def test_an_admin_has_a_version_judged_beside_another_and_stops_it(
    cast: Cast, looks: Looks, version: PolicyVersion
) -> None:
    page = looks.person(cast.admin, f"/policies/{version.number}")
    expect(page.get_by_text("Not judged in simulators yet")).to_be_visible()
    page.get_by_role("button", name="Judge in simulators").click()
    dialog = page.get_by_role("dialog", name="Judge v2 in simulators")
    chosen(page, "Beside", re.compile("v1"))
    chosen(page, "Tasks of", re.compile("^Workbench", re.IGNORECASE))
    dialog.get_by_label("Minutes").fill("3")
    dialog.get_by_role("button", name="Judge", exact=True).click()
    table = page.get_by_role("table", name="Judged in simulators")
    expect(table.get_by_role("row").nth(1)).to_contain_text(re.compile("queued.*v1.*3 min"))
    found = Evaluation.objects.get()
    assert (found.policy, found.against, found.spec["environment"]) == (version, cast.policy, "workbench")

    claim = evaluations.claim(evaluation_id=found.pk, holder="a worker")
    assert claim is not None
    leases.reached(claim, phase="evaluate", progress=0.42)
    expect(table).to_contain_text("trying it 42 %")
    table.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop the evaluation").click()
    expect(table).to_contain_text("cancelled")


def test_a_versions_page_shows_how_it_was_judged(
    cast: Cast, looks: Looks, version: PolicyVersion, report: Path
) -> None:
    judged(cast, version, report)
    page = looks.person(cast.operator, f"/policies/{version.number}")
    shown = page.get_by_role("article", name=re.compile("Evaluation"))
    expect(shown.get_by_role("figure", name=re.compile(r"test tasks: .*create-disk \d+.\d+ = "))).to_be_visible()
    expect(shown.get_by_role("figure", name=re.compile("validation tasks"))).to_be_visible()
    expect(shown.get_by_role("region", name="Conduct")).to_contain_text("Steps over those of the oracle")
    expect(shown.get_by_role("table", name="Questions to people an episode").get_by_role("row")).to_have_count(5)
    expect(shown.get_by_role("region", name="The same question in two looks")).to_contain_text(
        "misses the bar: at least 82 % alike"
    )
    expect(shown.get_by_role("region", name="Beside v1, on the same tasks").first).to_contain_text(
        re.compile("No difference is shown .p = 1.000")
    )
    expect(shown.get_by_role("region", name="The very same action as v1")).to_contain_text("= 100 %")
    expect(shown.get_by_role("table", name="Ground covered")).to_contain_text("FORM_OPEN")
    expect(page.get_by_role("button", name="Judge in simulators")).to_have_count(0)


def test_a_failure_is_told_with_its_cause_and_its_replay(
    cast: Cast, looks: Looks, version: PolicyVersion, report: Path
) -> None:
    judged(cast, version, report)
    page = looks.person(cast.operator, f"/policies/{version.number}")
    expect(page.get_by_role("table", name="Why it failed").get_by_role("row").nth(1)).to_contain_text("cloud")
    failures = page.get_by_role("table", name="Not verified")
    expect(failures).to_contain_text(UNLEARNT)
    with page.context.expect_page() as opened:
        failures.get_by_role("link", name=re.compile("Replay of")).first.click()
    expect(opened.value.get_by_role("heading").first).to_be_visible()
    expect(opened.value.get_by_text("1.", exact=False).first).to_be_visible()


def test_a_report_is_downloaded_and_its_page_opened(
    cast: Cast, looks: Looks, version: PolicyVersion, report: Path
) -> None:
    judged(cast, version, report)
    page = looks.person(cast.operator, f"/policies/{version.number}")
    forms = page.get_by_role("navigation", name="Report")
    for form in ("json", "md"):
        with page.expect_download() as download:
            forms.get_by_role("link", name=f"Report as {form}").click()
        assert Path(download.value.path()).read_bytes() == (report / f"report.{form}").read_bytes()
    with page.context.expect_page() as opened:
        forms.get_by_role("link", name="Report as html").click()
    expect(opened.value.get_by_role("heading", name="v2", exact=True)).to_be_visible()
    with opened.value.expect_navigation():
        opened.value.get_by_role("link", name=re.compile("create-network")).first.click()
    expect(opened.value.get_by_text("failed", exact=True).first).to_be_visible()
