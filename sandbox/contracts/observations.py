"""What can be seen and used on a page at one moment."""

from msgspec import Struct


class Box(Struct, frozen=True, forbid_unknown_fields=True):
    """Rectangle in CSS pixels, relative to the viewport."""

    x: float
    y: float
    width: float
    height: float


class Element(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing a person could use or read now.

    Roles are ARIA's: button, link, textbox, checkbox, radio, combobox (a select), option, tab, menuitem,
    spinbutton, switch, and for reading: heading, cell, text, status, img.
    """

    ref: int  # stable for the same node within a document; the only way to name it in an action
    role: str
    name: str  # accessible name; for icons without one, their title, data attribute or icon class
    value: str = ""  # what an input holds; secrets arrive already masked
    # sorted; of: checked disabled editable expanded focused invalid offscreen password pressed readonly required
    # selected
    states: tuple[str, ...] = ()
    box: Box = Box(0, 0, 0, 0)
    group: str = ""  # nearest form section, card, or table caption/heading
    row: str = ""  # text of the table row or list item it stands in
    label: str = ""  # text of its label, or of the column header over its cell
    options: tuple[str, ...] = ()  # visible texts of a select's options
    region: str = "main"  # main | nav | header | dialog | toast
    frame: int = 0  # 0 top document, then by document order
    actionable: bool = True  # False: only to be read


class Observation(Struct, frozen=True, forbid_unknown_fields=True):
    """A page as a set of elements, in document order."""

    url: str
    title: str
    elements: tuple[Element, ...]
    dialogs: tuple[str, ...] = ()  # titles of open dialogs, topmost last
    toasts: tuple[str, ...] = ()  # texts of notices on screen
    pending: int = 0  # requests on their way
    viewport: tuple[int, int] = (1280, 720)
    fingerprint: str = ""  # hex hash of all above but boxes, focus and pending: "is it still the same page?"

    def element(self, ref: int) -> Element | None:
        """The element with this ref, or None."""
        return next((e for e in self.elements if e.ref == ref), None)
