"""The record of one attempt: what was seen, proposed, decided and done."""

from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal, past
from sandbox.contracts.tasks import Risk, Task, Verification

Actor: TypeAlias = Literal["policy", "operator", "oracle"]
Decision: TypeAlias = Literal["approved", "corrected"]
DecisionSource: TypeAlias = Literal["user", "auto_policy", "auto_session"]


class Step(Struct, frozen=True, forbid_unknown_fields=True):
    """One action that was taken. The next step's observation is what came of it."""

    observation: Observation
    proposal: Proposal | None  # None where a person or an oracle acted by themselves
    actor: Actor  # who chose `action`
    decision: Decision | None
    source: DecisionSource | None
    risk: Risk
    action: Action  # what was really done
    result: ActResult
    labels: tuple[str, ...] = ()
    before: str = ""  # SHA-256 (hex) of the masked JPEG taken before, "" where none was
    after: str = ""


class Trajectory(Struct, frozen=True, forbid_unknown_fields=True):
    """An ended session, whole. `verification` is the outcome; `verdict` what a person said; never mixed."""

    id: str
    task: Task
    steps: tuple[Step, ...]
    verification: Verification
    policy: str = ""  # policy version that proposed
    answer: str = ""
    verdict: str = ""  # "" | "good" | "bad"
    labels: tuple[str, ...] = ()


def history(steps: tuple[Step, ...]) -> tuple[Past, ...]:
    """What a policy remembers after these steps."""
    return tuple(past(step.observation, step.action, step.result) for step in steps)
