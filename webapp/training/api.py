"""HTTP of training and of evaluations."""

import re
from datetime import datetime
from typing import Any, Literal, NoReturn, TypeVar

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema, Status

from learning.jobs import Kind
from sandbox import sessions as sandbox
from webapp.access import caller, needs
from webapp.accounts.models import Role, Scope
from webapp.pages import Page, Window, page
from webapp.problems import BadInput, Conflict, NotFound
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.rollouts.queries import alias
from webapp.training import actions, evaluations, queries
from webapp.training.judged import Judgement, judgement
from webapp.training.models import Evaluation, TrainingPlan, TrainingRun
from webapp.training.states import ENDED
from webapp.trajectories.actions import freeze
from webapp.trajectories.models import DatasetVersion

router = Router(tags=["training"])

LONGEST_S = 7 * 24 * 3600
REPORTS = {"json": "application/json", "md": "text/markdown", "html": "text/html"}
REPLAY = re.compile(r"[A-Za-z0-9._-]{1,200}")  # a name of a replay
INERT = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

N = TypeVar("N", PolicyVersion, DatasetVersion)


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
    """What to train. What is left out is as the plan says, from the champion on.

    dataset: none = freeze a version now. parent: number of a policy version to go on from; of a distillation, the
    teacher. share: of the teacher's parameters, that a student may have.
    """

    dataset: int | None = None
    seed: int = Field(0, ge=0, lt=2**31)
    kind: Kind = "bc"
    parent: int | None = None
    from_nothing: bool = False
    learn_s: int | None = Field(None, ge=5, le=LONGEST_S)
    practice_s: int | None = Field(None, ge=0, le=LONGEST_S)
    share: float = Field(0.25, ge=0.08, lt=1)  # the starter has no smaller student


class PlanRow(Schema):
    """When a training starts by itself, and how long it may take."""

    after_accepted: int = Field(ge=1, le=100_000)
    learn_s: int = Field(ge=5, le=LONGEST_S)
    practice_s: int = Field(ge=0, le=LONGEST_S)
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


class EvaluationRow(Schema):
    id: int
    policy: int
    against: int | None
    environment: str
    splits: list[str]
    variants: int
    minutes: float
    seed: int
    state: str
    phase: str
    progress: float
    error: str
    created_by: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class EvaluationView(EvaluationRow):
    judgement: Judgement | None


class NewEvaluation(Schema):
    """Try a policy version in simulators for some minutes, alone or beside another on the same tasks.

    environment: "" = whatever the version says it has learnt. variants: each task in a console that differs from the
    plain one in at most so many ways.
    """

    policy: int
    against: int | None = None
    environment: str = Field("", max_length=64)
    splits: list[Literal["validation", "test"]] = Field(["test"], min_length=1, max_length=2)
    variants: int = Field(0, ge=0, le=4)
    minutes: float = Field(2.0, ge=0.1, le=24 * 60, allow_inf_nan=False)
    seed: int = Field(6_000_000, ge=0, lt=2**31)


class Simulated(Schema):
    id: str
    title: str


def evaluation_row(row: Evaluation) -> dict[str, Any]:
    plain = ("seed", "state", "phase", "progress", "error", "created_at", "started_at", "ended_at")
    return {
        **{name: getattr(row, name) for name in plain},
        **{name: row.spec[name] for name in ("environment", "splits", "variants", "minutes")},
        "id": row.pk,
        "policy": row.policy.number,
        "against": row.against.number if row.against else None,
        "created_by": row.created_by.get_username() if row.created_by else None,
    }


@router.get("/training", response=Page[RunRow], **needs(Role.OPERATOR, Scope.READ))
def list_runs(request: HttpRequest, window: Query[Window]) -> dict[str, Any]:
    return page(queries.runs(), window, run_row)


@router.post("/training", response={201: RunRow}, **needs(Role.ADMIN, Scope.ADMIN))
def start_run(request: HttpRequest, body: NewRun) -> Status[dict[str, Any]]:
    who = caller(request)
    wish = _wish(body)
    if body.dataset is None:
        dataset = freeze(reason=DatasetVersion.Reason.MANUAL, user=who.user, how=who.how)
    else:
        dataset = named(DatasetVersion, "dataset", body.dataset)
    run = actions.request_run(
        dataset=dataset,
        trigger=TrainingRun.Trigger.MANUAL,
        user=who.user,
        how=who.how,
        seed=body.seed,
        wish=wish,
    )
    if run.state in ENDED:
        raise Conflict(f"Training run {run.pk} did just this, and is {run.state}. Choose another seed to do it anew.")
    return Status(201, run_row(run))


def _wish(body: NewRun) -> actions.Wish | None:
    """What differs from the plan; None where nothing does."""
    given = body.dict(include={"kind", "parent", "from_nothing", "learn_s", "practice_s"}, exclude_defaults=True)
    if not given:
        return None
    if body.from_nothing and body.parent is not None:
        _refuse("parent", "Choose a version to go on from, or none: not both.")
    if body.from_nothing and body.kind == "distill":
        _refuse("parent", "A student learns from a teacher: choose a policy version.")
    champion = alias(Alias.Name.CHAMPION)
    parent = named(PolicyVersion, "parent", body.parent) if body.parent is not None else champion
    if body.kind == "distill" and parent is None:
        _refuse("parent", "There is no champion to be the teacher: choose a policy version.")
    planned = queries.plan()
    return actions.Wish(
        kind=body.kind,
        parent=None if body.from_nothing else parent,
        learn_s=planned.learn_s if body.learn_s is None else body.learn_s,
        practice_s=planned.practice_s if body.practice_s is None else body.practice_s,
        share=body.share,
    )


def named(model: type[N], field: str, number: int) -> N:
    """The row with this number. Raises BadInput that names the field."""
    found = model._default_manager.filter(number=number).first()
    if found is None:
        _refuse(field, f"There is no {model._meta.verbose_name} {number}.")
    return found


def _refuse(field: str, sentence: str) -> NoReturn:
    raise BadInput(sentence, errors={field: sentence})


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


@router.get("/evaluations", response=Page[EvaluationRow], **needs(Role.OPERATOR, Scope.READ))
def list_evaluations(request: HttpRequest, window: Query[Window], policy: int | None = None) -> dict[str, Any]:
    return page(queries.evaluations(policy=policy), window, evaluation_row)


@router.post("/evaluations", response={201: EvaluationRow}, **needs(Role.ADMIN, Scope.ADMIN))
def start_evaluation(request: HttpRequest, body: NewEvaluation) -> Status[dict[str, Any]]:
    who = caller(request)
    if body.environment and body.environment not in {each.id for each in sandbox.simulated()}:
        _refuse("environment", f"{body.environment} cannot be played without a browser; choose one that can.")
    evaluation = evaluations.request_evaluation(
        policy=named(PolicyVersion, "policy", body.policy),
        against=None if body.against is None else named(PolicyVersion, "against", body.against),
        trial=evaluations.Trial(
            environment=body.environment,
            splits=list(dict.fromkeys(body.splits)),
            variants=body.variants,
            minutes=body.minutes,
            seed=body.seed,
        ),
        user=who.user,
        how=who.how,
    )
    return Status(201, evaluation_row(evaluation))


@router.get("/evaluations/environments", response=list[Simulated], **needs(Role.OPERATOR, Scope.READ))
def list_simulated(request: HttpRequest) -> Any:
    return [{"id": each.id, "title": each.title} for each in sandbox.simulated()]


@router.get("/evaluations/{evaluation_id}", response=EvaluationView, **needs(Role.OPERATOR, Scope.READ))
def show_evaluation(request: HttpRequest, evaluation_id: int) -> dict[str, Any]:
    evaluation = queries.evaluations().get(id=evaluation_id)
    ended = evaluation.state == Evaluation.State.COMPLETED
    found = judgement(queries.report(evaluation, "report.json")) if ended else None
    return {**evaluation_row(evaluation), "judgement": found}


@router.get("/evaluations/{evaluation_id}/report.{kind}", response={200: None}, **needs(Role.OPERATOR, Scope.READ))
def show_report(request: HttpRequest, evaluation_id: int, kind: str) -> HttpResponse:
    if kind not in REPORTS:
        raise NotFound(f"A report is given as {', '.join(REPORTS)}.")
    return _document(evaluation_id, f"report.{kind}", kind)


@router.get(
    "/evaluations/{evaluation_id}/replays/{name}.html", response={200: None}, **needs(Role.OPERATOR, Scope.READ)
)
def show_replay(request: HttpRequest, evaluation_id: int, name: str) -> HttpResponse:
    if not REPLAY.fullmatch(name):
        raise NotFound("A replay has the name that its report gives it.")
    return _document(evaluation_id, f"replays/{name}.html", "html")


@router.post("/evaluations/{evaluation_id}/cancel", response=EvaluationRow, **needs(Role.ADMIN, Scope.ADMIN))
def cancel_evaluation(request: HttpRequest, evaluation_id: int) -> dict[str, Any]:
    who = caller(request)
    evaluations.cancel(evaluation_id=evaluation_id, user=who.user, how=who.how)
    return evaluation_row(queries.evaluations().get(id=evaluation_id))


def _document(evaluation_id: int, name: str, kind: str) -> HttpResponse:
    """A file of a report; pages are shown and may do nothing, the rest is downloaded."""
    content = queries.report(queries.evaluations().get(id=evaluation_id), name)
    response = HttpResponse(content, content_type=REPORTS[kind])
    response["Content-Security-Policy"] = INERT
    if kind != "html":
        response["Content-Disposition"] = f'attachment; filename="evaluation-{evaluation_id}.{kind}"'
    return response
