"""What a trajectory teaches: for each step the right action, how much it counts, and what came of it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learning.arrays import USELESS, Arrays
from learning.candidates import Label, label
from learning.features import scene
from learning.readings import Reading
from sandbox.contracts.actions import Action
from sandbox.contracts.policies import Proposal, past
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Step, Trajectory

ORACLE = "oracle"  # Proposal.policy of a label given by an oracle to a state that somebody else walked into
FREE = "wanderer"  # Trajectory.policy of free play, told as what it happened to do
TEACHER = "teacher:"  # the same of another teacher begins so; its name follows
CORRECTION_WEIGHT = 3.0  # a person stepped in here: this is what the policy did not know
EXCURSION_WEIGHT = 0.3  # approved, yet a person had to step in right after


@dataclass(frozen=True, slots=True)
class Sample:
    """One state with its right action."""

    arrays: Arrays
    label: Label
    weight: float
    template: str
    trajectory: str
    session: bool  # from real work, as opposed to an oracle's demonstration and to free play
    succeeded: float  # 1, 0, or -1 where no verifier spoke
    changed: tuple[float, float, float]  # page, dialogs, address; -1 = unknown
    free: bool = False  # from free play


@dataclass(frozen=True, slots=True)
class Lessons:
    """Samples of many trajectories, and how many right actions the network has no way to say."""

    samples: list[Sample]
    unsayable: dict[str, int]  # "template kind" -> count


def lessons(trajectories: Iterable[Trajectory], *, reading: Reading = scene) -> Lessons:
    """Every step that has something to teach, as arrays, by either way of reading goals."""
    samples: list[Sample] = []
    unsayable: dict[str, int] = {}
    for trajectory in trajectories:
        remembered = tuple(past(step.observation, step.action, step.result) for step in trajectory.steps)
        for index, (action, weight) in enumerate(taught(trajectory)):
            if action is None:
                continue
            step = trajectory.steps[index]
            seen = reading(step.observation, trajectory.task.goal, remembered[:index])
            right = label(seen, action)
            if right is None:
                place = f"{trajectory.task.template} {type(action).__name__.lower()}"
                unsayable[place] = unsayable.get(place, 0) + 1
                continue
            samples.append(
                Sample(
                    arrays=seen.arrays,
                    label=right,
                    weight=weight,
                    template=trajectory.task.template,
                    trajectory=trajectory.id,
                    session=is_session(trajectory),
                    succeeded=_succeeded(trajectory),
                    changed=_changed(trajectory.steps, index, action),
                    free=trajectory.policy == FREE,
                )
            )
    return Lessons(samples, unsayable)


def taught(trajectory: Trajectory) -> list[tuple[Action | None, float]]:
    """For each step the right action (None = nothing to learn) and its weight.

    A correction or a person's own step is the label of the agent's own state (DAgger); so is an oracle's opinion of a
    state somebody else walked into. What the policy did by itself counts only where it led to a good end and was not
    a detour: a stretch that came back to a page seen before, or that a person had to mend, teaches little or nothing.
    """
    steps = trajectory.steps
    good = trajectory.verdict != "bad" and trajectory.verification.outcome != Outcome.FAILED
    detour = _detours(steps)
    result: list[tuple[Action | None, float]] = []
    for index, step in enumerate(steps):
        if step.proposal is not None and is_opinion(step.proposal):
            result.append((step.proposal.action, 1.0))
        elif step.actor == "operator" or step.decision == "corrected":
            result.append((step.action, CORRECTION_WEIGHT))
        elif step.actor == ORACLE:
            result.append((step.action, 1.0))
        elif not good or index in detour or step.result.outcome in USELESS:
            result.append((None, 0.0))
        else:
            mended = index + 1 < len(steps) and by_person(steps[index + 1])
            result.append((step.action, EXCURSION_WEIGHT if mended else 1.0))
    return result


def is_opinion(proposal: Proposal) -> bool:
    """Whether a teacher gave this to a state that somebody else walked into."""
    return proposal.policy == ORACLE or proposal.policy.startswith(TEACHER)


def by_person(step: Step) -> bool:
    """Whether a person chose this action."""
    return step.actor == "operator" or step.decision == "corrected"


def is_session(trajectory: Trajectory) -> bool:
    """Whether this is real work: no oracle's demonstration, no teacher's opinion of a rollout, no free play."""
    return trajectory.policy != FREE and any(
        step.actor != ORACLE and (step.proposal is None or not is_opinion(step.proposal)) for step in trajectory.steps
    )


def _detours(steps: Sequence[Step]) -> set[int]:
    """Steps by the policy between two visits of the very same page."""
    last_visit: dict[str, int] = {}
    found: set[int] = set()
    for index, step in enumerate(steps):
        page = step.observation.fingerprint
        if page and page in last_visit:
            found.update(range(last_visit[page], index))
        last_visit.setdefault(page, index)
    return {index for index in found if not by_person(steps[index])}


def _succeeded(trajectory: Trajectory) -> float:
    return {Outcome.VERIFIED: 1.0, Outcome.FAILED: 0.0, Outcome.UNVERIFIED: -1.0}[trajectory.verification.outcome]


def _changed(steps: Sequence[Step], index: int, action: Action) -> tuple[float, float, float]:
    if index + 1 >= len(steps) or steps[index].action != action:
        return (-1.0, -1.0, -1.0)
    before, after = steps[index].observation, steps[index + 1].observation
    return (
        float(before.fingerprint != after.fingerprint),
        float(before.dialogs != after.dialogs),
        float(before.url != after.url),
    )


def held_out(samples: Sequence[Sample], *, one_in: int, few: int = 10) -> NDArray[np.bool_]:
    """Which samples are kept for judging: whole trajectories, chosen by their id; none of free play.

    Sessions of a template with fewer than `few` of them are all learnt from: every one of them is precious.
    """
    sessions: dict[str, set[str]] = {}
    for sample in samples:
        if sample.session:
            sessions.setdefault(sample.template, set()).add(sample.trajectory)

    def kept(sample: Sample) -> bool:
        if sample.free or (sample.session and len(sessions[sample.template]) < few):
            return False
        return may_be_held_out(sample.trajectory, one_in=one_in)

    return np.array([kept(sample) for sample in samples], np.bool_)


def may_be_held_out(trajectory: str, *, one_in: int) -> bool:
    """Whether a trajectory of this id is one of those that are kept for judging, unless it is precious."""
    return int(hashlib.sha256(trajectory.encode()).hexdigest()[:8], 16) % one_in == 0
