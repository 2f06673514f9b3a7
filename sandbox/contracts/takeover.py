"""What a person's hands do to the browser while they drive it."""

from typing import TypeAlias

from msgspec import Struct


class Pointer(Struct, frozen=True, tag="pointer", tag_field="kind", forbid_unknown_fields=True):
    """The main button pressed and released at a point of the viewport, in CSS pixels."""

    x: float
    y: float
    clicks: int = 1  # 2 is a double click


class KeyStroke(Struct, frozen=True, tag="key", tag_field="kind", forbid_unknown_fields=True):
    """One key, named as KeyboardEvent.key names it: "a", "Enter", "Backspace"."""

    key: str


class Text(Struct, frozen=True, tag="text", tag_field="kind", forbid_unknown_fields=True):
    """Text that arrives at once: pasted, or from an input method."""

    text: str


class Wheel(Struct, frozen=True, tag="wheel", tag_field="kind", forbid_unknown_fields=True):
    """The wheel turned over a point; `dy` is positive downwards, in CSS pixels."""

    x: float
    y: float
    dy: float


class Choose(Struct, frozen=True, tag="select", tag_field="kind", forbid_unknown_fields=True):
    """An option chosen from a closed list (its pop-up is drawn by the viewer, not by the browser)."""

    element: int
    option: str


class Agree(Struct, frozen=True, tag="agree", tag_field="kind", forbid_unknown_fields=True):
    """The last click or key once more, and OK to the native dialog that it brings up; else such a one is dismissed."""


HandEvent: TypeAlias = Pointer | KeyStroke | Text | Wheel | Choose | Agree
