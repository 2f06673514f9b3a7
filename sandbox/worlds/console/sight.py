"""What can be told about a console page from an observation alone."""

from collections.abc import Iterator, Sequence

from sandbox.contracts.actions import ActOutcome, Click
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.worlds.console.declare import Field, Kind


class Sight:
    """One observation, asked in the console's terms; in an open dialog only the dialog can be used."""

    def __init__(self, observation: Observation, history: Sequence[Past]) -> None:
        self.observation = observation
        self.history = history
        self.dialog = observation.dialogs[-1] if observation.dialogs else ""
        self.region = "dialog" if self.dialog else "main"

    def noticed(self, text: str) -> bool:
        """Whether a notice on screen says this."""
        return any(text in toast for toast in self.observation.toasts)

    def here(self) -> Iterator[Element]:
        """Elements of the dialog, or of the page's main part."""
        return (each for each in self.observation.elements if each.region == self.region)

    def usable(self, role: str, name: str, *, row: str = "") -> Element | None:
        """A button, link or tab with this very name (and row)."""
        for each in self.here():
            if (
                each.role == role
                and each.name == name
                and (not row or each.row == row)
                and "disabled" not in each.states
            ):
                return each
        return None

    def input(self, field: Field) -> Element | None:
        """The input of a field."""
        names = (field.title, f"{field.title} (optional)")
        roles = ("textbox", "combobox", "checkbox", "spinbutton")
        return next((each for each in self.here() if each.role in roles and each.name in names), None)

    def headed(self, text: str) -> bool:
        """Whether the main part begins with this heading."""
        heading = next((each for each in self.here() if each.role == "heading"), None)
        return heading is not None and heading.name == text

    def section(self, kind: Kind) -> Element | None:
        """The link to a kind's list in the side navigation."""
        return next((e for e in self.observation.elements if e.region == "nav" and e.name == kind.plural), None)

    def in_section(self, kind: Kind) -> bool:
        """Whether the page belongs to this kind."""
        link = self.section(kind)
        return link is not None and "selected" in link.states

    def search(self) -> Element | None:
        """The search field of a list."""
        return next((e for e in self.here() if e.role == "textbox" and e.name.startswith("Search ")), None)

    def tab(self, title: str) -> Element | None:
        """A tab of a detail page."""
        return self.usable("tab", title)

    def tab_is_open(self, title: str) -> bool:
        """Whether this tab is the one shown."""
        tab = self.tab(title)
        return tab is not None and "selected" in tab.states

    def fact(self, title: str) -> str | None:
        """The value beside a row heading of a table of facts, or None."""
        for each in self.here():
            before, bar, after = each.row.partition(" | ")
            if bar and before == title and each.name == after:
                return after
        return None

    def has_row(self, row: str) -> bool:
        """Whether a table row reads exactly so."""
        return any(each.row == row for each in self.here())

    def submitted(self, button: str) -> bool:
        """Whether this button was pressed before, and the press went through."""
        return any(
            isinstance(past.action, Click)
            and (past.role, past.name) == ("button", button)  # the link to a form has the form's name too
            and past.result.outcome is ActOutcome.DONE
            for past in self.history
        )

    def was_blocked(self, button: str) -> bool:
        """Whether the last press of this button was stopped on its way, so that the console never heard of it."""
        presses = (past for past in reversed(self.history) if (past.role, past.name) == ("button", button))
        last = next(presses, None)
        return last is not None and last.result.outcome is ActOutcome.BLOCKED_REQUEST

    def complaint(self) -> str:
        """What the open form complains about as a whole, or ""."""
        alerts = [toast for toast in self.observation.toasts if any(e.name == toast for e in self.here())]
        return alerts[0] if alerts else ""
