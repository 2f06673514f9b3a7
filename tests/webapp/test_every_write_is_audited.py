"""Every operation that writes, once, as it is meant: an entry says who did it, and the chain holds."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_policy, a_scene, a_ticket, queued
from tests.webapp.test_access_matrix import WRITES
from webapp.accounts.actions import create_token
from webapp.accounts.models import Role, Scope, User
from webapp.agent_sessions import actions, approvals, review, takeover
from webapp.agent_sessions.models import LabelMark
from webapp.agent_sessions.states import SessionState
from webapp.audit.models import AuditEntry
from webapp.audit.queries import verify
from webapp.rollouts import actions as rollouts
from webapp.rollouts.models import Alias, Rollout
from webapp.training.actions import request_run
from webapp.training.evaluations import Trial, request_evaluation
from webapp.training.models import TrainingRun
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

Call = tuple[str, Any]  # address and body
PASSWORD = "correct horse battery"
CALLS: dict[str, Callable[[User], Call]] = {}


def call(operation: str) -> Callable[[Callable[[User], Call]], Callable[[User], Call]]:
    """Says what makes this operation succeed for a person."""

    def keep(prepare: Callable[[User], Call]) -> Callable[[User], Call]:
        CALLS[operation] = prepare
        return prepare

    return keep


def of_session(scene: Scene, verb: str, body: Any = None) -> Call:
    return f"/api/sessions/{scene.session_id}/{verb}", body or {}


def driven_by(user: User) -> Scene:
    """A session with this person at the wheel."""
    scene = a_scene()
    takeover.take_over(session_id=scene.session_id, user=user, how="web")
    assert takeover.grant_control(**scene.host)
    return scene


def a_rollout(user: User) -> Rollout:
    rollouts.point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=user, how="web")
    return rollouts.start_rollout(challenger=a_policy(), weight=10, user=user, how="web")


@call("POST /api/auth/sign-in")
def sign_in(user: User) -> Call:
    return "/api/auth/sign-in", {"username": user.username, "password": PASSWORD}


@call("POST /api/auth/sign-out")
def sign_out(user: User) -> Call:
    return "/api/auth/sign-out", {}


@call("POST /api/people")
def create_person(user: User) -> Call:
    return "/api/people", {"username": "new", "role": "operator", "password": "a very long password"}


@call("PATCH /api/people/{user_id}")
def change_person(user: User) -> Call:
    return f"/api/people/{a_user().pk}", {"role": "reviewer"}


@call("POST /api/tokens")
def create_a_token(user: User) -> Call:
    return "/api/tokens", {"name": "ci", "scopes": ["read"], "days": 1}


@call("DELETE /api/tokens/{token_id}")
def revoke_token(user: User) -> Call:
    token, _ = create_token(user=user, name="ci", scopes=[Scope.READ], days=1, how="web")
    return f"/api/tokens/{token.pk}", {}


@call("POST /api/tickets")
def file_ticket(user: User) -> Call:
    return "/api/tickets", {"environment": "cloud", "text": "look around"}


@call("POST /api/tickets/{ticket_id}/cancel")
def cancel_ticket(user: User) -> Call:
    return f"/api/tickets/{queued(a_ticket(user)).ticket_id}/cancel", {}


@call("POST /api/tickets/{ticket_id}/rerun")
def rerun_ticket(user: User) -> Call:
    ticket = actions.file_ticket(user=user, how="web", environment="cloud", text="look around")
    actions.cancel_ticket(ticket_id=ticket.pk, user=user, how="web")
    return f"/api/tickets/{ticket.pk}/rerun", {}


@call("PUT /api/environments/{environment}/approval-policy")
def set_approval_policy(user: User) -> Call:
    body = {"auto_approve_up_to": "nothing", "approval_timeout_s": 60, "version": 0}
    return "/api/environments/cloud/approval-policy", body


@call("POST /api/sessions/{session_id}/decide")
def decide(user: User) -> Call:
    scene = a_scene()
    step = scene.propose()
    body = {"proposal_id": str(step.proposal_id), "fingerprint": step.fingerprint, "decision": "approved"}
    return of_session(scene, "decide", body)


@call("POST /api/sessions/{session_id}/undo")
def undo(user: User) -> Call:
    scene = a_scene()
    step = scene.propose()
    approvals.decide(**{**scene.answer(step), "user": user})
    return of_session(scene, "undo", {"proposal_id": str(step.proposal_id)})


@call("POST /api/sessions/{session_id}/take-over")
def take_over(user: User) -> Call:
    return of_session(a_scene(), "take-over")


@call("POST /api/sessions/{session_id}/hand-back")
def hand_back(user: User) -> Call:
    return of_session(driven_by(user), "hand-back")


@call("POST /api/sessions/{session_id}/hand")
def hand(user: User) -> Call:
    return of_session(driven_by(user), "hand", {"events": [{"kind": "pointer", "x": 1, "y": 1}]})


@call("POST /api/sessions/{session_id}/finish")
def finish(user: User) -> Call:
    return of_session(driven_by(user), "finish")


@call("POST /api/sessions/{session_id}/pause")
def pause(user: User) -> Call:
    return of_session(a_scene(), "pause")


@call("POST /api/sessions/{session_id}/resume")
def resume(user: User) -> Call:
    scene = a_scene()
    actions.pause(session_id=scene.session_id, user=user, how="web")
    return of_session(scene, "resume")


@call("POST /api/sessions/{session_id}/stop")
def stop(user: User) -> Call:
    return of_session(a_scene(), "stop")


@call("POST /api/sessions/{session_id}/review/undo")
def take_verdict_back(user: User) -> Call:
    scene = an_ended_scene()
    review.review(session_id=scene.session_id, user=user, how="web", verdict="accept")
    return of_session(scene, "review/undo")


@call("POST /api/sessions/{session_id}/review")
def judge(user: User) -> Call:
    return of_session(an_ended_scene(), "review", {"verdict": "reject"})


def an_ended_scene() -> Scene:
    scene = a_scene()
    step = scene.propose()
    approvals.decide(**scene.answer(step))
    scene.carry_out(step)
    actions.end_held(**scene.host, state=SessionState.COMPLETED, reason="finished")
    return scene


@call("POST /api/sessions/{session_id}/labels")
def add_mark(user: User) -> Call:
    review.seed_taxonomy()
    return of_session(a_scene(), "labels", {"label": "loop"})


@call("DELETE /api/sessions/{session_id}/labels/{mark_id}")
def remove_mark(user: User) -> Call:
    review.seed_taxonomy()
    scene = a_scene()
    mark: LabelMark = review.mark(session_id=scene.session_id, user=user, how="web", label="loop")
    return of_session(scene, f"labels/{mark.pk}")


@call("POST /api/approvals/{approval_id}/claim")
def claim_approval(user: User) -> Call:
    scene = a_scene()
    scene.propose()
    return f"/api/approvals/{scene.approval.pk}/claim", {}


@call("POST /api/approvals/{approval_id}/release")
def release_approval(user: User) -> Call:
    scene = a_scene()
    scene.propose()
    approvals.claim_approval(approval_id=scene.approval.pk, user=user, how="web")
    return f"/api/approvals/{scene.approval.pk}/release", {}


@call("POST /api/labels")
def add_label(user: User) -> Call:
    return "/api/labels", {"key": "odd", "title": "Odd"}


@call("PATCH /api/labels/{key}")
def change_label(user: User) -> Call:
    review.seed_taxonomy()
    return "/api/labels/loop", {"archived": True}


@call("POST /api/datasets")
def freeze_dataset(user: User) -> Call:
    return "/api/datasets", {}


@call("POST /api/training")
def start_run(user: User) -> Call:
    return "/api/training", {}


@call("PUT /api/training/plan")
def set_plan(user: User) -> Call:
    return "/api/training/plan", {"after_accepted": 9, "learn_s": 60, "practice_s": 0, "queue": "training"}


@call("POST /api/training/{run_id}/cancel")
def cancel_run(user: User) -> Call:
    version = freeze(reason=DatasetVersion.Reason.MANUAL)
    run = request_run(dataset=version, trigger=TrainingRun.Trigger.MANUAL, user=user, how="web")
    return f"/api/training/{run.pk}/cancel", {}


@call("POST /api/evaluations")
def start_evaluation(user: User) -> Call:
    return "/api/evaluations", {"policy": a_policy().number, "against": a_policy().number}


@call("POST /api/evaluations/{evaluation_id}/cancel")
def cancel_evaluation(user: User) -> Call:
    trial = Trial(environment="", splits=["test"], variants=0, minutes=1.0, seed=1)
    evaluation = request_evaluation(policy=a_policy(), against=None, trial=trial, user=user, how="web")
    return f"/api/evaluations/{evaluation.pk}/cancel", {}


@call("PATCH /api/policies/{number}")
def note_policy(user: User) -> Call:
    return f"/api/policies/{a_policy().number}", {"note": "good with buckets"}


@call("POST /api/rollouts")
def start_rollout(user: User) -> Call:
    rollouts.point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=user, how="web")
    return "/api/rollouts", {"challenger": a_policy().number, "weight": 10}


@call("POST /api/rollouts/{rollout_id}/weight")
def weigh_rollout(user: User) -> Call:
    return f"/api/rollouts/{a_rollout(user).pk}/weight", {"weight": 20}


@call("POST /api/rollouts/{rollout_id}/promote")
def promote_rollout(user: User) -> Call:
    return f"/api/rollouts/{a_rollout(user).pk}/promote", {}


@call("POST /api/rollouts/{rollout_id}/roll-back")
def roll_back_rollout(user: User) -> Call:
    return f"/api/rollouts/{a_rollout(user).pk}/roll-back", {}


@call("POST /api/rollouts/{rollout_id}/pause")
def pause_rollout(user: User) -> Call:
    return f"/api/rollouts/{a_rollout(user).pk}/pause", {}


@call("POST /api/rollouts/{rollout_id}/resume")
def resume_rollout(user: User) -> Call:
    rollout = a_rollout(user)
    rollouts.pause(rollout_id=rollout.pk, user=user, how="web")
    return f"/api/rollouts/{rollout.pk}/resume", {}


@call("PUT /api/human-only")
def human_only(user: User) -> Call:
    return "/api/human-only", {"on": True, "reason": "drill"}


@pytest.mark.parametrize("operation", WRITES, ids=str)
def test_every_write_is_audited(operation: object) -> None:
    user = a_user(Role.ADMIN)
    client = Client()
    client.force_login(user)
    address, body = CALLS[str(operation)](user)
    before = set(AuditEntry.objects.values_list("pk", flat=True))
    response = client.generic(str(operation).split()[0], address, json.dumps(body), content_type="application/json")
    assert response.status_code < 300, response.content
    written = AuditEntry.objects.exclude(pk__in=before)
    assert {(entry.user, entry.how) for entry in written} == {(user, "web")}
    assert PASSWORD not in str([(entry.before, entry.after) for entry in written])
    assert verify().ok
