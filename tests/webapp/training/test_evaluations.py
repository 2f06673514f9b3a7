"""A version is judged on the training queue, alone or beside another; its report can be read and downloaded."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.builders import a_user
from tests.webapp.agent_sessions.cast import a_policy
from webapp import storage
from webapp.accounts.models import Role
from webapp.celery import app
from webapp.rollouts.actions import seed_starter
from webapp.rollouts.models import PolicyVersion
from webapp.training import evaluations, judging, leases, queries, tasks, worker
from webapp.training.models import Evaluation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


def a_client(role: Role) -> Client:
    client = Client()
    client.force_login(a_user(role))
    return client


def asked(policy: PolicyVersion, *, against: PolicyVersion | None = None, minutes: float = 0.1) -> Evaluation:
    trial = evaluations.Trial(environment="workbench", splits=["test"], variants=0, minutes=minutes, seed=1)
    user = a_user(Role.ADMIN)
    return evaluations.request_evaluation(policy=policy, against=against, trial=trial, user=user, how="web")


def ask(**body: Any) -> tuple[int, dict[str, Any]]:
    """Status and answer of an admin's asking for an evaluation."""
    response = a_client(Role.ADMIN).post("/api/evaluations", body, content_type="application/json")
    return response.status_code, response.json()


def test_an_admin_asks_for_an_evaluation_beside_another_version() -> None:
    one, other = a_policy(), a_policy()
    status, row = ask(policy=one.number, against=other.number, splits=["test", "validation"], minutes=3)
    assert (status, row["state"], row["policy"], row["against"]) == (201, "queued", one.number, other.number)
    assert (row["splits"], row["minutes"], row["environment"]) == (["test", "validation"], 3, "")
    listed = a_client(Role.OPERATOR).get("/api/evaluations", {"policy": one.number}).json()
    assert [each["id"] for each in listed["items"]] == [row["id"]]
    assert a_client(Role.OPERATOR).get("/api/evaluations", {"policy": other.number}).json()["count"] == 0


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"policy": 99}, "policy", "There is no policy version 99."),
        ({"policy": 1, "against": 99}, "against", "There is no policy version 99."),
        ({"policy": 1, "against": 1}, "against", "cannot be compared with itself"),
        ({"policy": 1, "environment": "object-store"}, "environment", "cannot be played without a browser"),
        ({"policy": 1, "minutes": 0}, "minutes", "greater than or equal to 0.1"),
        ({"policy": 1, "splits": []}, "splits", "at least 1 item"),
        ({"policy": 1, "splits": ["train"]}, "splits.0", "'validation' or 'test'"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_its_field(body: dict[str, Any], field: str, sentence: str) -> None:
    PolicyVersion.objects.create(number=1, source="starter", content_hash="a" * 64, storage_key="policies/a")
    status, problem = ask(**body)
    assert (status, list(problem["errors"])) == (422, [field])
    assert sentence in problem["errors"][field]


def test_what_can_be_tried_without_a_browser_is_named() -> None:
    named = a_client(Role.OPERATOR).get("/api/evaluations/environments").json()
    assert {"cloud", "workbench"} <= {each["id"] for each in named}
    assert "object-store" not in {each["id"] for each in named}


@pytest.mark.django_db(transaction=True)  # the lease is renewed by a connection of its own
def test_an_evaluation_is_judged_and_its_report_is_kept() -> None:
    storage.ensure_bucket()
    starter = seed_starter()
    evaluation = asked(starter)
    assert queries.unclaimed() == [evaluation]
    tasks.judge(evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.error, evaluation.progress) == ("completed", "", 1.0)
    client = a_client(Role.OPERATOR)
    found = client.get(f"/api/evaluations/{evaluation.pk}").json()["judgement"]
    [split] = found["evaluations"]
    assert split["overall"]["episodes"] >= 1
    assert set(found["ground"]["met"]) <= set(split["templates"])
    assert found["failures"][0]["outcome"] == "failed"  # nothing of the workbench is known to the starter
    replay = client.get(f"/api/evaluations/{evaluation.pk}/replays/{found['failures'][0]['replay']}.html")
    assert replay.status_code == 200
    assert b"<section" in replay.content
    assert not (worker.folder_of(evaluation)).exists()


def stored(**files: bytes) -> Evaluation:
    """An evaluation that has ended, with these files as its report."""
    storage.ensure_bucket()
    evaluation = asked(a_policy())
    claim = evaluations.claim(evaluation_id=evaluation.pk, holder="a worker")
    assert claim is not None
    for kind, content in files.items():
        storage.put(queries.report_key(queries.report_prefix(claim), f"report.{kind}"), content, "text/plain")
    evaluations.complete(claim=claim)
    return evaluation


@pytest.mark.parametrize(("kind", "shown"), [("json", "attachment"), ("md", "attachment"), ("html", "")])
def test_a_report_is_given_in_each_form_and_its_pages_may_do_nothing(kind: str, shown: str) -> None:
    evaluation = stored(json=b"{}", md=b"# v2", html=b"<h1>v2</h1>")
    response = a_client(Role.OPERATOR).get(f"/api/evaluations/{evaluation.pk}/report.{kind}")
    assert response.status_code == 200
    assert response.get("Content-Disposition", "").startswith(shown)
    assert "default-src 'none'" in response["Content-Security-Policy"]


@pytest.mark.parametrize(
    "name",
    [
        "report.pdf",
        "replays/none.html",
        "replays/..%2freport.html",
        "replays/a%00b.html",
        "replays/a%5c..%5cb.html",
        f"replays/{'a' * 1200}.html",
    ],
)
def test_what_a_report_does_not_have_is_not_found(name: str) -> None:
    evaluation = stored(html=b"<h1>v2</h1>")
    assert a_client(Role.OPERATOR).get(f"/api/evaluations/{evaluation.pk}/{name}").status_code == 404


def test_an_evaluation_that_goes_on_has_no_report_yet() -> None:
    evaluation = asked(a_policy())
    client = a_client(Role.OPERATOR)
    assert client.get(f"/api/evaluations/{evaluation.pk}").json()["judgement"] is None
    problem = client.get(f"/api/evaluations/{evaluation.pk}/report.html")
    assert (problem.status_code, problem.json()["detail"]) == (
        404,
        f"Evaluation {evaluation.pk} is queued: it has no report.",
    )


def a_written_report(out: Path, said: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in judging.REPORTS:
        (out / name).write_text(said)


def test_a_worker_that_was_displaced_changes_nothing_of_its_successors_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    storage.ensure_bucket()
    evaluation = asked(a_policy())
    late = evaluations.claim(evaluation_id=evaluation.pk, holder="late")
    assert late is not None
    Evaluation.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))

    def judged(evaluation: Evaluation, claim: leases.Claim, heartbeat: object, out: Path) -> None:
        a_written_report(out, "by the successor")

    monkeypatch.setattr(judging, "_judge", judged)
    judging.work(evaluation.pk)
    evaluation.refresh_from_db()
    a_written_report(tmp_path, "too late")
    judging.store(late, tmp_path)
    assert (evaluation.state, queries.report(evaluation, "report.md")) == ("completed", b"by the successor")
    with pytest.raises(leases.LeaseLost):
        evaluations.complete(claim=late)


@pytest.mark.django_db(transaction=True)  # a message is sent when the row is committed
def test_a_message_that_there_is_work_expires_before_the_sweeps_messages_pile_up() -> None:
    asked(a_policy())
    tasks.sweep_runs()
    with app.connection_for_read() as broker:
        messages = [broker.default_channel.basic_get("training", no_ack=True) for _ in range(2)]
    for message in messages:
        left = datetime.fromisoformat(message.headers["expires"]) - timezone.now()
        assert timedelta(0) < left <= timedelta(seconds=leases.TOLD_S)


def test_a_cancelled_evaluation_ends_its_worker() -> None:
    evaluation = asked(a_policy())
    claim = evaluations.claim(evaluation_id=evaluation.pk, holder="a worker")
    assert claim is not None
    client = a_client(Role.ADMIN)
    assert client.post(f"/api/evaluations/{evaluation.pk}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/api/evaluations/{evaluation.pk}/cancel").status_code == 409
    with pytest.raises(leases.LeaseLost):
        leases.reached(claim, phase="evaluate", progress=0.5)


def test_an_evaluation_that_breaks_says_why() -> None:
    evaluation = asked(a_policy())
    a_written_report(worker.folder_of(evaluation) / "0", "of a worker that died")
    with pytest.raises(storage.Missing):
        judging.work(evaluation.pk)
    assert not worker.folder_of(evaluation).exists()
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.error.startswith("Missing")) == ("failed", True)
