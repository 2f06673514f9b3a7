"""HTTP of training."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from webapp.access import caller, needs
from webapp.accounts.models import Role, Scope
from webapp.pages import Page, Window, page
from webapp.training import actions, queries
from webapp.training.models import TrainingPlan, TrainingRun
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion

router = Router(tags=["training"])


class RunRow(Schema):
    id: int
    algorithm: str
    trigger: str
    state: str
    phase: str
    progress: float
    dataset: int
    parent: str | None
    parent_number: int | None
    policy: str | None
    policy_number: int | None
    created_by: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    error: str


class Metric(Schema):
    step: int
    values: dict[str, float]


class RunView(RunRow):
    spec: dict[str, Any]
    seed: int
    commit: str
    attempts: int
    metrics: list[Metric]


class NewRun(Schema):
    """Which dataset version to train on (none: freeze one now), and with which seed."""

    dataset: int | None = None
    seed: int = Field(0, ge=0, lt=2**31)


class PlanRow(Schema):
    """When a training starts by itself, and how long it may take."""

    after_accepted: int = Field(ge=1, le=100_000)
    learn_s: int = Field(ge=5, le=7 * 24 * 3600)
    practice_s: int = Field(ge=0, le=7 * 24 * 3600)
    queue: TrainingPlan.Queue


class PlanView(PlanRow):
    changed_by: str | None
    changed_at: datetime | None


def plan_view(plan: TrainingPlan) -> dict[str, Any]:
    plain = ("after_accepted", "learn_s", "practice_s", "queue", "changed_at")
    by = plan.changed_by.get_username() if plan.changed_by else None
    return {name: getattr(plan, name) for name in plain} | {"changed_by": by}


def run_row(run: TrainingRun) -> dict[str, Any]:
    plain = ("algorithm", "trigger", "state", "phase", "progress", "created_at", "started_at", "ended_at", "error")
    return {
        **{name: getattr(run, name) for name in plain},
        "id": run.pk,
        "dataset": run.dataset.number,
        "parent": run.parent.name if run.parent else None,
        "parent_number": run.parent.number if run.parent else None,
        "policy": run.policy.name if run.policy else None,
        "policy_number": run.policy.number if run.policy else None,
        "created_by": run.created_by.get_username() if run.created_by else None,
    }


@router.get("/training", response=Page[RunRow], **needs(Role.OPERATOR, Scope.READ))
def list_runs(request: HttpRequest, window: Query[Window]) -> dict[str, Any]:
    return page(queries.runs(), window, run_row)


@router.post("/training", response={201: RunRow}, **needs(Role.ADMIN, Scope.ADMIN))
def start_run(request: HttpRequest, body: NewRun) -> Status[dict[str, Any]]:
    who = caller(request)
    if body.dataset is None:
        dataset = freeze(reason=DatasetVersion.Reason.MANUAL, user=who.user, how=who.how)
    else:
        dataset = DatasetVersion.objects.get(number=body.dataset)
    run = actions.request_run(
        dataset=dataset, trigger=TrainingRun.Trigger.MANUAL, user=who.user, how=who.how, seed=body.seed
    )
    return Status(201, run_row(run))


@router.get("/training/plan", response=PlanView, **needs(Role.OPERATOR, Scope.READ))
def show_plan(request: HttpRequest) -> dict[str, Any]:
    return plan_view(queries.plan())


@router.put("/training/plan", response=PlanView, **needs(Role.ADMIN, Scope.ADMIN))
def set_plan(request: HttpRequest, body: PlanRow) -> dict[str, Any]:
    who = caller(request)
    return plan_view(actions.set_plan(**body.dict(), user=who.user, how=who.how))


@router.get("/training/{run_id}", response=RunView, **needs(Role.OPERATOR, Scope.READ))
def show_run(request: HttpRequest, run_id: int) -> dict[str, Any]:
    run = queries.runs().get(id=run_id)
    rest = {name: getattr(run, name) for name in ("spec", "seed", "commit", "attempts")}
    return {**run_row(run), **rest, "metrics": list(queries.metrics(run_id))}


@router.get("/training/{run_id}/metrics", response=list[Metric], **needs(Role.OPERATOR, Scope.READ))
def show_metrics(request: HttpRequest, run_id: int, after: int = -1) -> Any:
    return list(queries.metrics(queries.runs().get(id=run_id).pk, after=after))


@router.post("/training/{run_id}/cancel", response=RunRow, **needs(Role.ADMIN, Scope.ADMIN))
def cancel_run(request: HttpRequest, run_id: int) -> dict[str, Any]:
    who = caller(request)
    actions.cancel(run_id=run_id, user=who.user, how=who.how)
    return run_row(queries.runs().get(id=run_id))
