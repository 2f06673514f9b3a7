"""What worlds without a browser share: elements from their keys, observations from sections, refusals by name."""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence

import msgspec
from msgspec import Struct

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Navigate, Select, Type
from sandbox.contracts.observations import Box, Element, Observation

ROW_HEIGHT, WIDTH = 24.0, 420.0  # CSS pixels: where elements would stand if this were a page
VIEWPORT = (1280, 720)
DONE = ActResult(ActOutcome.DONE)
_REMEMBERED = 4_096  # sections; a long life must not fill the memory

_encoder = msgspec.json.Encoder()


class Slot(Struct, frozen=True):
    """One element before it has a number; `key` says what it is, the same for as long as it is the same thing."""

    key: str
    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()  # sorted
    label: str = ""
    row: str = ""
    options: tuple[str, ...] = ()
    actionable: bool = True


class Section(Struct, frozen=True):
    """Neighbouring elements with the digest of what they say."""

    elements: tuple[Element, ...]
    digest: bytes


class Face:
    """One document: numbers for keys, sections remembered by what they were made from."""

    def __init__(self) -> None:
        self._refs: dict[str, int] = {}
        self._keys: list[str] = []
        self._sections: dict[Hashable, Section] = {}

    def forget(self) -> None:
        """Begin a new document: numbers start at 1 again."""
        self._refs.clear()
        self._keys.clear()
        self._sections.clear()

    def key(self, ref: int) -> str:
        """The key of a shown element."""
        return self._keys[ref - 1]

    def section(
        self,
        made_from: Hashable,
        slots: Callable[[], Iterable[Slot]],
        *,
        group: str = "",
        region: str = "main",
        at: tuple[float, float] = (0.0, 0.0),
    ) -> Section:
        """The section made from these facts; `slots` is asked only where it is not remembered."""
        found = self._sections.get(made_from)
        if found is None:
            if len(self._sections) >= _REMEMBERED:
                self._sections.clear()
            found = self._sections[made_from] = self._make(slots(), group, region, at)
        return found

    def observation(self, url: str, title: str, sections: Sequence[Section]) -> Observation:
        """All sections as one observation."""
        digest = hashlib.sha256(f"{url}\n{title}\n".encode())
        elements: list[Element] = []
        for section in sections:
            elements += section.elements
            digest.update(section.digest)
        return Observation(url, title, tuple(elements), viewport=VIEWPORT, fingerprint=digest.hexdigest())

    def _make(self, slots: Iterable[Slot], group: str, region: str, at: tuple[float, float]) -> Section:
        left, top = at
        elements = tuple(
            Element(
                ref=self._ref(slot.key),
                role=slot.role,
                name=slot.name,
                value=slot.value,
                states=slot.states,
                box=Box(left, top + ROW_HEIGHT * place, WIDTH, ROW_HEIGHT),
                group=group,
                row=slot.row,
                label=slot.label,
                options=slot.options,
                region=region,
                actionable=slot.actionable,
            )
            for place, slot in enumerate(slots)
        )
        facts = [(e.role, e.name, e.value, e.states, e.label, e.row, e.options, group, region) for e in elements]
        return Section(elements, hashlib.sha256(_encoder.encode(facts)).digest())

    def _ref(self, key: str) -> int:
        ref = self._refs.get(key)
        if ref is None:
            self._keys.append(key)
            ref = self._refs[key] = len(self._keys)
        return ref


def no_effect(detail: str) -> ActResult:
    """Nothing came of it, and why."""
    return ActResult(ActOutcome.NO_EFFECT, detail)


def refusal(action: Action, observation: Observation) -> ActResult | None:
    """Why this cannot be done to what is shown, as a page would say it; None where it can."""
    if isinstance(action, Navigate):
        return ActResult(ActOutcome.BLOCKED_NAVIGATION, "there are no addresses here")
    if not isinstance(action, Click | Type | Select):
        return None
    element = observation.element(action.element)
    if element is None:
        return ActResult(ActOutcome.VANISHED, "it is no longer there")
    if "disabled" in element.states:
        return ActResult(ActOutcome.DISABLED, "it cannot be used now")
    match action:
        case Type() if "editable" not in element.states:
            return ActResult(ActOutcome.NOT_EDITABLE, "it takes no text")
        case Type(_, text) if text == element.value:
            return no_effect("it holds this text already")
        case Select() if element.role != "combobox":
            return ActResult(ActOutcome.NOT_EDITABLE, "it is not a closed list; click it, then the option")
        case Select(_, option) if option not in element.options:
            return ActResult(ActOutcome.NO_SUCH_OPTION, f"it offers {', '.join(element.options)}")
        case Select(_, option) if option == element.value:
            return no_effect("this is chosen already")
        case Click() if not element.actionable:
            return no_effect("it is only to be read")
    return None
