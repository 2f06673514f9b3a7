"""A page of the console laid out: its parts on the screen, each a column of sections that scrolls by itself."""

from collections.abc import Callable

from msgspec import Struct

from sandbox.worlds.console.sections import Section, Thing, ref_of
from sandbox.worlds.console.view import View

VIEWPORT = (1280, 720)
HEADER, BANNER = 48, 48
SIDE, DRAWER, DIALOG = 220, 360, 560
PAD, PAD_X = 12, 24
DIALOG_MOST = 640  # a higher dialog scrolls

_KEPT = 96  # sections that a view remembers


class Pane(Struct):
    """A part of the screen. `name`: header, banner, nav, main, drawer, dialog."""

    name: str
    x: int
    width: int
    top: int
    height: int
    sections: list[Section]
    pad: int = PAD
    key: str = ""  # of what it shows; another one begins at its top
    label: str = ""  # of a dialog or drawer

    @property
    def content(self) -> int:
        """How high all that is in it is."""
        return 2 * self.pad + sum(section.height for section in self.sections)

    @property
    def room(self) -> int:
        """How far it can be scrolled."""
        return max(0, self.content - self.height)


class Screen(Struct):
    """All that is on the screen, in document order."""

    title: str
    panes: list[Pane]
    modal: str = ""  # key of the dialog that lies over everything


def kept(view: View, name: str, key: object, make: Callable[[], Section]) -> Section:
    """The section of this name, drawn anew only where its key has changed. One owner: what was drawn last."""
    last = view.memo.get(name)
    if last is not None and last[0] == key:
        found: Section = last[1]
        return found
    if len(view.memo) > _KEPT:
        view.memo.clear()
    section = make()
    view.memo[name] = (key, section)
    return section


def usable(shown: Screen, key: str) -> Thing | None:
    """The node with this key, if a person could use it now."""
    ref = ref_of(key)
    for pane in shown.panes:
        if shown.modal and pane.name != "dialog":
            continue
        for section in pane.sections:
            it = section.things.get(ref)
            if it is not None and it.key == key and it.usable and "disabled" not in it.states:
                return it
    return None
