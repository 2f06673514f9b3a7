"""What answers with a proposal: a network, its export, an oracle, a person."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Goal


class Alternative(Struct, frozen=True, forbid_unknown_fields=True):
    """Another action that was considered."""

    action: Action
    probability: float


class Proposal(Struct, frozen=True, forbid_unknown_fields=True):
    """What a policy wants to do next, and how sure it is."""

    action: Action
    probability: float  # of this very action, in [0, 1]
    alternatives: tuple[Alternative, ...] = ()  # at most three, best first, without the action itself
    value: float = 0.0  # estimated probability that the task will end verified
    policy: str = ""  # name of the policy version, or "oracle"
    why: str = ""  # one line for people: what in the goal and on the page speaks for it


class Past(Struct, frozen=True, forbid_unknown_fields=True):
    """One step already taken, as the policy remembers it."""

    action: Action
    role: str  # of the element acted on, "" where there is none
    name: str
    result: ActResult
    value: str = ""  # what that element held before the action
    row: str = ""


class Policy(Protocol):
    """Anything that proposes."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose the next action; pure, and quick (one core, < 20 ms)."""
        ...


def past(observation: Observation, action: Action, result: ActResult) -> Past:
    """How a step taken on this observation is remembered."""
    element = observation.element(getattr(action, "element", -1))
    if element is None:
        return Past(action=action, role="", name="", result=result)
    return Past(
        action=action, role=element.role, name=element.name, result=result, value=element.value, row=element.row
    )
