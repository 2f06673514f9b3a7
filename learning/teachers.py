"""Who can say what is right in a state: an oracle, a person, a bigger network, a language model, all by one protocol.

Run: python -m learning.teachers TEACHER OUT_FOLDER TRAJECTORY...
with TEACHER `oracle`, `language` (by BELAY_LANGUAGE_URL and BELAY_LANGUAGE_MODEL), or the folder of a policy.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, structs

from learning.failures import TeacherFailed
from learning.kinds import open_policy
from learning.language import Endpoint, LanguagePolicy
from learning.policy import BadPolicy
from learning.samples import TEACHER, by_person
from learning.thrift import OverBudget
from sandbox import registry, sessions
from sandbox.contracts import storage
from sandbox.contracts.actions import Action, Navigate
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Policy, Proposal, past
from sandbox.contracts.tasks import Goal, Task
from sandbox.contracts.trajectories import Step, Trajectory


class NothingToSay(LookupError):
    """This teacher has no opinion of this state; the others may."""


class Teacher(Protocol):
    """Knows what is right in the states of a task."""

    name: str

    def of(self, task: Task) -> Policy:
        """Who proposes for this task. Raises NothingToSay; so may what it returns, and TeacherFailed."""
        ...


class Oracle:
    """The script that comes with a template."""

    name = "oracle"

    def of(self, task: Task) -> Policy:
        """The oracle of the task. Raises NothingToSay for free text, and where only people know."""
        try:
            return sessions.oracle(task)
        except (sessions.UnknownTemplate, registry.NoOracle) as problem:
            raise NothingToSay(f"no oracle knows {task.template or 'free text'}") from problem


class Model:
    """Any policy that knows more than its pupil: a bigger network, a language model."""

    def __init__(self, policy: Policy, *, name: str) -> None:
        self.name = name
        self._policy = policy

    def of(self, task: Task) -> Policy:
        """The same policy for every task."""
        return self._policy


class Person:
    """A person: what they chose in recorded sessions, and, where there is none, what they answer when asked.

    A recorded choice holds for the very page and goal that it was made on.
    """

    def __init__(
        self,
        recorded: Iterable[Trajectory] = (),
        *,
        name: str = "person",
        ask: Callable[[Observation, Goal, Sequence[Past]], Action | None] = lambda observation, goal, history: None,
    ) -> None:
        self.name = name
        self._ask = ask
        self._chosen = {
            (step.observation.fingerprint, trajectory.task.goal): step.action
            for trajectory in recorded
            for step in trajectory.steps
            if by_person(step) and step.observation.fingerprint
        }

    def of(self, task: Task) -> Policy:
        """The same person for every task."""
        return self

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """What the person chose or chooses here. Raises NothingToSay."""
        action = self._chosen.get((observation.fingerprint, goal)) or self._ask(observation, goal, history)
        if action is None:
            raise NothingToSay("nobody has decided on this page")
        return Proposal(action, 1.0, policy=self.name)


class Taught(Struct, frozen=True):
    """A trajectory with a teacher's opinion of each of its states, and how often there was none."""

    trajectory: Trajectory
    opinions: int
    silent: int
    failed: tuple[str, ...] = ()  # why the teacher gave no answer, where it should have


def teach(trajectory: Trajectory, teacher: Teacher) -> Taught:
    """Ask a teacher what was right in each state that somebody walked into (DAgger); what people chose stays theirs.

    Raises OverBudget and NothingToSay (of the whole task).
    """
    policy = teacher.of(trajectory.task)
    remembered = tuple(past(step.observation, step.action, step.result) for step in trajectory.steps)
    steps: list[Step] = []
    failed: list[str] = []
    asked = given = 0
    for index, step in enumerate(trajectory.steps):
        steps.append(step)
        if by_person(step):
            continue
        asked += 1
        try:
            opinion = policy.act(step.observation, trajectory.task.goal, remembered[:index])
        except NothingToSay:
            continue
        except TeacherFailed as problem:
            failed.append(f"step {index}: {type(problem).__name__}: {problem}")
            continue
        if not isinstance(opinion.action, Navigate):
            given += 1
            steps[-1] = structs.replace(step, proposal=_as_taught(opinion, teacher.name))
    return Taught(structs.replace(trajectory, steps=tuple(steps)), given, asked - given, tuple(failed))


def _as_taught(opinion: Proposal, name: str) -> Proposal:
    return structs.replace(opinion, policy=name if name == "oracle" else f"{TEACHER}{name}")


def named(name: str) -> Teacher:
    """A teacher by what the command line calls it. Raises ValueError, BadPolicy."""
    if name == "oracle":
        return Oracle()
    if name == "language":
        policy = LanguagePolicy(Endpoint.from_environment())
        return Model(policy, name=policy.name)
    return Model(open_policy(Path(name), name=Path(name).name), name=Path(name).name)


def taught_of(trajectory: Trajectory, teacher: Teacher) -> Taught:
    """What `teach` finds; of a task that the teacher has nothing to say of, the trajectory as it is."""
    try:
        return teach(trajectory, teacher)
    except NothingToSay:
        return Taught(trajectory, 0, sum(not by_person(step) for step in trajectory.steps))


def _distinct(paths: Iterable[Path]) -> list[Path]:
    """The files, each of another name, for all are written into one folder. Raises ValueError."""
    by_name: dict[str, Path] = {}
    for path in storage.files(paths):
        other = by_name.setdefault(path.name, path)
        if other is not path:
            raise ValueError(f"{other} and {path} would both be written as {path.name}: teach them into two folders")
    return list(by_name.values())


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m learning.teachers", description=__doc__)
    parser.add_argument("teacher", help="oracle, language, or the folder of a policy")
    parser.add_argument("out", type=Path, help="folder for the trajectories with the teacher's opinions")
    parser.add_argument("trajectories", type=Path, nargs="+", help="trajectory files, or folders of them")
    given = parser.parse_args(arguments)
    opinions = silent = 0
    try:
        files = _distinct(given.trajectories)
        teacher = named(given.teacher)
        given.out.mkdir(parents=True, exist_ok=True)
        for path in files:
            ((_, trajectory),) = storage.read([path])
            taught = taught_of(trajectory, teacher)
            (given.out / path.name).write_bytes(storage.pack(taught.trajectory))
            opinions, silent = opinions + taught.opinions, silent + taught.silent
            print(f"{path.name}: {taught.opinions} opinions, {taught.silent} states without one")
            print("".join(f"  {each}\n" for each in taught.failed), end="", file=sys.stderr)
    except (OSError, BadPolicy, ValueError, OverBudget) as problem:
        print(f"Stopped: {problem}", file=sys.stderr)
        return 2
    print(f"{opinions} opinions by {teacher.name}, {silent} states without one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
