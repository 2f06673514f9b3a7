"""What a teacher remembers: presses of a form's button, and which links were followed, told from the steps taken."""

from collections.abc import Container, Sequence

from sandbox.contracts.actions import ActOutcome, Click, Select, Type, Wait
from sandbox.contracts.policies import Past
from sandbox.worlds.console.lexicon import Lexicon


class Recall:
    """The steps taken so far, asked in the console's terms."""

    def __init__(self, history: Sequence[Past], lexicon: Lexicon) -> None:
        self.history = history
        self._cancel = lexicon.text("Cancel")

    def presses(self, button: str, *, opener: str = "") -> list[int]:
        """When a form's button was pressed and the press went through.

        Where the button that opens the form is called the same (`opener`), only a press after filling counts.
        """
        found = []
        filled = opener != button
        for at, past in enumerate(self.history):
            if _fills(past):
                filled = True
            elif isinstance(past.action, Click) and (past.role, past.name) == ("button", button):
                if filled and past.result.outcome is ActOutcome.DONE:
                    found.append(at)
            elif past.role in ("link", "tab") or past.name == self._cancel:
                filled = opener != button
        return found

    def typed(self, title: str) -> list[str]:
        """What was typed into the input of this name, the last first."""
        return [
            past.action.text for past in reversed(self.history) if isinstance(past.action, Type) and past.name == title
        ]

    def filled_since(self, opener: str) -> bool:
        """Whether anything was filled in after a form was opened last."""
        for past in reversed(self.history):
            if _fills(past):
                return True
            if (past.role, past.name) == ("button", opener):
                return False
        return False

    def was_blocked(self, button: str) -> bool:
        """Whether the last press of this button was stopped on its way, so that the console never heard of it."""
        presses = (past for past in reversed(self.history) if (past.role, past.name) == ("button", button))
        last = next(presses, None)
        return last is not None and last.result.outcome is ActOutcome.BLOCKED_REQUEST

    def waits(self) -> int:
        """How often it has just waited."""
        count = 0
        for past in reversed(self.history):
            if not isinstance(past.action, Wait):
                break
            count += 1
        return count

    def repeats(self, button: str) -> int:
        """How often this button has just been pressed, waiting in between."""
        count = 0
        for past in reversed(self.history):
            if isinstance(past.action, Click) and past.name == button:
                count += 1
            elif not isinstance(past.action, Wait):
                break
        return count

    def went_on(self, at: int, names: Container[str], *, about: Container[str]) -> bool:
        """Whether a button or link of these names was pressed after a form was sent.

        Where the form was then cancelled, somebody has to have looked first: what shows it is searched for or opened by
        one of the names in `about`, or on a tab, or on the page of a row.
        """
        steps = [past for past in self.history[at + 1 :] if not isinstance(past.action, Wait)]
        after = next((n for n, past in enumerate(steps) if not _fills(past)), 0)
        if not steps or steps[after].name != self._cancel:
            return any(_is_press(past, names) for past in steps)
        # Filled in once more, it was still open: what then lay beneath it was not what was looked for.
        first = after + 1 if after else 0
        return any(
            _is_press(past, names) and self._looked(before, about)
            for before, past in zip(steps[first:], steps[first + 1 :], strict=False)
        )

    def _looked(self, past: Past, about: Container[str]) -> bool:
        """Whether a step led to where it can be seen what came of a form; what lies beneath a dialog may show it."""
        searched = isinstance(past.action, Type) and past.action.text in about
        led = past.role == "tab" or (past.role == "link" and (bool(past.row) or past.name in about))
        return searched or led or past.name == self._cancel

    def reopened(self, at: int, opener: str) -> bool:
        """Whether a form was opened again after it was sent, and not from the very page that lay beneath it."""
        steps = [past for past in self.history[at + 1 :] if not isinstance(past.action, Wait)]
        opened = [n for n, past in enumerate(steps) if (past.role, past.name) == ("button", opener)]
        return bool(opened) and not (opened[-1] > 0 and steps[opened[-1] - 1].name == self._cancel)

    def made_anew(self, label: str, create: str, *, since: int) -> bool:
        """Whether something was searched for after a step and not opened, but its create form; nor was it later."""
        searched = anew = False
        last = ""  # what was typed just before
        for past in self.history[since:]:
            if isinstance(past.action, Wait):
                continue
            if past.role == "link" and past.name == create:
                anew = anew or searched
            elif past.role == "link" and (past.name == label or last == label):
                searched = anew = False  # it was there, and was opened or went on from
            last = past.action.text if isinstance(past.action, Type) else ""
            searched = searched or last == label
        return anew

    def row_of(self, button: str) -> str:
        """The row in which this button was pressed last."""
        return next((p.row for p in reversed(self.history) if (p.role, p.name) == ("button", button)), "")

    def opened_row(self) -> str:
        """The row from which an object was opened last."""
        return next((past.row for past in reversed(self.history) if past.role == "link" and past.row), "")

    def lacked(self, option: str, *, since: int) -> bool:
        """Whether this was to be chosen after a step, and was not there."""
        return any(
            isinstance(past.action, Select)
            and past.action.option == option
            and past.result.outcome is ActOutcome.NO_SUCH_OPTION
            for past in self.history[since:]
        )

    def opened(self, *, before: int | None = None) -> str:
        """The name of the last object that was opened from a row (before a step)."""
        return next((past.name for past in reversed(self.history[:before]) if past.role == "link" and past.row), "")

    def followed(self, title: str, source: str) -> str:
        """The object to which this fact of the source led when its link was followed last; "" where it never was."""
        for at in range(len(self.history) - 1, -1, -1):
            past = self.history[at]
            if past.role == "link" and past.row == f"{title} | {past.name}" and self._came_from(at, source):
                return past.name
        return ""

    def _came_from(self, at: int, source: str) -> bool:
        for past in reversed(self.history[:at]):
            if past.role == "link":
                return past.name == source
        return False


def _fills(past: Past) -> bool:
    return isinstance(past.action, Type | Select) or past.role in ("checkbox", "switch")


def _is_press(past: Past, names: Container[str]) -> bool:
    return past.name in names and past.role in ("button", "link")
