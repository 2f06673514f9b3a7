"""HTTP of the dataset."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from sandbox.contracts.storage import to_builtins
from webapp.access import caller, needs
from webapp.accounts.models import Role, Scope
from webapp.pages import Page, Window, page
from webapp.trajectories import actions, queries
from webapp.trajectories.models import DatasetVersion, TrajectoryRecord

router = Router(tags=["trajectories"])


class TrajectoryRow(Schema):
    content_hash: str
    session_id: int | None
    source: str
    environment: str
    template: str
    goal: str
    steps: int
    corrections: int
    demonstrations: int
    outcome: str
    policy: str
    size_bytes: int
    accepted_by: str | None
    appended_at: datetime


class DatasetRow(Schema):
    number: int
    reason: str
    count: int
    added: int
    manifest_hash: str
    created_by: str | None
    created_at: datetime


class DatasetView(DatasetRow):
    entries: list[TrajectoryRow]


class Filters(Schema):
    environment: str = ""
    template: str = ""
    outcome: str = ""
    source: str = ""
    q: str = ""


def trajectory_row(row: TrajectoryRecord) -> dict[str, Any]:
    names = TrajectoryRow.model_fields.keys() - {"accepted_by"}
    accepted_by = row.accepted_by.get_username() if row.accepted_by else None
    return {**{name: getattr(row, name) for name in names}, "accepted_by": accepted_by}


def dataset_row(row: DatasetVersion) -> dict[str, Any]:
    names = DatasetRow.model_fields.keys() - {"created_by"}
    created_by = row.created_by.get_username() if row.created_by else None
    return {**{name: getattr(row, name) for name in names}, "created_by": created_by}


@router.get("/trajectories", response=Page[TrajectoryRow], **needs(Role.OPERATOR, Scope.READ))
def list_trajectories(request: HttpRequest, filters: Query[Filters], window: Query[Window]) -> dict[str, Any]:
    return page(queries.trajectories(**filters.dict()), window, trajectory_row)


@router.get("/trajectories/{content_hash}", response=dict[str, Any], **needs(Role.OPERATOR, Scope.READ))
def show_trajectory(request: HttpRequest, content_hash: str) -> Any:
    return to_builtins(queries.trajectory(content_hash))


@router.get("/datasets", response=Page[DatasetRow], **needs(Role.OPERATOR, Scope.READ))
def list_datasets(request: HttpRequest, window: Query[Window]) -> dict[str, Any]:
    return page(queries.datasets(), window, dataset_row)


@router.post("/datasets", response={201: DatasetRow}, **needs(Role.ADMIN, Scope.ADMIN))
def freeze_dataset(request: HttpRequest) -> Status[dict[str, Any]]:
    who = caller(request)
    version = actions.freeze(reason=DatasetVersion.Reason.MANUAL, user=who.user, how=who.how)
    return Status(201, dataset_row(version))


@router.get("/datasets/{number}", response=DatasetView, **needs(Role.OPERATOR, Scope.READ))
def show_dataset(request: HttpRequest, number: int) -> dict[str, Any]:
    version = DatasetVersion.objects.select_related("created_by").get(number=number)
    return {**dataset_row(version), "entries": [trajectory_row(row) for row in queries.entries(version)]}
