"""Tasks played in a simulator: by its oracle, by chance, and by doing nothing."""

import random
from dataclasses import dataclass, field

from sandbox import sessions
from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.registry import Simulator


@dataclass
class Played:
    """One task in a simulator, from its first screen on."""

    simulator: Simulator
    task: Task
    seen: list[Observation] = field(default_factory=list)
    history: list[Past] = field(default_factory=list)
    progress: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seen.append(self.simulator.reset(self.task))
        self.progress.append(self.simulator.progress())

    def act(self, action: Action) -> None:
        """One step."""
        before = self.seen[-1]
        result, after = self.simulator.act(action)
        self.history.append(past(before, action, result))
        self.seen.append(after)
        self.progress.append(self.simulator.progress())

    def stray(self, chance: random.Random, steps: int) -> None:
        """So many random actions that could be done."""
        for _ in range(steps):
            self.act(random_action(chance, self.seen[-1], self.task))

    def finish(self) -> Verification:
        """Let the oracle end it, within the task's steps."""
        oracle = sessions.oracle(self.task)
        for _ in range(self.task.max_steps):
            action = oracle.act(self.seen[-1], self.task.goal, self.history).action
            if isinstance(action, Finish | GiveUp):
                self.gave_up = isinstance(action, GiveUp)
                return self.simulator.verify(action.answer if isinstance(action, Finish) else "")
            self.act(action)
        raise AssertionError(f"the oracle came to no end: {[step.action for step in self.history[-6:]]}")


def random_action(chance: random.Random, shown: Observation, task: Task) -> Action:
    """Something that the page allows."""
    texts = [value for _, value in task.goal.fields] or ["words"]
    found: list[Action] = [Scroll("down"), Scroll("up"), Wait()]
    for element in shown.elements:
        usable = element.actionable and "disabled" not in element.states
        found += [Click(element.ref)] * usable
        found += [Type(element.ref, chance.choice(texts))] * (usable and "editable" in element.states)
        found += [Select(element.ref, option) for option in element.options]
    return chance.choice(found)


def missed_by_oracle(simulator: Simulator, tasks: list[Task]) -> list[Task]:
    """The tasks that the oracle does not bring to a verified end."""
    return [task for task in tasks if Played(simulator, task).finish().outcome is not Outcome.VERIFIED]


def passed_by_doing_nothing(simulator: Simulator, tasks: list[Task]) -> list[Task]:
    """The tasks that are verified before anything was done."""
    found = []
    for task in tasks:
        simulator.reset(task)
        found += [task] * (simulator.verify("").outcome is Outcome.VERIFIED)
    return found
