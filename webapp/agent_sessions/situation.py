"""What the host reads about its session at the top of every turn."""

import re
from dataclasses import dataclass

from django.db.models import Q

from sandbox.contracts import storage
from sandbox.contracts.actions import Action, ActOutcome, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Risk
from sandbox.risk import riskier
from webapp.agent_sessions.models import Session, Step
from webapp.agent_sessions.proposals import HOST_ENDED
from webapp.agent_sessions.states import StepState
from webapp.rollouts.models import PolicyVersion
from webapp.rollouts.queries import human_only


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A session as its rows say now."""

    state: str
    control: str
    fence: int
    step: Step | None  # proposed or decided, not carried out yet
    has_inputs: bool
    policy: PolicyVersion | None
    human_only: bool
    steps_taken: int  # in the console it works in now
    max_steps: int
    last_action: Action | None  # the last one carried out
    stopped: Step | None  # the last step, where the way out stopped its request
    ask_next: bool  # whether the last one was uncertain, so that a person decides on the next


def situation(session_id: int) -> Situation:
    """Read it; a few small queries, because every turn waits for them."""
    session = Session.objects.select_related("policy_version").get(pk=session_id)
    steps = session.steps.filter(index__gte=session.first_step)
    last = steps.order_by("-index").first()
    was_stopped = last is not None and (last.result or {}).get("outcome") == ActOutcome.BLOCKED_REQUEST
    taken = steps.filter(state=StepState.DONE)
    last_taken = taken.order_by("-index").values_list("action", flat=True).first()
    return Situation(
        state=session.state,
        control=session.control,
        fence=session.fence,
        step=steps.filter(state__in=[StepState.PROPOSED, StepState.DECIDED]).order_by("-index").first(),
        has_inputs=session.inputs.filter(consumed_at=None).exists(),
        policy=session.policy_version,
        human_only=human_only(),
        steps_taken=taken.count(),
        max_steps=session.task["max_steps"],
        last_action=None if last_taken is None else storage.from_builtins(last_taken, Action),
        stopped=last if was_stopped else None,
        ask_next=last is not None and (last.state, last.reason) == (StepState.WITHDRAWN, HOST_ENDED),
    )


def history(session_id: int) -> list[Past]:
    """What the policy remembers: the steps taken in the console it works in now."""
    session = Session.objects.only("first_step").get(pk=session_id)
    rows = session.steps.filter(index__gte=session.first_step, state=StepState.DONE).order_by("index")
    return [
        past(
            storage.from_builtins(row.observation, Observation),
            storage.from_builtins(row.action, Action),
            storage.from_builtins(row.result, ActResult),
        )
        for row in rows
    ]


def decided(step_id: int) -> Step | None:
    """The step if it may be carried out by now."""
    return Step.objects.filter(pk=step_id, state=StepState.DECIDED).first()


def uncertain(session_id: int, step_id: int) -> tuple[Step, bool]:
    """The step nobody is sure of, and whether the console it was meant for is the one worked in now."""
    session = Session.objects.only("first_step").get(pk=session_id)
    step = Step.objects.get(pk=step_id)
    return step, step.index >= session.first_step


def refused(session_id: int, fingerprint: str) -> list[Action]:
    """What people would not have on this very page, and is not proposed there.

    A rejected proposal stays so. A corrected one only lacked something that was done in its place, so it is kept
    back until the page was left: the next time it may be right.
    """
    session = Session.objects.only("refusals_from").get(pk=session_id)
    steps = session.steps.filter(index__gte=session.refusals_from)
    elsewhere = steps.exclude(fingerprint=fingerprint).order_by("-index").values_list("index", flat=True).first()
    no = Q(decision="rejected") | Q(decision="corrected", index__gt=elsewhere or 0)
    rows = steps.filter(no, fingerprint=fingerprint).values_list("proposal__action", flat=True)
    return [storage.from_builtins(row, Action) for row in rows]


def learnt_risk(session_id: int, action: Action, observation: Observation) -> Risk:
    """The class of what the same kind of action asked for before in this session, in whichever console or host."""
    risk = Risk.READ
    for row in Step.objects.filter(session_id=session_id, result__outcome=ActOutcome.BLOCKED_REQUEST):
        then: Observation = storage.from_builtins(row.observation, Observation)
        if _kind(storage.from_builtins(row.action, Action), then) == _kind(action, observation):
            # "POST /x is destructive; permitted was read"
            named = re.search(r" is (\w+); permitted", (row.result or {}).get("detail", ""))
            risk = riskier(risk, Risk(named[1]) if named and named[1] in set(Risk) else Risk.UNKNOWN)
    return risk


def _kind(action: Action, observation: Observation) -> tuple[object, ...]:
    """What counts as the same again: the same sort of act on an element that looks the same."""
    element = observation.element(getattr(action, "element", -1))
    said = None if element is None else (element.role, element.name, element.region)
    return type(action), getattr(action, "key", ""), said
