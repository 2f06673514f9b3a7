"""Who knows how: reads form, box, result and log from the page and does the first move of the plan."""

from collections.abc import Sequence

from sandbox.contracts.actions import Action, Click, Finish, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Task
from sandbox.worlds.sql.builder import empty
from sandbox.worlds.sql.desk import NAMES, columns_of
from sandbox.worlds.sql.jobs import job_of, recipe
from sandbox.worlds.sql.plan import COMPOSE, ROLL_BACK, RUN, Act, Sight, is_list, plan

_KEYS = {name: key for key, name in NAMES.items()}
_BUTTONS = {"Compose": COMPOSE, "Run": RUN, "Roll back": ROLL_BACK}


class DeskOracle:
    """Works one task from any state of the page."""

    def __init__(self, task: Task) -> None:
        self._job = job_of(task)
        self._columns = columns_of(recipe(task)["columns"])

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of the page."""
        moves = plan(self._job, read_page(observation), self._columns)
        if moves:
            return _said(self._action(moves[0], observation), f"{len(moves)} moves are left")
        return _said(Finish(self._answer(observation)), "all that was asked for is done")

    def _action(self, move: Act, observation: Observation) -> Action:
        ref = _refs(observation)[move.key]
        if not move.fills:
            return Click(ref)
        return Select(ref, move.text) if is_list(move.key) else Type(ref, move.text)

    def _answer(self, observation: Observation) -> str:
        if self._job.ask is None:
            return ""
        cells = (e.name for e in observation.elements if e.role == "cell" and e.label == self._job.answer_column)
        return next(cells, "")


def _said(action: Action, why: str) -> Proposal:
    return Proposal(action=action, probability=1.0, value=1.0, policy="oracle", why=why)


def read_page(observation: Observation) -> Sight:
    """What a page shows, as the planner takes it; fields that are not shown count as empty."""
    fields = empty()
    statement = ran = ""
    done = []
    for element in observation.elements:
        if element.group == "Form":
            fields[_key(element.name)] = element.value
        elif element.group == "Statement" and element.role == "textbox":
            statement = element.value
        elif element.group == "Result" and element.role == "heading":
            ran = "" if element.name == "Nothing was run" else element.name
        elif element.group == "Done":
            done.append(element.name)
    return Sight(fields, statement, ran, tuple(done))


def _key(name: str) -> str:
    return _KEYS.get(name, f"set:{name}")


def _refs(observation: Observation) -> dict[str, int]:
    refs: dict[str, int] = {}
    rows: list[str] = []
    for element in observation.elements:
        if element.group == "Form":
            refs[_key(element.name)] = element.ref
        elif element.role == "button":
            refs[_BUTTONS[element.name]] = element.ref
        elif element.role == "cell":
            if not rows or rows[-1] != element.row:
                rows.append(element.row)
            refs.setdefault(f"cell:{len(rows) - 1}:{element.label}", element.ref)
    return refs
