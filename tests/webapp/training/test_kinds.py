"""An admin asks for any kind of training; what cannot be done is said in words that say what to do."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tests.builders import a_user
from tests.webapp.agent_sessions.cast import a_page, a_policy, a_scene
from webapp import storage
from webapp.accounts.models import Role
from webapp.agent_sessions import approvals, leases, packing, review
from webapp.agent_sessions.actions import end_held, wind_up
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.session_row import locked, put
from webapp.agent_sessions.states import SessionState
from webapp.rollouts.actions import point_alias
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.training import actions, queries
from webapp.training.models import TrainingPlan, TrainingRun
from webapp.training.worker import rejected_by
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


@pytest.fixture
def champion() -> PolicyVersion:
    policy = a_policy()
    point_alias(name=Alias.Name.CHAMPION, policy=policy, user=None, how="system")
    return policy


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(a_user(Role.ADMIN))
    return client


def ask(client: Client, **body: Any) -> tuple[int, dict[str, Any]]:
    """Status and answer of asking for a run."""
    response = client.post("/api/training", body, content_type="application/json")
    return response.status_code, response.json()


def test_a_run_that_is_asked_for_without_wishes_is_as_planned(admin: Client, champion: PolicyVersion) -> None:
    status, row = ask(admin)
    run = TrainingRun.objects.get(id=row["id"])
    assert (status, run.algorithm, run.parent) == (201, "bc+ppo", champion)
    assert run.spec == {"budget_s": 120, "practice_s": 60, "queue": "training"}


@pytest.mark.parametrize(
    ("wish", "algorithm", "spec"),
    [
        ({"kind": "midtrain"}, "midtrain+bc+ppo", {"kind": "midtrain"}),
        ({"kind": "midtrain", "practice_s": 0}, "midtrain+bc", {"kind": "midtrain", "practice_s": 0}),
        ({"kind": "offline", "learn_s": 30}, "offline+ppo", {"kind": "offline", "budget_s": 30}),
        ({"kind": "distill", "share": 0.5}, "distill+ppo", {"kind": "distill", "share": 0.5}),
        ({"practice_s": 0}, "bc", {"kind": "bc", "practice_s": 0}),
    ],
)
def test_each_kind_is_queued_with_what_was_wished(
    wish: dict[str, Any], algorithm: str, spec: dict[str, Any], admin: Client, champion: PolicyVersion
) -> None:
    status, row = ask(admin, **wish)
    run = TrainingRun.objects.get(id=row["id"])
    assert (status, row["algorithm"], run.parent) == (201, algorithm, champion)
    assert run.spec == {"budget_s": 120, "practice_s": 60, "queue": "training"} | spec


def test_another_parent_or_none_makes_another_run_and_the_same_wish_none(
    admin: Client, champion: PolicyVersion
) -> None:
    other = a_policy()
    asked: list[dict[str, Any]] = [{"parent": other.number}, {"from_nothing": True}, {}, {"parent": other.number}]
    ids = [ask(admin, kind="offline", **each)[1]["id"] for each in asked]
    assert ids[0] == ids[3]
    assert [TrainingRun.objects.get(id=each).parent for each in ids[:3]] == [other, None, champion]


@pytest.mark.parametrize(
    ("wish", "field", "sentence"),
    [
        ({"kind": "distill", "from_nothing": True}, "parent", "choose a policy version"),
        ({"kind": "distill"}, "parent", "There is no champion to be the teacher"),
        ({"kind": "offline", "parent": 99}, "parent", "There is no policy version 99."),
        ({"parent": 1, "from_nothing": True}, "parent", "not both"),
        ({"dataset": 99}, "dataset", "There is no dataset version 99."),
        ({"kind": "dreaming"}, "kind", "midtrain"),
        ({"kind": "distill", "share": 1.5}, "share", "less than 1"),
        ({"kind": "distill", "share": 0.07}, "share", "greater than or equal to 0.08"),
    ],
)
def test_what_cannot_be_trained_is_refused_by_its_field(
    wish: dict[str, Any], field: str, sentence: str, admin: Client
) -> None:
    status, problem = ask(admin, **wish)
    assert (status, list(problem["errors"])) == (422, [field])
    assert sentence in problem["errors"][field]
    assert not TrainingRun.objects.exists()


def test_what_was_done_already_is_not_done_again_unless_by_another_seed(admin: Client, champion: PolicyVersion) -> None:
    _, row = ask(admin, kind="midtrain")
    actions.cancel(run_id=row["id"], user=a_user(Role.ADMIN), how="web")
    status, problem = ask(admin, kind="midtrain")
    assert (status, "Choose another seed" in problem["detail"]) == (409, True)
    assert ask(admin, kind="midtrain", seed=1)[0] == 201


def test_what_is_planned_is_another_run_for_another_champion_or_plan(admin: Client, champion: PolicyVersion) -> None:
    user = a_user(Role.ADMIN)
    first = ask(admin)[1]["id"]
    assert ask(admin)[1]["id"] == first
    actions.cancel(run_id=first, user=user, how="web")
    newer = a_policy()
    point_alias(name=Alias.Name.CHAMPION, policy=newer, user=None, how="system")
    status, row = ask(admin)
    assert (status, row["parent"]) == (201, newer.name)
    actions.set_plan(after_accepted=5, learn_s=600, practice_s=60, queue=TrainingPlan.Queue.CPU, user=user, how="web")
    again = TrainingRun.objects.get(id=ask(admin)[1]["id"])
    assert (again.pk != row["id"], again.spec["budget_s"]) == (True, 600)


def a_judged_session(verdict: str) -> Session:
    scene = a_scene()
    step = scene.propose()
    approvals.decide(**scene.answer(step))
    scene.carry_out(step)
    end_held(**scene.host, state=SessionState.COMPLETED, reason="finished")
    with transaction.atomic():
        ended = locked(scene.session_id)
        put(ended, trajectory_hash=packing.store(ended))  # as its host does
    review.review(session_id=scene.session_id, user=a_user(Role.REVIEWER), how="web", verdict=verdict)
    return Session.objects.get(pk=scene.session_id)


def test_mixed_work_has_what_was_rejected_before_the_run_was_asked_for(champion: PolicyVersion) -> None:
    storage.ensure_bucket()
    bad, _ = a_judged_session("reject"), a_judged_session("accept")
    dataset = freeze(reason=DatasetVersion.Reason.MANUAL)
    common: dict[str, Any] = {"dataset": dataset, "trigger": TrainingRun.Trigger.MANUAL, "user": None, "how": "web"}
    wish = actions.Wish(kind="offline", parent=champion, learn_s=5, practice_s=0, share=0.25)
    mixed, plain = actions.request_run(**common, wish=wish), actions.request_run(**common)
    later = a_judged_session("reject")
    assert rejected_by(mixed) == [bad.trajectory_hash]
    assert rejected_by(plain) == []
    assert queries.rejected(before=timezone.now()) == [bad.trajectory_hash, later.trajectory_hash]


def test_a_session_that_ended_before_a_step_in_its_last_console_is_neither_packed_nor_learnt_from() -> None:
    storage.ensure_bucket()
    scene = a_scene()
    step = scene.propose()
    approvals.decide(**scene.answer(step))
    scene.carry_out(step)
    leases.opened(**scene.host, observation=a_page(), anew=True)  # its console was lost
    end_held(**scene.host, state=SessionState.FAILED, reason="console lost")
    wind_up(**scene.host)
    assert Session.objects.get(pk=scene.session_id).trajectory_hash == ""
    Session.objects.filter(pk=scene.session_id).update(trajectory_hash="e" * 64)  # as it was packed once
    review.review(session_id=scene.session_id, user=a_user(Role.REVIEWER), how="web", verdict="reject")
    assert queries.rejected(before=timezone.now()) == []
