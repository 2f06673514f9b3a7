"""A page of the console laid out: its parts on the screen, each a column of sections that scrolls by itself."""

from collections.abc import Callable

from msgspec import Struct

from sandbox.contracts.observations import Observation
from sandbox.worlds.console.nodes import Say
from sandbox.worlds.console.sections import Section, Thing, ref_of
from sandbox.worlds.console.view import View

VIEWPORT = (1280, 720)
HEADER, BANNER = 48, 48
SIDE, DRAWER, DIALOG = 220, 360, 560
PAD, PAD_X = 12, 24
DIALOG_MOST = 640  # a higher dialog scrolls

_KEPT = 96  # sections that a view remembers
_SHARED = 4096  # sections that all views share, about 3 KB each
_shared: dict[tuple[object, ...], Section] = {}  # oldest first


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


class Screen:
    """All that is on the screen, in document order. Shared by all views that show the same; never changed."""

    __slots__ = ("_index", "_stops", "modal", "panes", "seen", "title")

    def __init__(self, title: str, panes: list[Pane], modal: str = "") -> None:
        self.title = title
        self.panes = panes
        self.modal = modal  # key of the dialog that lies over everything
        self.seen: dict[tuple[object, ...], Observation] = {}  # by focus and scrolling; owned by the tree
        self._index: dict[int, tuple[Pane, Thing, float]] | None = None
        self._stops: dict[str, int] | None = None

    @property
    def index(self) -> dict[int, tuple[Pane, Thing, float]]:
        """Every node by ref: its part of the screen, itself, and where its middle lies in that part's content."""
        if self._index is None:
            self._index = {}
            for pane in self.panes:
                y = pane.pad
                for section in pane.sections:
                    for ref, it in section.things.items():
                        self._index[ref] = (pane, it, y + it.y + it.height / 2)
                    y += section.height
        return self._index

    @property
    def stops(self) -> dict[str, int]:
        """Keys of what can be focused, in the order of Tab, with their places in it."""
        if self._stops is None:
            shown = (pane for pane in self.panes if not self.modal or pane.name == "dialog")
            keys = (key for pane in shown for section in pane.sections for key in section.stops)
            self._stops = {key: at for at, key in enumerate(keys)}
        return self._stops


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


def spinner(view: View) -> Section:
    """What stands where something is still on its way."""
    return shared(view, "spinner", "", lambda: Section("spinner", (Say(view.words.text("Loading…"), "spinner"),)))


def shared(view: View, name: str, key: object, make: Callable[[], Section]) -> Section:
    """A section that says nothing of any world: console, words and key decide it, so views of many worlds have one."""
    whole = (view.world.console, view.words, view.variant.nav, view.cookies, name, key)
    found = _shared.get(whole)
    if found is None:
        while len(_shared) >= _SHARED:
            del _shared[next(iter(_shared))]
        found = _shared[whole] = make()
    return found


def forget_shared() -> None:
    """Let go of every section that views share."""
    _shared.clear()


def usable(shown: Screen, key: str) -> Thing | None:
    """The node with this key, if a person could use it now."""
    found = shown.index.get(ref_of(key))
    return found[1] if found and found[1].key == key and key in shown.stops else None
