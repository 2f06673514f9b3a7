"""The kinds of ticket of a console's file: blanks drawn from its words, and its own steps as the oracle."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.tasks import parameters_of
from sandbox.worlds.web.spec import Kind, Step, Target

_PATIENCE = 3  # waits for an element before the first page is loaded again


class NothingToDraw(LookupError):
    """The file has no words for random tasks of this kind; the message says which key to add."""


@dataclass
class FileTemplate:
    """One kind of ticket of a file."""

    kind: Kind
    template: Template

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random blanks; the same seed draws the same. Raises NothingToDraw."""
        chance = random.Random(f"sample:{self.template.id}:{split}:{seed}")  # noqa: S311  # has to be repeatable
        drawn = {}
        for parameter in self.kind.parameters:
            if parameter.name in self.kind.draw:
                drawn[parameter.name] = chance.choice(self.kind.draw[parameter.name].of(split))
            elif parameter.kind == "choice":
                drawn[parameter.name] = chance.choice(parameter.choices)
            else:
                raise NothingToDraw(f"{self.template.id}: add words for {parameter.name} under the key draw")
        return drawn

    def oracle(self, task: Task) -> Oracle:
        """The steps under `solution`, in order; gives up at once where there are none."""
        return StepOracle(self.kind.solution, task)


class StepOracle:
    """Does the steps one after the other, told by the history how far they were done."""

    def __init__(self, steps: Sequence[Step], task: Task) -> None:
        self._steps = steps
        self._blanks = parameters_of(task)

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of page and history."""
        action, why = self._next(observation, history)
        return Proposal(action=action, probability=1.0, value=1.0, policy="oracle", why=why)

    def _next(self, observation: Observation, history: Sequence[Past]) -> tuple[Action, str]:
        if not self._steps:
            return GiveUp("The console's file has no solution for this."), "nobody wrote down how it is done"
        done = self._done(history)
        if done == len(self._steps):
            return Finish(), "every step of the solution was done"
        step = self._steps[done]
        if step.answer is not None:
            found = self._cell(observation, step)
            if found is not None:
                return Finish(found), "this is what was asked for"
        else:
            element = self._find(observation, _target(step))
            if element is not None:
                return self._action(step, element), f"step {done + 1} of {len(self._steps)}"
        waits = 0
        for past in reversed(history):
            if not isinstance(past.action, Wait):
                break
            waits += 1
        if waits < _PATIENCE:
            return Wait(), "what the next step needs is not there yet"
        return Navigate("/"), "what the next step needs did not come"

    def _done(self, history: Sequence[Past]) -> int:
        """How many steps, from the first, stand in the history in this order, since the first page was last loaded."""
        done = 0
        for past in history:
            if isinstance(past.action, Navigate):
                done = 0
            elif done < len(self._steps) and self._is(self._steps[done], past):
                done += 1
        return done

    def _is(self, step: Step, past: Past) -> bool:
        target = _target(step)
        if past.result.outcome.value not in ("done", "new_tab", "no_effect") or (past.role, past.name) != (
            target.role,
            self._filled(target.name),
        ):
            return False
        if target.row and not _has_word(past.row, self._filled(target.row)):
            return False
        match past.action:
            case Click():
                return step.click is not None
            case Type(_, text):
                return step.type is not None and text == self._filled(step.type.text)
            case Select(_, option):
                return step.select is not None and option == self._filled(step.select.option)
        return False

    def _action(self, step: Step, element: Element) -> Action:
        if step.type is not None:
            return Type(element.ref, self._filled(step.type.text))
        if step.select is not None:
            return Select(element.ref, self._filled(step.select.option))
        return Click(element.ref)

    def _find(self, observation: Observation, target: Target) -> Element | None:
        name, row = self._filled(target.name), self._filled(target.row)
        for element in observation.elements:
            usable = element.actionable and "disabled" not in element.states
            if usable and (element.role, element.name) == (target.role, name) and _has_word(element.row, row):
                return element
        return None

    def _cell(self, observation: Observation, step: Step) -> str | None:
        assert step.answer is not None
        row = self._filled(step.answer.row)
        found = (e.name for e in observation.elements if e.label == step.answer.column and _has_word(e.row, row))
        return next((name for name in found if name), None)

    def _filled(self, text: str) -> str:
        return text.format_map(self._blanks)


def _target(step: Step) -> Target:
    """What a step is done to; an answer is done to nothing."""
    if step.click is not None:
        return step.click
    if step.type is not None:
        return step.type.into
    return step.select.in_ if step.select is not None else Target("", "")


def _has_word(row: str, word: str) -> bool:
    """Whether a name stands in a row, and not only as part of a longer one."""
    return not word or re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", row) is not None
