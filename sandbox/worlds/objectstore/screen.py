"""How an oracle reads the console: what is open, which row speaks of what, and whether the list is still true."""

from collections.abc import Iterator, Sequence

from sandbox.contracts.actions import ActOutcome, Click
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal


class Screen:
    """One observation with the goal and what was done so far."""

    def __init__(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> None:
        self.observation = observation
        self.history = history
        self.goal = dict(goal.fields)

    @property
    def dialog(self) -> str:
        """Title of the topmost open dialog, or ""."""
        return self.observation.dialogs[-1] if self.observation.dialogs else ""

    @property
    def last(self) -> Past | None:
        """The newest step."""
        return self.history[-1] if self.history else None

    def is_at(self, path: str) -> bool:
        """Whether the page is the one of this path."""
        return self.observation.url.partition("?")[0].partition("#")[0].endswith(path)

    def usable(self, role: str, name: str) -> Element | None:
        """The first element of this role and name that can be used now."""
        return next((each for each in self._usable(role) if each.name == name), None)

    def choice_with(self, option: str, *, but: str = "") -> Element | None:
        """The first list that offers this option, other than the one named `but`."""
        return next((each for each in self._usable("combobox") if option in each.options and each.name != but), None)

    def in_row(self, key: str, role: str, word: str) -> Element | None:
        """Something usable in the row of `key` whose name has this word."""
        return next((each for each in self._usable(role) if row_key(each) == key and word in each.name.split()), None)

    def has_row(self, key: str) -> bool:
        """Whether a table on the page has a row for this name."""
        return any(row_key(each) == key for each in self.observation.elements)

    def cell(self, key: str, column: str) -> str:
        """What stands in the row of `key` under this column: the shortest piece, without remarks beside it."""
        found = [
            each.name
            for each in self.observation.elements
            if row_key(each) == key and each.label == column and each.name
        ]
        return min(found, key=len, default="")

    def says(self, text: str) -> bool:
        """Whether some text on the screen is exactly this."""
        return any(each.name == text for each in self.observation.elements)

    def _usable(self, role: str) -> Iterator[Element]:
        for each in self.observation.elements:
            if each.role == role and each.actionable and "disabled" not in each.states:
                yield each

    @property
    def is_stale(self) -> bool:
        """Whether something was changed since the page was loaded: its list then shows what was."""
        for step in reversed(self.history):
            for request in reversed(step.result.requests):
                if request.startswith("GET /object-store/"):
                    return False
                if not request.startswith("GET "):
                    return True
        return False

    @property
    def waited_in_vain(self) -> bool:
        """Whether the last step was to wait, and nothing came."""
        last = self.last
        return last is not None and not isinstance(last.action, Click) and last.result.outcome is ActOutcome.NO_EFFECT


def row_key(element: Element) -> str:
    """What the row of an element is about: the first word of its first cell."""
    first = element.row.partition(" | ")[0]
    return first.partition(" ")[0]
