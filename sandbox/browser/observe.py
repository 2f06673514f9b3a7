"""From the injected script's JSON to an observation with a fingerprint."""

import hashlib

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sandbox.contracts.observations import Element, Observation

# States that come and go without the page becoming another one.
_PASSING = frozenset({"focused", "offscreen"})


class Seen(Struct, frozen=True):
    """What the injected script reports."""

    url: str
    title: str
    elements: tuple[Element, ...]
    dialogs: tuple[str, ...]
    toasts: tuple[str, ...]
    viewport: tuple[int, int]
    effect: str  # changes with anything at all that an action can bring about


_decoder = msgspec.json.Decoder(Seen)
_encoder = msgspec.json.Encoder()


def read(text: str) -> Seen:
    """The script's JSON, parsed."""
    return _decoder.decode(text)


def changed(before: Observation, elements: tuple[Element, ...]) -> Observation:
    """The observation with other elements and all else as it was."""
    after = replace(before, elements=elements)
    return replace(after, fingerprint=fingerprint(after))


def observation(seen: Seen, *, pending: int) -> Observation:
    """The observation of what was seen."""
    return Observation(
        url=seen.url,
        title=seen.title,
        elements=seen.elements,
        dialogs=seen.dialogs,
        toasts=seen.toasts,
        pending=pending,
        viewport=seen.viewport,
        fingerprint=fingerprint(seen),
    )


def fingerprint(seen: Seen | Observation) -> str:
    """Whether a decision made on one observation still holds on another.

    Left out are places, focus, what is offscreen, refs, and notices that go away by themselves: a toast that fades
    while somebody reads must not void the approval.
    """
    facts = [
        (
            element.role,
            element.name,
            element.value,
            [state for state in element.states if state not in _PASSING],
            element.label,
            element.group,
            element.row,
            element.options,
            element.region,
            element.frame,
        )
        for element in seen.elements
        if element.region != "toast"
    ]
    return hashlib.sha256(_encoder.encode((seen.url, seen.title, seen.dialogs, facts))).hexdigest()
