"""What can be told about a console page from an observation alone."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sandbox.contracts.observations import Element, Observation
from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.lexicon import Lexicon

EMPTY = "–"
_INPUTS = ("textbox", "combobox", "checkbox", "spinbutton", "switch")


class Row(Struct, frozen=True):
    """One row of a table, or one card: its link, and its values by column title."""

    text: str
    elements: tuple[Element, ...]

    def link(self, title: str) -> Element | None:
        """What leads to the object: the link under this column, or a card's only one."""
        links = [each for each in self.elements if each.role == "link"]
        return next((each for each in links if each.label == title), links[0] if links else None)

    def value(self, title: str) -> str | None:
        """What stands under a column, or behind "Title: " in a card."""
        for each in self.elements:
            if each.label == title and each.role in ("cell", "link", "text"):
                return each.name
            if each.role == "text" and each.name.startswith(f"{title}: "):
                return each.name[len(title) + 2 :]
        return None


class Sight:
    """One observation, asked in the console's terms; in an open dialog only the dialog can be used."""

    def __init__(self, observation: Observation, lexicon: Lexicon) -> None:
        self.observation = observation
        self.lexicon = lexicon
        self.dialog = observation.dialogs[-1] if observation.dialogs else ""
        self.region = "dialog" if self.dialog else "main"
        self.elements = tuple(each for each in observation.elements if each.region == self.region)

    @property
    def is_loading(self) -> bool:
        """Whether the page says that it is loading."""
        return self.reads(self.lexicon.text("Loading…"))

    def reads(self, text: str) -> bool:
        """Whether this very text stands here."""
        return any(each.name == text and not each.actionable for each in self.elements)

    def usable(self, role: str, name: str, *, row: str = "") -> Element | None:
        """A button, link or tab with this very name (and row)."""
        for each in self.elements:
            fits = each.role == role and each.name == name and (not row or each.row == row)
            if fits and "disabled" not in each.states:
                return each
        return None

    def input(self, title: str) -> Element | None:
        """The input of a field."""
        return next((each for each in self.elements if each.role in _INPUTS and each.name == title), None)

    def headed(self, text: str) -> bool:
        """Whether this begins with this heading."""
        return self.heading == text

    @property
    def heading(self) -> str:
        """The first heading here."""
        return next((each.name for each in self.elements if each.role == "heading"), "")

    def section(self, kind: Kind) -> Element | None:
        """The link to a kind's list in the navigation."""
        title = self.lexicon.text(kind.plural)
        elements = self.observation.elements
        return next((e for e in elements if e.region == "nav" and e.role == "link" and e.name == title), None)

    def in_section(self, kind: Kind) -> bool:
        """Whether the page belongs to this kind."""
        link = self.section(kind)
        return link is not None and "selected" in link.states

    def search(self, kind: Kind) -> Element | None:
        """The search field of a kind's list."""
        name = self.lexicon.say("Search {kinds}", kinds=self.lexicon.noun(kind.plural))
        return next((each for each in self.elements if each.role == "textbox" and each.name == name), None)

    def narrowed(self) -> Element | None:
        """A filter of the list that leaves some out."""
        everything = self.lexicon.text("All")
        filters = (each for each in self.elements if each.role == "combobox" and everything in each.options)
        return next((each for each in filters if each.value != everything), None)

    def on_detail(self, kind: Kind) -> bool:
        """Whether this is the page of one object of the kind."""
        return self.in_section(kind) and self.usable("tab", self.lexicon.text(kind.tabs[0].title)) is not None

    def tab_is_open(self, title: str) -> bool:
        """Whether this tab is the one shown."""
        tab = self.usable("tab", title)
        return tab is not None and "selected" in tab.states

    def fact(self, title: str) -> Element | None:
        """The value beside a row heading of a table of facts, or None."""
        for each in self.elements:
            if each.label == title and each.row.startswith(f"{title} | ") and each.name != title:
                return each
        return None

    @property
    def state(self) -> str:
        """What stands beside the heading of an object's page."""
        seen = False
        for each in self.elements:
            if seen:
                return each.name if each.role == "text" else ""
            seen = each.role == "heading"
        return ""

    def rows(self) -> Iterator[Row]:
        """Rows of the tables here, headings and facts aside."""
        grouped: dict[str, list[Element]] = {}
        for each in self.elements:
            if each.row:
                grouped.setdefault(each.row, []).append(each)
        return (Row(text, tuple(elements)) for text, elements in grouped.items())

    def row(self, values: Mapping[str, str]) -> Row | None:
        """The row that shows these values by column title."""
        fits = (row for row in self.rows() if all(row.value(title) == value for title, value in values.items()))
        return next(fits, None)

    def complaint(self) -> str:
        """What the open form complains about as a whole, or ""."""
        return next((t for t in self.observation.toasts if any(e.name == t for e in self.elements)), "")

    def refusals(self) -> tuple[str, ...]:
        """What stands under fields that were refused."""
        return tuple(each.name for each in self.elements if each.role in ("text", "status") and not each.actionable)

    def noticed(self, kind: Kind, label: str, done: str) -> bool:
        """Whether a notice on screen says that this was done (to any object, where the label is not known)."""
        text = self.lexicon.say(
            "{kind} {label} {done}.", kind=self.lexicon.text(kind.title), label="\0", done=self.lexicon.text(done)
        )
        before, _, after = text.partition("\0")
        for toast in self.observation.toasts:
            of = toast[len(before) : len(toast) - len(after)]
            if toast.startswith(before) and toast.endswith(after) and (not label or of == label):
                return True
        return False
