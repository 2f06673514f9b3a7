"""The console without a browser: observations from the same nodes that pages are drawn from, actions as events."""

from collections import deque
from datetime import date
from hashlib import blake2b
from typing import assert_never
from urllib.parse import urljoin, urlsplit

from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    ActResult,
    Click,
    Finish,
    GiveUp,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from sandbox.contracts.observations import Element, Observation
from sandbox.worlds.console import nodes
from sandbox.worlds.console.api import Server
from sandbox.worlds.console.draw import screen as drawn
from sandbox.worlds.console.keys import pressed
from sandbox.worlds.console.places import Event
from sandbox.worlds.console.screen import VIEWPORT, Pane, Screen
from sandbox.worlds.console.sections import Section, Thing, ref_of, squash
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.view import View
from sandbox.worlds.console.world import World

ORIGIN = "http://console.example"
EVENT = "POST /ui/event"  # what an event is as a request of the other face
PATIENCE = 8  # ticks that a wait lasts at most: about three seconds of the other face
AWAKE = 64  # faces that keep what they show at hand, in one process
_SCROLL = 0.8
_SEEN_KEPT = 8  # observations of one page

Did = tuple[ActOutcome, str]
_DONE: Did = (ActOutcome.DONE, "")


class TreeFace:
    """One view of one world, seen and used as a browser would show and take it."""

    __slots__ = ("_page", "_requests", "_shown", "focus", "opener", "scroll", "server", "view")

    def __init__(self, world: World, variant: Variant) -> None:
        self.view = View(world, variant)
        self.server = Server(world, variant)
        self.focus = ""  # key of what has the focus
        self.opener = ""  # and of what had it before a dialog opened
        self.scroll: dict[str, int] = {}  # how far each part of the screen is scrolled
        self._shown: Screen | None = None
        self._page = 0  # which of the view's pages is shown
        self._requests: list[str] = []
        self._load("/")

    # --- seeing ---

    @property
    def screen(self) -> Screen:
        """What is shown. Who has not been used for a while lets go of it and draws it again when asked."""
        if self._shown is None:
            self._shown = drawn(self.view)
            _awake.append(self)
            if len(_awake) > AWAKE:
                _awake.popleft().rest()
        return self._shown

    def rest(self) -> None:
        """Let go of what can be drawn again."""
        self._shown = None
        self.view.memo = {}

    def observe(self) -> Observation:
        """The page as it is."""
        shown = self.screen
        key = (self.focus, *self.scroll.items())
        found = shown.seen.get(key)
        if found is None:
            if len(shown.seen) >= _SEEN_KEPT:
                shown.seen.clear()
            found = shown.seen[key] = self._observed()
        return found

    def _observed(self) -> Observation:
        elements: list[Element] = []
        digests: list[bytes] = []
        shown, view = self.screen, self.view
        focus = ref_of(self.focus) if self.focus else 0
        for pane in shown.panes:
            behind = bool(shown.modal) and pane.name != "dialog"
            if behind and pane.name != "header":
                continue
            for section, placed in self._placed(pane):
                toast = section.region == "toast"
                if behind:
                    # A modal dialog covers a notice's button, yet the notice is still read.
                    elements += [each for each in placed if toast and not each.actionable]
                    continue
                elements += _focused(placed, focus) if focus and focus in section.things else placed
                if not toast:
                    digests.append(section.digest)
        url = ORIGIN + view.address
        dialogs = tuple(pane.label for pane in shown.panes if pane.label)
        said = "\0".join((url, shown.title, *dialogs)).encode()
        fingerprint = blake2b(said + b"".join(digests), digest_size=32).hexdigest()
        return Observation(url, shown.title, tuple(elements), dialogs, self._toasts(), 0, VIEWPORT, fingerprint)

    def _placed(self, pane: Pane) -> list[tuple[Section, tuple[Element, ...]]]:
        """Sections of a part of the screen with their elements where they lie now."""
        top, bottom, width = pane.top, pane.top + pane.height, pane.width
        if pane.name == "header":
            each = width // max(1, len(pane.sections))
            return [
                (section, section.placed(n * each + 12, pane.pad, each, top=top, bottom=bottom))
                for n, section in enumerate(pane.sections)
            ]
        y = top + pane.pad - self.scroll.get(pane.name, 0)
        found = []
        for section in pane.sections:
            found.append((section, section.placed(pane.x + 24, y, width - 48, top=top, bottom=bottom)))
            y += section.height
        return found

    def _toasts(self) -> tuple[str, ...]:
        found: list[str] = []
        for pane in self.screen.panes:
            y = pane.top + pane.pad - self.scroll.get(pane.name, 0)
            for section in pane.sections:
                for text, middle in section.alerts:
                    if pane.top <= y + middle <= pane.top + pane.height or pane.name == "header":
                        found.append(squash(text)[:200])
                y += 0 if pane.name == "header" else section.height
        return tuple(found)

    # --- acting ---

    def act(self, action: Action) -> ActResult:
        """Do one action; what came of it, by the names that a browser gives."""
        self._requests = []
        before = (self.focus, dict(self.scroll))
        outcome, detail = self._act(action)
        idle = not self._requests and before == (self.focus, self.scroll)
        if idle and outcome is ActOutcome.DONE and not isinstance(action, Wait | Finish | GiveUp):
            outcome, detail = ActOutcome.NO_EFFECT, "nothing changed"
        return ActResult(outcome, detail, tuple(dict.fromkeys(self._requests)))

    def _act(self, action: Action) -> Did:
        match action:
            case Click(element):
                return self._click(element)
            case Type(element, text):
                return self._type(element, text)
            case Select(element, option):
                return self._select(element, option)
            case Press(key):
                return pressed(self, key)
            case Scroll(direction):
                return self._scroll(-_SCROLL if direction == "up" else _SCROLL, direction)
            case Navigate(url):
                return self._navigate(url)
            case Wait():
                return self._wait()
            case Finish() | GiveUp():
                return _DONE
            case _:
                assert_never(action)

    def send(self, event: Event) -> None:
        """An event on its way to the view, and what it asks of the server."""
        self._requests.append(EVENT)
        request = self.view.event(event)
        if request is not None:
            self._requests.append(f"{request.method} {request.path}")
            self.view.answered(self.server.answer(request))
        self.look()

    def look(self) -> None:
        """Draw the page as it is now; focus and scrolling follow what is on it."""
        before = self.screen
        shown = self._shown = drawn(self.view)
        if shown is not before or self._page != self.view.pages:
            self._follow(before)
        stops, modal, last = shown.stops, shown.modal, before.modal
        if modal and modal != last:
            self.opener = self.opener if last else self.focus
            self.focus = next(iter(stops), "")
        elif last and not modal:
            self.focus = self.opener
        if self.focus and self.focus not in stops:
            self.focus = ""

    def _follow(self, before: Screen) -> None:
        """What shows something else begins at its top; what has become shorter is scrolled less far."""
        scroll, was = self.scroll, {pane.name: pane.key for pane in before.panes}
        if self._page != self.view.pages:
            self._page = self.view.pages
            scroll.pop("main", None)
        for pane in self.screen.panes:
            at = scroll.get(pane.name)
            if at and (pane.key != was.get(pane.name) or at > pane.room):
                scroll[pane.name] = 0 if pane.key != was.get(pane.name) else pane.room

    def thing(self, key: str) -> tuple[Pane, Thing, float] | None:
        """The node with this key, its part of the screen, and the middle of where it lies in its content."""
        return self.screen.index.get(ref_of(key))

    def reveal(self, pane: Pane, middle: float, *, anyway: bool = False) -> None:
        """Scroll so that what lies there can be seen."""
        at = middle - self.scroll.get(pane.name, 0)
        if (anyway or not 0 <= at <= pane.height) and pane.name != "header":
            self.scroll[pane.name] = int(min(max(0, middle - pane.height / 2), pane.room))

    def _locate(self, ref: int) -> tuple[Thing | None, Did]:
        found = self.screen.index.get(ref)
        if found is None:
            return None, (ActOutcome.VANISHED, "it is no longer on the page")
        pane, it, middle = found
        if "disabled" in it.states:
            return None, (ActOutcome.DISABLED, it.name[:80])
        if self.screen.modal and pane.name != "dialog":
            self.reveal(pane, middle, anyway=True)
            return None, (ActOutcome.COVERED, "by a dialog")
        self.reveal(pane, middle)
        return it, _DONE

    def _click(self, ref: int) -> Did:
        it, refusal = self._locate(ref)
        if it is None:
            return refusal
        node = it.node
        if isinstance(node, nodes.Say):
            self.focus = ""
            return _DONE
        self.focus = it.key
        if isinstance(node, nodes.Press):
            self.send(Event("click", it.key))
        elif isinstance(node, nodes.Tick):
            self.send(Event("input", it.key, "no" if node.checked else "yes"))
        return _DONE

    def _type(self, ref: int, text: str) -> Did:
        it, refusal = self._locate(ref)
        if it is None:
            return refusal
        node = it.node
        if not isinstance(node, nodes.Entry):
            return ActOutcome.NOT_EDITABLE, "it takes no text"
        self.focus = it.key
        if node.kind == "date":
            held = text if _is_date(text) else ""
            self.send(Event("input", it.key, held))
            return _DONE if held == text else (ActOutcome.NOT_EDITABLE, "it does not take this text")
        held = text[: node.max_length]
        if held or node.value:
            self.send(Event("input", it.key, held))
        return _DONE if squash(held) == squash(text) else (ActOutcome.DONE, "it holds another text than the one typed")

    def _select(self, ref: int, option: str) -> Did:
        it, refusal = self._locate(ref)
        if it is None:
            return refusal
        node = it.node
        if not isinstance(node, nodes.Choice):
            return ActOutcome.NOT_EDITABLE, "it is not a closed list; click it, then the option"
        wanted = squash(option)
        chosen = next((each for each in node.options if each == wanted), None)
        chosen = chosen or next((each for each in node.options if each.lower() == wanted.lower()), None)
        if chosen is None:
            return ActOutcome.NO_SUCH_OPTION, ", ".join(node.options)[:200]
        self.focus = it.key
        self.send(Event("input", it.key, chosen))
        return _DONE

    def _scroll(self, share: float, direction: str) -> Did:
        panes = [pane for pane in self.screen.panes if pane.name in ("nav", "main", "drawer", "dialog")]
        home = [pane for pane in panes if pane.label][-1:] or panes
        fit = [pane for pane in home if pane.room > 4 and pane.height > 60]
        pane = max(fit, key=lambda each: each.width * each.height, default=None)
        if pane is not None:
            now = self.scroll.get(pane.name, 0)
            self.scroll[pane.name] = min(max(0, now + int(share * pane.height)), pane.room)
            if self.scroll[pane.name] != now:
                return _DONE
        return ActOutcome.NO_EFFECT, f"there is nothing further {direction}"

    def _navigate(self, url: str) -> Did:
        target = urlsplit(urljoin(ORIGIN + self.view.address, url))
        if f"{target.scheme}://{target.netloc}" != ORIGIN:
            return ActOutcome.BLOCKED_NAVIGATION, f"{target.netloc or url[:60]} is not on the allow-list"
        address = target.path + (f"?{target.query}" if target.query else "")
        self._requests.append(f"GET {target.path or '/'}")
        self._load(address or "/")
        return _DONE

    def _load(self, address: str) -> None:
        self.view.navigate(address)
        self.focus = self.opener = ""
        self.scroll = {}
        self._page = self.view.pages
        shown = self._shown = drawn(self.view) if self._shown else self.screen
        if shown.modal:  # a dialog that is there from the start has the focus
            self.focus = next(iter(shown.stops), "")

    def _wait(self) -> Did:
        before = self._state()
        for _ in range(PATIENCE):
            self.view.tick()
            self.look()
            if self._state() != before:
                return _DONE
            if not self.view.is_pending:
                break
        return ActOutcome.NO_EFFECT, "nothing changed for 3 s"

    def _state(self) -> tuple[str, tuple[str, ...]]:
        seen = self.observe()
        return seen.fingerprint, seen.toasts


_awake: deque[TreeFace] = deque()


def _focused(placed: tuple[Element, ...], ref: int) -> tuple[Element, ...]:
    at = next(n for n, each in enumerate(placed) if each.ref == ref)
    it = placed[at]
    changed = Element(
        it.ref,
        it.role,
        it.name,
        it.value,
        tuple(sorted((*it.states, "focused"))),
        it.box,
        it.group,
        it.row,
        it.label,
        it.options,
        it.region,
        it.frame,
        it.actionable,
    )
    return (*placed[:at], changed, *placed[at + 1 :])


def _is_date(text: str) -> bool:
    try:
        return not text or (len(text) == 10 and bool(date.fromisoformat(text)))
    except ValueError:
        return False
