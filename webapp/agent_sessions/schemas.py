"""What this app's API takes and gives; the same shapes travel in events."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from ninja import Field, Schema
from pydantic import PlainSerializer, WithJsonSchema

from webapp.agent_sessions.contract_schemas import (
    ActionSchema,
    ActResultSchema,
    BoxSchema,
    ElementSchema,
    GoalSchema,
    ProposalSchema,
    VerificationSchema,
)
from webapp.texts import Name, Note

# To the millisecond, as the API's encoder writes it: an event and a snapshot must say the same.
Moment: TypeAlias = Annotated[
    datetime,
    PlainSerializer(lambda at: at.isoformat(timespec="milliseconds").replace("+00:00", "Z"), when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class TicketRef(Schema):
    id: int
    title: str
    filed_by: str


class Target(Schema):
    """The element an action is about."""

    ref: int
    role: str
    name: str
    box: BoxSchema


class StepView(Schema):
    id: int
    index: int
    proposal_id: str
    fingerprint: str
    actor: Literal["policy", "operator", "oracle"]
    state: Literal["proposed", "decided", "intent", "done", "uncertain", "withdrawn"]
    risk: str
    proposal: ProposalSchema | None
    decision: str
    source: str
    decided_by: str
    decided_at: Moment | None
    reason: str
    action: ActionSchema | None
    target: Target | None
    summary: str
    result: ActResultSchema | None
    before: str
    after: str
    proposed_at: Moment
    done_at: Moment | None
    duration_ms: int | None
    labels: list[str]


class ApprovalView(Schema):
    id: int
    session_id: int
    step_id: int
    proposal_id: str
    fingerprint: str
    state: Literal["pending", "approved", "corrected", "rejected", "expired", "cancelled"]
    risk: str
    asked_at: Moment
    due_at: Moment
    claimed_by: str
    claimed_until: Moment | None
    summary: str
    ticket: TicketRef
    environment: str
    blocked_reason: str = ""


class Mark(Schema):
    id: int
    label: str
    severity: int
    step_id: int | None
    step_index: int | None
    by: str
    note: str
    at: Moment


class Can(Schema):
    """What the person who asks may do with this session now."""

    decide: bool
    take_over: bool
    hand_back: bool
    pause: bool
    resume: bool
    stop: bool
    review: bool
    label: bool


class SessionChange(Schema):
    """The part of a session that `session_changed` events carry."""

    state: Literal[
        "queued",
        "starting",
        "running",
        "awaiting_approval",
        "paused",
        "user_control",
        "completed",
        "failed",
        "rejected",
        "cancelled",
        "timed_out",
    ]
    control: Literal["agent", "user_pending", "user"]
    controlled_by: str
    policy: str
    arm: str
    step_count: int
    outcome: str
    verification: VerificationSchema | None
    answer: str
    verdict: str
    review_state: str
    reviewed_by: str
    review_note: str
    trajectory_hash: str
    started_at: Moment | None
    ended_at: Moment | None
    end_reason: str


class PageView(Schema):
    """The part of a session that `page_changed` events carry."""

    elements: list[ElementSchema]
    url: str
    title: str
    viewport: tuple[int, int]
    fingerprint: str


class SessionSnapshot(SessionChange, PageView):
    """A session as everybody sees it; what the fold of all its events gives too."""

    id: int
    seq: int
    ticket: TicketRef
    attempt: int
    environment: str
    template: str
    goal: GoalSchema
    max_steps: int
    created_at: Moment
    steps: list[StepView]
    approval: ApprovalView | None
    marks: list[Mark]


class SessionView(SessionSnapshot):
    can: Can


class SessionRow(Schema):
    id: int
    ticket: TicketRef
    attempt: int
    environment: str
    template: str
    goal: str
    state: str
    control: str
    outcome: str
    verdict: str
    review_state: str
    policy: str
    arm: str
    step_count: int
    corrections: int
    demonstrations: int
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    end_reason: str


class ApprovalRow(ApprovalView):
    step: StepView
    goal: GoalSchema


class EventView(Schema):
    seq: int
    kind: Literal["session_changed", "page_changed", "step_changed", "approval_changed", "marks_changed"]
    data: dict[str, object]
    at: Moment


class LabelView(Schema):
    key: str
    title: str
    description: str
    severity: int
    position: int
    archived: bool


class DecideIn(Schema):
    proposal_id: str = Field(max_length=36)
    fingerprint: str = Field(max_length=64)
    decision: Literal["approved", "corrected", "rejected"]
    action: ActionSchema | None = None
    reason: Note = Field("", max_length=2_000)


class UndoIn(Schema):
    proposal_id: str = Field(max_length=36)


class StopIn(Schema):
    reason: Note = Field("", max_length=2_000)


class FinishIn(Schema):
    answer: str = Field("", max_length=10_000)


class HandIn(Schema):
    events: list[dict[str, object]] = Field(min_length=1, max_length=200)


class ReviewIn(Schema):
    verdict: Literal["accept", "reject"]
    note: Note = Field("", max_length=2_000)
    labels: list[str] = Field(default_factory=list, max_length=50)


class MarkIn(Schema):
    label: str = Field(max_length=48)
    step_id: int | None = None
    note: Note = Field("", max_length=2_000)


class LabelIn(Schema):
    key: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=48)
    title: Name = Field(min_length=1, max_length=80)
    description: Note = Field("", max_length=2_000)
    severity: int = Field(3, ge=1, le=4)


class LabelPatch(Schema):
    title: Name | None = Field(None, min_length=1, max_length=80)
    description: Note | None = Field(None, max_length=2_000)
    severity: int | None = Field(None, ge=1, le=4)
    archived: bool | None = None
