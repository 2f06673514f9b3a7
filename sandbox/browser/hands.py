"""A person's hands on the page: trusted events in, and the actions they amount to out."""

from collections import deque
from contextlib import suppress
from typing import assert_never, get_args

from sandbox.browser import act
from sandbox.browser.cdp import CdpTimeout, PageCrashed
from sandbox.browser.page import Page
from sandbox.contracts.actions import Action, Click, Key, Press, Scroll, Select, Type
from sandbox.contracts.takeover import Agree, Choose, HandEvent, KeyStroke, Pointer, Text, Wheel

MASK = "•••"
MOST_PX = 10_000.0  # that the wheel turns at once
_NAMED = frozenset(get_args(Key))
# These go on with the text of a field; everything else named ends it.
_EDITING = frozenset({"Backspace", "Delete", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "Space"})


class Hands:
    """Gathers keys into Type actions. Actions that come at once are given out one by one, oldest first."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._typing = False
        self._done: deque[Action] = deque()
        self._last: Pointer | KeyStroke | None = None

    async def feel(self, event: HandEvent) -> Action | None:
        """Do what the hand did; returns the oldest action not yet given out. A page that takes no input gives none."""
        tab = self._page.tab
        was_asked = bool(tab.happened.dialogs)
        tab.happened.dialogs.clear()
        if isinstance(event, Agree):
            tab.agrees = True
            try:
                await self._try(self._last if was_asked else None)
            finally:
                tab.agrees = False
        else:
            self._last = event if isinstance(event, Pointer | KeyStroke) else None
            await self._try(event)
        return self._done.popleft() if self._done else None

    async def _try(self, event: Pointer | KeyStroke | Text | Wheel | Choose | None) -> None:
        # While the page hangs the person sees that nothing came of it; past its edge input would hang it for good.
        with suppress(CdpTimeout, PageCrashed):
            if not isinstance(event, Pointer | Wheel) or await self._is_on_page(event.x, event.y):
                await self._do(event)

    async def _is_on_page(self, x: float, y: float) -> bool:
        return bool(await self._page.tab.ask(f"{x} >= 0 && {x} < innerWidth && {y} >= 0 && {y} < innerHeight"))

    async def _do(self, event: Pointer | KeyStroke | Text | Wheel | Choose | None) -> None:
        match event:
            case Pointer(x, y, clicks):
                await self._gather()
                ref = await self._page.tab.ask(f"belay.refAt({float(x)}, {float(y)})")
                await act.click_at(self._page.tab, float(x), float(y), clicks=max(1, min(clicks, 3)))
                if ref:
                    self._done.append(Click(int(ref)))
            case KeyStroke(key):
                await self._key(key)
            case Text(text):
                await act.insert(self._page.tab, text)
                self._typing = True
            case Wheel(x, y, dy):
                await self._wheel(float(x), float(y), float(dy))
            case Choose(element, option):
                await self._gather()
                await self._page.act(Select(element, option))
                self._done.append(Select(element, option))
            case None:
                return  # no dialog came up that could be agreed to
            case _:
                assert_never(event)
        if not isinstance(event, Wheel):
            await self._page.tab.settle()

    async def flush(self) -> Action | None:
        """The next action not yet given out; typing that is still gathered counts as finished."""
        await self._gather()
        return self._done.popleft() if self._done else None

    async def _key(self, key: str) -> None:
        field = await self._page.tab.ask("belay.focusRef()")
        edits = field["ref"] and (len(key) == 1 or key in _EDITING)
        if not edits:
            await self._gather()
        await act.press(self._page.tab, key)
        if edits:
            self._typing = True
        elif key in _NAMED or key == " ":
            self._done.append(Press("Space" if key == " " else key))  # type: ignore[arg-type]  # just checked

    async def _gather(self) -> None:
        """Typing becomes one Type with all that the field now holds; a secret's value stays behind."""
        if not self._typing:
            return
        self._typing = False
        field = await self._page.tab.ask("belay.focusRef()")
        if field["ref"]:
            self._done.append(Type(int(field["ref"]), MASK if field["secret"] else str(field["value"])))

    async def _wheel(self, x: float, y: float, dy: float) -> None:
        way = max(-MOST_PX, min(dy, MOST_PX))
        event = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": way}
        await self._page.tab.call("Input.dispatchMouseEvent", event, limit_s=act.INPUT_LIMIT_S)
        if not self._done or not isinstance(self._done[-1], Scroll):
            self._done.append(Scroll("down" if dy > 0 else "up"))
