"""The sandbox's vocabulary as API schemas; tests hold each field equal to the contracts'."""

from typing import Annotated, Literal, TypeAlias

from ninja import Field, Schema

from sandbox.contracts import actions, storage, tasks


class ClickSchema(Schema):
    kind: Literal["click"] = "click"
    element: int


class TypeSchema(Schema):
    kind: Literal["type"] = "type"
    element: int
    text: str = Field(max_length=10_000)


class SelectSchema(Schema):
    kind: Literal["select"] = "select"
    element: int
    option: str = Field(max_length=1_000)


class PressSchema(Schema):
    kind: Literal["press"] = "press"
    key: actions.Key


class ScrollSchema(Schema):
    kind: Literal["scroll"] = "scroll"
    direction: actions.Direction


class NavigateSchema(Schema):
    kind: Literal["navigate"] = "navigate"
    url: str = Field(max_length=2_000)


class WaitSchema(Schema):
    kind: Literal["wait"] = "wait"


class FinishSchema(Schema):
    kind: Literal["finish"] = "finish"
    answer: str = Field("", max_length=10_000)


class GiveUpSchema(Schema):
    kind: Literal["give_up"] = "give_up"
    reason: str = Field("", max_length=10_000)


ActionSchema: TypeAlias = Annotated[
    ClickSchema
    | TypeSchema
    | SelectSchema
    | PressSchema
    | ScrollSchema
    | NavigateSchema
    | WaitSchema
    | FinishSchema
    | GiveUpSchema,
    Field(discriminator="kind"),
]


class ActResultSchema(Schema):
    outcome: actions.ActOutcome
    detail: str
    requests: list[str]
    elapsed_ms: float


class BoxSchema(Schema):
    x: float
    y: float
    width: float
    height: float


class ElementSchema(Schema):
    ref: int
    role: str
    name: str
    value: str
    states: list[str]
    box: BoxSchema
    group: str
    row: str
    label: str
    options: list[str]
    region: str
    frame: int
    actionable: bool


class ObservationSchema(Schema):
    url: str
    title: str
    elements: list[ElementSchema]
    dialogs: list[str]
    toasts: list[str]
    pending: int
    viewport: tuple[int, int]
    fingerprint: str


class AlternativeSchema(Schema):
    action: ActionSchema
    probability: float


class ProposalSchema(Schema):
    action: ActionSchema
    probability: float
    alternatives: list[AlternativeSchema]
    value: float
    policy: str
    why: str


class GoalSchema(Schema):
    text: str
    fields: list[tuple[str, str]]


class CheckSchema(Schema):
    name: str
    holds: bool
    detail: str


class VerificationSchema(Schema):
    outcome: tasks.Outcome
    checks: list[CheckSchema]


def action_from(schema: Schema) -> actions.Action:
    """What came in through the API, as the contracts' own type."""
    action: actions.Action = storage.from_builtins(schema.dict(), actions.Action)
    return action
