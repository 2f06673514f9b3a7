"""One look at a console page by its teacher: what is seen, what is remembered, and the words for both."""

from collections.abc import Mapping

from msgspec import Struct

from sandbox.contracts.actions import Action, Click, GiveUp, Wait
from sandbox.contracts.observations import Element
from sandbox.worlds.console.declare import Console, Field, Kind
from sandbox.worlds.console.jobs import Values, told
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.recall import Recall
from sandbox.worlds.console.sight import EMPTY, Sight
from sandbox.worlds.console.variant import Variant

PATIENCE = 12  # waits in a row before giving up


class Move(Struct, frozen=True):
    """An action and why."""

    action: Action
    why: str


class Look(Struct, frozen=True):
    """All that a decision rests on."""

    console: Console
    variant: Variant
    lexicon: Lexicon
    sight: Sight
    recall: Recall
    goal: Mapping[str, str]

    def text(self, source: str) -> str:
        """As the page says it."""
        return self.lexicon.text(source)

    def title(self, kind: Kind, field: str) -> str:
        """What a field is called on the page."""
        return self.text("State" if field == "state" else kind.field(field).title)

    def shown(self, kind: Kind, field: str, value: str) -> str:
        """What the page shows for a value."""
        if not value:
            return EMPTY
        declared = None if field == "state" else kind.field(field)
        if declared is None or declared.type in ("choice", "boolean"):
            return self.text(value)
        return self.lexicon.written(declared, value)

    def number(self, kind: Kind, field: str, shown: str) -> str:
        """What the page shows for a value, without its unit."""
        unit = "" if field == "state" else kind.field(field).unit
        return shown.removesuffix(f" {self.text(unit)}") if unit else shown

    def wanted(self, values: Values) -> dict[str, str]:
        """Values of a job with its parameters filled in; what refers to another field is left out."""
        return {field: told(text, self.goal) for field, text in values if text[:1] != "="}

    def columns(self, kind: Kind, values: Mapping[str, str]) -> dict[str, str]:
        """What a row of the kind's table shows of these values, by title."""
        return {
            self.title(kind, field): self.shown(kind, field, value)
            for field, value in values.items()
            if field in kind.columns
        }

    def press(self, role: str, name: str, why: str, *, row: str = "") -> Move | None:
        """A click on what is called so, where it can be used."""
        element = self.sight.usable(role, name, row=row)
        return Move(Click(element.ref), why) if element else None

    def wait(self, why: str, *, patience: int = PATIENCE) -> Move:
        """Wait, but not for ever."""
        return Move(Wait(), why) if self.recall.waits() < patience else Move(GiveUp(f"Waited, but {why}."), why)

    def cancel(self) -> Move:
        """Leave a dialog that is not wanted."""
        for name in ("Cancel", "Close", "Not now"):
            if (move := self.press("button", self.text(name), "this dialog is not wanted")) is not None:
                return move
        return self.wait("a dialog is in the way")


def holds(element: Element, field: Field) -> str:
    """What an input holds, as the page shows it."""
    if field.type == "boolean" and element.role != "combobox":
        return "yes" if "checked" in element.states else "no"
    return element.value
