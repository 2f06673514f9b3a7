"""Who knows how: reads form, response, clock and log from the page and does the first move of the plan."""

from collections.abc import Sequence

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Select, Type, Wait
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Task
from sandbox.worlds.http.jobs import Ask, Seek, order_of
from sandbox.worlds.http.plan import Act, Sight, plan
from sandbox.worlds.http.request import LISTS, NAMES, empty

_KEYS = {name: key for key, name in NAMES.items()}


class DeskOracle:
    """Works one task from any state of the page."""

    def __init__(self, task: Task) -> None:
        self._order = order_of(task)

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of the page."""
        sight = read_page(observation)
        moves = plan(self._order, sight)
        if moves is None:
            return _said(GiveUp("What was done cannot be undone."), "something is gone, or was done twice")
        if moves:
            return _said(_action(moves[0], observation), f"{len(moves)} moves are left")
        return _said(Finish(self._answer(observation)), "all that was asked for is done")

    def _answer(self, observation: Observation) -> str:
        """The cell that answers the question, as it stands on the page."""
        cells = [each for each in observation.elements if each.role == "cell"]
        for want in self._order.wants:
            if isinstance(want, Ask):
                return next(each.name for each in cells if each.label == want.field)
            if isinstance(want, Seek):
                row = next(each.row for each in cells if each.label == "image" and each.name == want.image)
                return next(each.name for each in cells if each.row == row and each.label == "name")
        return ""


def _said(action: Action, why: str) -> Proposal:
    return Proposal(action=action, probability=1.0, value=1.0, policy="oracle", why=why)


def _action(move: Act, observation: Observation) -> Action:
    if move.key == "wait":
        return Wait()
    if move.key.startswith("cell:"):
        _, field, text = move.key.split(":", 2)
        cells = (each for each in observation.elements if each.role == "cell")
        return Click(next(each.ref for each in cells if (each.label, each.name) == (field, text)))
    if not move.fills:
        return Click(next(each.ref for each in observation.elements if each.role == "button"))
    name = NAMES.get(move.key, move.key)
    ref = next(each.ref for each in observation.elements if each.group == "Request" and each.name == name)
    return Select(ref, move.text) if move.key in LISTS else Type(ref, move.text)


def read_page(observation: Observation) -> Sight:
    """What a page shows, as the planner takes it; fields that are not shown count as empty."""
    sight = Sight(empty(), "", "", "", 0, [], 0, 0, [])
    rows: dict[str, dict[str, str]] = {}
    for element in observation.elements:
        key = _KEYS.get(element.name, element.name)
        if element.role in ("textbox", "combobox"):
            if key in ("target", "body"):
                setattr(sight, key, element.value)
            else:
                sight.fields[key] = element.value
        elif element.group == "Sent":
            sight.log.append((element.name, int(element.label) if element.label.isdecimal() else 0))
        elif element.role == "cell":
            rows.setdefault(element.row, {})[element.label] = element.name
        elif element.role == "heading":
            sight.last = "" if element.name == "Nothing was sent" else element.name
        elif element.name.startswith("Retry after: "):
            sight.wait_s = int(element.name.split()[2])
        elif element.name.startswith("Page "):
            sight.pages = int(element.name.split()[3])
    sight.rows = list(rows.values())
    sight.status = sight.log[-1][1] if sight.log else 0
    return sight
