"""HTTP of sessions: what they are, what people decide in them, how they are judged."""

import re

import msgspec
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status

from sandbox.contracts import storage
from sandbox.contracts.takeover import HandEvent
from webapp import crashpoints
from webapp import storage as objects
from webapp.access import Caller, caller, needs
from webapp.accounts.models import Role, Scope, User
from webapp.agent_sessions import actions, approvals, queries, review, schemas, snapshot, takeover, undo
from webapp.agent_sessions.contract_schemas import ObservationSchema, action_from
from webapp.agent_sessions.models import ApprovalRequest, FailureLabel, Session
from webapp.pages import Page, Window, page
from webapp.problems import BadInput, Forbidden, NotFound

router = Router(tags=["sessions"])
SEE = needs(Role.OPERATOR, Scope.READ)
DECIDE = needs(Role.REVIEWER, Scope.DECIDE)
LABEL = needs(Role.OPERATOR, Scope.DECIDE)


class SessionFilter(Schema):
    state: str = ""
    ticket: int | None = None
    outcome: str = ""
    policy: int | None = None
    rollout: int | None = None


class ReviewFilter(Schema):
    environment: str = ""
    template: str = ""
    outcome: str = ""


class ApprovalFilter(Schema):
    environment: str = ""
    risk: str = ""


def session_row(session: Session) -> schemas.SessionRow:
    """One line of a list; the query annotates the two counts."""
    return schemas.SessionRow.model_validate(
        {
            "id": session.pk,
            "ticket": snapshot.ticket_ref(session.ticket),
            "environment": session.ticket.environment,
            "template": session.ticket.template,
            "goal": session.task["goal"]["text"],
            "policy": session.policy_version.name if session.policy_version else "",
            **{
                name: getattr(session, name)
                for name in (
                    "attempt",
                    "state",
                    "control",
                    "outcome",
                    "verdict",
                    "review_state",
                    "arm",
                    "step_count",
                    "corrections",
                    "demonstrations",
                    "created_at",
                    "started_at",
                    "ended_at",
                    "end_reason",
                )
            },
        }
    )


@router.get("/sessions", response=Page[schemas.SessionRow], **SEE)
def list_sessions(request: HttpRequest, window: Query[Window], filters: Query[SessionFilter]) -> object:
    return page(queries.sessions(**filters.dict()), window, session_row)


@router.get("/sessions/{session_id}", response=schemas.SessionView, **SEE)
def show_session(request: HttpRequest, session_id: int) -> schemas.SessionView:
    return queries.session_view(session_id, caller(request).user)


@router.get("/sessions/{session_id}/events", response=list[schemas.EventView], **SEE)
def list_events(request: HttpRequest, session_id: int, after: int = 0) -> object:
    if queries.last_seq(session_id) is None:
        raise NotFound(f"There is no session {session_id}.")
    return queries.events_after(session_id, after)


@router.get("/sessions/{session_id}/steps/{index}/observation", response=ObservationSchema, **SEE)
def show_observation(request: HttpRequest, session_id: int, index: int) -> object:
    return queries.observation(session_id, index)


@router.post("/sessions/{session_id}/decide", response=schemas.StepView, **DECIDE)
def decide(request: HttpRequest, session_id: int, body: schemas.DecideIn) -> schemas.StepView:
    who = caller(request)
    step = approvals.decide(
        session_id=session_id,
        proposal_id=_uuid(body.proposal_id),
        fingerprint=body.fingerprint,
        decision=body.decision,
        action=None if body.action is None else action_from(body.action),
        reason=body.reason,
        user=who.user,
        how=who.how,
    )
    crashpoints.reach("decide_after_commit")
    return snapshot.step_view(step)


@router.post("/sessions/{session_id}/undo", response=schemas.StepView, **DECIDE)
def take_back(request: HttpRequest, session_id: int, body: schemas.UndoIn) -> schemas.StepView:
    who = caller(request)
    step = undo.take_back(session_id=session_id, proposal_id=_uuid(body.proposal_id), user=who.user, how=who.how)
    return snapshot.step_view(step)


@router.post("/sessions/{session_id}/take-over", response=schemas.SessionView, **DECIDE)
def take_over(request: HttpRequest, session_id: int) -> schemas.SessionView:
    who = caller(request)
    takeover.take_over(session_id=session_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/hand-back", response=schemas.SessionView, **DECIDE)
def hand_back(request: HttpRequest, session_id: int) -> schemas.SessionView:
    who = caller(request)
    takeover.hand_back(session_id=session_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/hand", response={204: None}, **DECIDE)
def hand(request: HttpRequest, session_id: int, body: schemas.HandIn) -> Status[None]:
    who = caller(request)
    try:
        inputs: list[HandEvent] = [storage.from_builtins(event, HandEvent) for event in body.events]
    except msgspec.ValidationError as problem:
        raise BadInput("Some of these events cannot be taken.", errors={"events": str(problem)}) from problem
    takeover.hand(session_id=session_id, user=who.user, how=who.how, inputs=inputs)
    return Status(204, None)


@router.post("/sessions/{session_id}/finish", response={204: None}, **DECIDE)
def finish(request: HttpRequest, session_id: int, body: schemas.FinishIn) -> Status[None]:
    who = caller(request)
    takeover.finish(session_id=session_id, user=who.user, how=who.how, answer=body.answer)
    return Status(204, None)


@router.post("/sessions/{session_id}/pause", response=schemas.SessionView, **DECIDE)
def pause(request: HttpRequest, session_id: int) -> schemas.SessionView:
    who = caller(request)
    actions.pause(session_id=session_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/resume", response=schemas.SessionView, **DECIDE)
def resume(request: HttpRequest, session_id: int) -> schemas.SessionView:
    who = caller(request)
    actions.resume(session_id=session_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/stop", response=schemas.SessionView, **needs(Role.OPERATOR, Scope.TICKETS))
def stop(request: HttpRequest, session_id: int, body: schemas.StopIn) -> schemas.SessionView:
    who = caller(request)
    _may_stop(session_id, who)
    actions.stop(session_id=session_id, user=who.user, how=who.how, reason=body.reason)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/review", response=schemas.SessionView, **DECIDE)
def judge(request: HttpRequest, session_id: int, body: schemas.ReviewIn) -> schemas.SessionView:
    who = caller(request)
    review.review(
        session_id=session_id,
        user=who.user,
        how=who.how,
        verdict=body.verdict,
        note=body.note,
        labels=body.labels,
    )
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/review/undo", response=schemas.SessionView, **DECIDE)
def take_verdict_back(request: HttpRequest, session_id: int) -> schemas.SessionView:
    who = caller(request)
    review.take_back(session_id=session_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.post("/sessions/{session_id}/labels", response={201: schemas.SessionView}, **LABEL)
def add_mark(request: HttpRequest, session_id: int, body: schemas.MarkIn) -> Status[schemas.SessionView]:
    who = caller(request)
    review.mark(
        session_id=session_id,
        user=who.user,
        how=who.how,
        label=body.label,
        step_id=body.step_id,
        note=body.note,
    )
    return Status(201, queries.session_view(session_id, who.user))


@router.delete("/sessions/{session_id}/labels/{mark_id}", response=schemas.SessionView, **LABEL)
def remove_mark(request: HttpRequest, session_id: int, mark_id: int) -> schemas.SessionView:
    who = caller(request)
    review.unmark(session_id=session_id, mark_id=mark_id, user=who.user, how=who.how)
    return queries.session_view(session_id, who.user)


@router.get("/approvals", response=Page[schemas.ApprovalRow], tags=["approvals"], **SEE)
def list_approvals(request: HttpRequest, window: Query[Window], filters: Query[ApprovalFilter]) -> object:
    user = caller(request).user

    def row(approval: ApprovalRequest) -> schemas.ApprovalRow:
        view = approval_for(approval, user)
        more = {"step": snapshot.step_view(approval.step).model_dump(), "goal": approval.session.task["goal"]}
        return schemas.ApprovalRow.model_validate({**view.model_dump(), **more})

    return page(queries.approvals(**filters.dict()), window, row)


def approval_for(approval: ApprovalRequest, user: User) -> schemas.ApprovalView:
    """One question as this person may answer it."""
    view = snapshot.approval_view(approval)
    view.blocked_reason = approvals.blocked_reason(user, approval.session, view.risk)
    return view


@router.post("/approvals/{approval_id}/claim", response=schemas.ApprovalView, tags=["approvals"], **DECIDE)
def claim_approval(request: HttpRequest, approval_id: int) -> schemas.ApprovalView:
    who = caller(request)
    return approval_for(approvals.claim_approval(approval_id=approval_id, user=who.user, how=who.how), who.user)


@router.post("/approvals/{approval_id}/release", response=schemas.ApprovalView, tags=["approvals"], **DECIDE)
def release_approval(request: HttpRequest, approval_id: int) -> schemas.ApprovalView:
    who = caller(request)
    return approval_for(approvals.release_approval(approval_id=approval_id, user=who.user, how=who.how), who.user)


@router.get("/review", response=Page[schemas.SessionRow], tags=["review"], **needs(Role.REVIEWER, Scope.READ))
def list_review(request: HttpRequest, window: Query[Window], filters: Query[ReviewFilter]) -> object:
    return page(queries.to_review(**filters.dict()), window, session_row)


@router.get("/labels", response=list[schemas.LabelView], tags=["labels"], **SEE)
def list_labels(request: HttpRequest) -> object:
    return queries.labels()


@router.post("/labels", response={201: schemas.LabelView}, tags=["labels"], **needs(Role.ADMIN, Scope.ADMIN))
def add_label(request: HttpRequest, body: schemas.LabelIn) -> Status[FailureLabel]:
    who = caller(request)
    return Status(201, review.add_label(**body.dict(), user=who.user, how=who.how))


@router.patch("/labels/{key}", response=schemas.LabelView, tags=["labels"], **needs(Role.ADMIN, Scope.ADMIN))
def change_label(request: HttpRequest, key: str, body: schemas.LabelPatch) -> FailureLabel:
    who = caller(request)
    changes = {name: value for name, value in body.dict(exclude_unset=True).items() if value is not None}
    return review.change_label(key=key, user=who.user, how=who.how, **changes)


@router.get("/frames/{content_hash}.jpg", response={200: None}, tags=["frames"], **SEE)
def show_frame(request: HttpRequest, content_hash: str) -> HttpResponse:
    if not re.fullmatch(r"[0-9a-f]{64}", content_hash) or not queries.is_frame(content_hash):
        raise NotFound("There is no such picture.")
    try:
        content = objects.get(f"frames/{content_hash}.jpg")
    except objects.Missing:
        raise NotFound("This picture is not in the store (yet).") from None
    response = HttpResponse(content, content_type="image/jpeg")
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _may_stop(session_id: int, who: Caller) -> None:
    filer = Session.objects.filter(pk=session_id).values_list("ticket__filed_by_id", flat=True).first()
    if filer is None:
        raise NotFound(f"There is no session {session_id}.")
    if filer != who.user.pk and not who.user.is_at_least(Role.REVIEWER):
        raise Forbidden("Only who filed the ticket, or a reviewer, may stop its session.")


def _uuid(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text):
        raise NotFound("There is no such proposal in this session.")
    return text
