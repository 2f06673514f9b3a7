"""HTTP of policy versions, gray release and the human-only switch."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from webapp.access import caller, needs
from webapp.accounts.models import Role, Scope
from webapp.pages import Page, Window, page
from webapp.rollouts import actions, queries
from webapp.rollouts.models import PolicyVersion, Rollout, Switch
from webapp.texts import Note

router = Router(tags=["rollouts"])


class PolicyRow(Schema):
    number: int
    name: str
    source: str
    parent: int | None
    dataset: int | None
    aliases: list[str]
    evaluation: dict[str, Any]
    content_hash: str
    created_at: datetime


class PolicyView(PolicyRow):
    card: str
    lineage: dict[str, Any]
    spec: dict[str, Any]
    note: str


class NotePatch(Schema):
    note: Note = Field(max_length=4000)


class RolloutRow(Schema):
    id: int
    champion: int
    challenger: int
    weight: int
    state: str
    started_by: str | None
    started_at: datetime
    ended_by: str | None
    ended_at: datetime | None
    reason: str


class ArmView(Schema):
    policy: int
    tickets: int
    share: float
    verified: int
    failed: int
    unverified: int
    verified_rate: float | None
    interval: tuple[float, float] | None
    corrections: int
    takeovers: int
    mean_steps: float | None


class RolloutView(RolloutRow):
    arms: dict[str, ArmView]


class NewRollout(Schema):
    challenger: int
    weight: int = Field(ge=1, le=100)


class Weight(Schema):
    weight: int = Field(ge=0, le=100)


class Reason(Schema):
    reason: Note = Field("", max_length=2000)


class HumanOnly(Schema):
    on: bool
    reason: Note = Field("", max_length=2000)


class HumanOnlyView(HumanOnly):
    changed_by: str | None
    changed_at: datetime | None


def policy_row(policy: PolicyVersion) -> dict[str, Any]:
    plain = ("number", "name", "source", "evaluation", "content_hash", "created_at")
    return {
        **{name: getattr(policy, name) for name in plain},
        "parent": policy.parent.number if policy.parent else None,
        "dataset": policy.lineage.get("dataset"),
        "aliases": sorted(alias.name for alias in policy.aliases.all()),
    }


def rollout_row(rollout: Rollout) -> dict[str, Any]:
    plain = ("weight", "state", "started_at", "ended_at", "reason")
    return {
        **{name: getattr(rollout, name) for name in plain},
        "id": rollout.pk,
        "champion": rollout.champion.number,
        "challenger": rollout.challenger.number,
        "started_by": rollout.started_by.get_username() if rollout.started_by else None,
        "ended_by": rollout.ended_by.get_username() if rollout.ended_by else None,
    }


def rollout_view(rollout_id: int) -> dict[str, Any]:
    rollout = queries.rollouts().get(id=rollout_id)
    arms = {
        side: {**{name: getattr(arm, name) for name in ArmView.model_fields}, "policy": arm.policy.number}
        for side, arm in queries.arms(rollout).items()
    }
    return {**rollout_row(rollout), "arms": arms}


@router.get("/policies", response=Page[PolicyRow], **needs(Role.OPERATOR, Scope.READ))
def list_policies(request: HttpRequest, window: Query[Window]) -> dict[str, Any]:
    return page(queries.policies(), window, policy_row)


@router.get("/policies/{number}", response=PolicyView, **needs(Role.OPERATOR, Scope.READ))
def show_policy(request: HttpRequest, number: int) -> dict[str, Any]:
    policy = queries.policies().get(number=number)
    rest = {name: getattr(policy, name) for name in ("card", "lineage", "spec", "note")}
    return {**policy_row(policy), **rest}


@router.patch("/policies/{number}", response=PolicyView, **needs(Role.ADMIN, Scope.ADMIN))
def note_policy(request: HttpRequest, number: int, body: NotePatch) -> dict[str, Any]:
    who = caller(request)
    actions.set_note(policy=PolicyVersion.objects.get(number=number), note=body.note, user=who.user, how=who.how)
    return show_policy(request, number)


@router.get("/rollouts", response=Page[RolloutRow], **needs(Role.OPERATOR, Scope.READ))
def list_rollouts(request: HttpRequest, window: Query[Window]) -> dict[str, Any]:
    return page(queries.rollouts(), window, rollout_row)


@router.post("/rollouts", response={201: RolloutView}, **needs(Role.ADMIN, Scope.ADMIN))
def start_rollout(request: HttpRequest, body: NewRollout) -> Status[dict[str, Any]]:
    who = caller(request)
    challenger = PolicyVersion.objects.get(number=body.challenger)
    rollout = actions.start_rollout(challenger=challenger, weight=body.weight, user=who.user, how=who.how)
    return Status(201, rollout_view(rollout.pk))


@router.get("/rollouts/{rollout_id}", response=RolloutView, **needs(Role.OPERATOR, Scope.READ))
def show_rollout(request: HttpRequest, rollout_id: int) -> dict[str, Any]:
    return rollout_view(rollout_id)


@router.post("/rollouts/{rollout_id}/weight", response=RolloutView, **needs(Role.ADMIN, Scope.ADMIN))
def weigh_rollout(request: HttpRequest, rollout_id: int, body: Weight) -> dict[str, Any]:
    who = caller(request)
    actions.set_weight(rollout_id=rollout_id, weight=body.weight, user=who.user, how=who.how)
    return rollout_view(rollout_id)


@router.post("/rollouts/{rollout_id}/promote", response=RolloutView, **needs(Role.ADMIN, Scope.ADMIN))
def promote_rollout(request: HttpRequest, rollout_id: int, body: Reason) -> dict[str, Any]:
    who = caller(request)
    actions.promote(rollout_id=rollout_id, user=who.user, how=who.how, reason=body.reason)
    return rollout_view(rollout_id)


@router.post("/rollouts/{rollout_id}/roll-back", response=RolloutView, **needs(Role.ADMIN, Scope.ADMIN))
def roll_back_rollout(request: HttpRequest, rollout_id: int, body: Reason) -> dict[str, Any]:
    who = caller(request)
    actions.roll_back(rollout_id=rollout_id, user=who.user, how=who.how, reason=body.reason)
    return rollout_view(rollout_id)


@router.post("/rollouts/{rollout_id}/pause", response=RolloutView, **needs(Role.ADMIN, Scope.ADMIN))
def pause_rollout(request: HttpRequest, rollout_id: int) -> dict[str, Any]:
    who = caller(request)
    actions.pause(rollout_id=rollout_id, user=who.user, how=who.how)
    return rollout_view(rollout_id)


@router.post("/rollouts/{rollout_id}/resume", response=RolloutView, **needs(Role.ADMIN, Scope.ADMIN))
def resume_rollout(request: HttpRequest, rollout_id: int) -> dict[str, Any]:
    who = caller(request)
    actions.resume(rollout_id=rollout_id, user=who.user, how=who.how)
    return rollout_view(rollout_id)


@router.get("/human-only", response=HumanOnlyView, **needs(Role.OPERATOR, Scope.READ))
def show_human_only(request: HttpRequest) -> dict[str, Any]:
    return _switch(Switch.objects.select_related("changed_by").filter(id=1).first() or Switch())


@router.put("/human-only", response=HumanOnlyView, **needs(Role.ADMIN, Scope.ADMIN))
def switch_human_only(request: HttpRequest, body: HumanOnly) -> dict[str, Any]:
    who = caller(request)
    return _switch(actions.set_human_only(on=body.on, reason=body.reason, user=who.user, how=who.how))


def _switch(row: Switch) -> dict[str, Any]:
    by = row.changed_by.get_username() if row.changed_by else None
    return {"on": row.human_only, "reason": row.reason, "changed_by": by, "changed_at": row.changed_at}
