"""What an agent or a person can do to a page, and what came of it."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

Key: TypeAlias = Literal["Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "Space"]
Direction: TypeAlias = Literal["up", "down"]


class Click(Struct, frozen=True, tag="click", tag_field="kind", forbid_unknown_fields=True):
    """Press and release the main button in the middle of an element."""

    element: int  # Element.ref in the observation acted on


class Type(Struct, frozen=True, tag="type", tag_field="kind", forbid_unknown_fields=True):
    """Replace what an editable element holds by this text."""

    element: int
    text: str


class Select(Struct, frozen=True, tag="select", tag_field="kind", forbid_unknown_fields=True):
    """Choose one option of a closed list by its visible text."""

    element: int
    option: str


class Press(Struct, frozen=True, tag="press", tag_field="kind", forbid_unknown_fields=True):
    """Press one named key where the focus is."""

    key: Key


class Scroll(Struct, frozen=True, tag="scroll", tag_field="kind", forbid_unknown_fields=True):
    """Scroll the page (or the open dialog) by most of a screen."""

    direction: Direction


class Navigate(Struct, frozen=True, tag="navigate", tag_field="kind", forbid_unknown_fields=True):
    """Go to an address inside the environment's allow-list."""

    url: str


class Wait(Struct, frozen=True, tag="wait", tag_field="kind", forbid_unknown_fields=True):
    """Let the page go on by itself until something on it changes (at most a few seconds)."""


class Finish(Struct, frozen=True, tag="finish", tag_field="kind", forbid_unknown_fields=True):
    """The work is done; `answer` is what a question asked for, else empty."""

    answer: str = ""


class GiveUp(Struct, frozen=True, tag="give_up", tag_field="kind", forbid_unknown_fields=True):
    """The work cannot be done; `reason` is for people."""

    reason: str = ""


Action: TypeAlias = Click | Type | Select | Press | Scroll | Navigate | Wait | Finish | GiveUp


class ActOutcome(StrEnum):
    """What came of an action; everything but DONE is told to the policy by name."""

    DONE = "done"  # dispatched, and the page or its focus changed or may yet change
    NO_EFFECT = "no_effect"  # dispatched, nothing changed
    VANISHED = "vanished"  # the element is no longer on the page
    COVERED = "covered"  # something else lies over the element
    DISABLED = "disabled"  # the element cannot be used now
    NOT_EDITABLE = "not_editable"  # text for something that takes none
    NO_SUCH_OPTION = "no_such_option"  # Select with an option that the list lacks
    MISSED = "missed"  # the point hits nothing of the element (outside every viewport)
    NEW_TAB = "new_tab"  # a second tab opened; it was brought into this one or closed
    NATIVE_DIALOG = "native_dialog"  # alert/confirm/prompt appeared; it was dismissed
    DOWNLOAD = "download"  # a download was asked for; it was refused
    BLOCKED_NAVIGATION = "blocked_navigation"  # left the allow-list; stopped at the proxy
    BLOCKED_REQUEST = "blocked_request"  # the request that left was riskier than approved; stopped at the proxy
    TIMED_OUT = "timed_out"  # the page did not settle within its limit
    CRASHED = "crashed"  # the page's process died; it was loaded again


class ActResult(Struct, frozen=True, forbid_unknown_fields=True):
    """How one action went."""

    outcome: ActOutcome
    detail: str = ""
    requests: tuple[str, ...] = ()  # "METHOD path" of what left the browser because of it, masked
    elapsed_ms: float = 0.0
