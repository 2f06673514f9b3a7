"""A live session from its parts: a world, a way out, a browser; opened, found again, cut off."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from sandbox import registry
from sandbox.browser.cdp import CdpClosed, CdpTimeout
from sandbox.browser.egress import Entry
from sandbox.browser.hands import Hands
from sandbox.browser.launch import Browser
from sandbox.browser.page import Page, PageError
from sandbox.browser.processes import end_noted
from sandbox.browser.way_out import Egress, WayOut, cut
from sandbox.contracts.actions import Action, ActOutcome, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.takeover import HandEvent
from sandbox.contracts.tasks import Risk, Task, Verification
from sandbox.registry import CannotOpen, PageHangs, SessionLost, World
from sandbox.risk import classify, riskier
from sandbox.sessions import Handle

log = logging.getLogger(__name__)

HANGS = (
    "The console's page stopped answering, and again after it was loaded anew: a script on it never comes to an end."
)
# What an approved action sets going may ask the server a little later; then the permit lapses.
PERMIT_LAPSES_S = 1.5


class Live:
    """The LiveSession of the door."""

    def __init__(self, handle: Handle, world: World, way_out: WayOut, page: Page) -> None:
        self.handle = handle
        self._world = world
        self._way_out = way_out
        self._page = page
        self._hands = Hands(page)
        self._seen: Observation | None = None
        self._held_back = ""
        self._learnt: dict[tuple[str, ...], Risk] = {}  # what an action turned out to ask for

    async def observe(self) -> Observation:
        try:
            with _named_loss():
                self._seen = await self._page.observe()
        except PageHangs:
            # Its script never comes back: its process is ended, and the page loaded again, as after a crash.
            log.warning("the page does not answer; it is loaded again")
            with _named_loss():
                self._page.tab.send("Page.crash").add_done_callback(_forget)
                self._seen = await self._page.observe()
        return self._seen

    async def act(self, action: Action, *, permit: Risk) -> ActResult:
        element = self._seen.element(getattr(action, "element", -1)) if self._seen else None
        last = await self._way_out.permit(permit)
        try:
            with _named_loss():
                result = await self._page.act(action)
        finally:
            entries = await self._way_out.requests(after=last, lower_after_s=PERMIT_LAPSES_S)
        blocked = [entry for entry in entries if entry.verdict == "risk"]
        if blocked:
            key = _kind_of(action, element)
            self._learnt[key] = riskier(self._learnt.get(key, Risk.READ), *(entry.risk for entry in blocked))
        return _result(result, entries, permit)

    def risk(self, action: Action, observation: Observation) -> Risk:
        element = observation.element(getattr(action, "element", -1))
        return riskier(classify(action, observation), self._learnt.get(_kind_of(action, element), Risk.READ))

    async def picture(self) -> bytes:
        with _named_loss():
            return await self._page.picture()

    async def watch(self, on_frame: Callable[[bytes], Awaitable[None]]) -> None:
        with _named_loss():
            await self._page.watch(on_frame)

    async def unwatch(self) -> None:
        with _named_loss():
            await self._page.unwatch()

    async def hand(self, event: HandEvent, *, permit: Risk = Risk.UNKNOWN) -> Action | None:
        last = await self._way_out.permit(permit)
        self._held_back = ""
        try:
            with _named_loss():
                return await self._hands.feel(event)
        finally:
            entries = await self._way_out.requests(after=last, lower_after_s=PERMIT_LAPSES_S)
            self._held_back = next((_refused(each, permit) for each in entries if each.verdict == "risk"), "")

    def held_back(self) -> str:
        return self._held_back

    def dialog(self) -> str:
        dialogs = self._page.tab.happened.dialogs
        return dialogs[-1] if dialogs else ""

    async def flush_hand(self) -> Action | None:
        with _named_loss():
            return await self._hands.flush()

    async def verify(self, answer: str) -> Verification:
        return await self._world.verify(self.handle.task, answer)

    async def close(self) -> None:
        await self.let_go()
        await cut_off(self.handle)

    async def let_go(self) -> None:
        """Disconnect and leave everything running, as a host that is shut down does."""
        await self._page.let_go()
        await self._way_out.let_go()


async def open_session(task: Task, *, folder: Path, viewport: tuple[int, int], reached: Callable[[str], None]) -> Live:
    """See the door. Each part is written down in the folder as it starts: `cut_off` needs to know no more."""
    world = registry.find_environment(task.environment).world()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # noqa: ASYNC240  # local
    async with AsyncExitStack() as undo:
        undo.push_async_callback(end_noted, folder)
        undo.push_async_callback(world.stop)
        state = await world.start(folder / "world")
        reached("opening_world")
        way_out = await WayOut.open(allow=world.allow, rules=world.request_rules, folder=folder)
        undo.push_async_callback(way_out.let_go)
        reached("opening_way_out")
        setting_up = asyncio.create_task(world.set_up(task), name="world-set-up")
        undo.callback(setting_up.cancel)
        proxy = way_out.egress.address
        page = await Page.launch(proxy=proxy, allow=world.allow, viewport=viewport, noted_in=folder)
        undo.push_async_callback(page.let_go)
        reached("opening_browser")
        await setting_up
        await way_out.permit(Risk.UNKNOWN)
        try:
            await world.sign_in(page)
        except (PageError, CdpTimeout) as problem:
            raise CannotOpen(str(problem)) from problem
        await way_out.permit(Risk.READ)
        undo.pop_all()  # all is well: nothing is undone
    handle = Handle(
        task=task,
        folder=str(folder),
        viewport=viewport,
        world=state,
        browser=msgspec.to_builtins(page.browser),
        egress=msgspec.to_builtins(way_out.egress),
    )
    return Live(handle, world, way_out, page)


async def attach(handle: Handle) -> Live:
    """See the door."""
    browser, egress = _parts(handle)
    if not browser.is_alive:
        raise SessionLost("the session's browser is gone")
    way_out = await WayOut.attach(egress)
    try:
        await way_out.permit(Risk.READ)
        world = registry.find_environment(handle.task.environment).world()
        await world.resume(handle.world)
        page = await Page.attach(browser, allow=world.allow, viewport=handle.viewport)
        await page.keep_secret(*getattr(world, "secrets", ()))
    except (CdpClosed, CdpTimeout, TimeoutError) as gone:  # a page that hangs answers nobody new
        await way_out.let_go()
        raise SessionLost("the session's browser does not answer") from gone
    except BaseException:
        await way_out.let_go()
        raise
    return Live(handle, world, way_out, page)


async def cut_off(handle: Handle) -> None:
    """See the door."""
    await cut(Path(handle.folder))  # first of all: from here on nothing leaves
    await end_noted(Path(handle.folder))


@contextmanager
def _named_loss() -> Iterator[None]:
    try:
        yield
    except CdpClosed as gone:
        raise SessionLost("the session's browser is gone") from gone
    except CdpTimeout as late:
        raise PageHangs(HANGS) from late


def _forget(answer: "asyncio.Future[Any]") -> None:
    if not answer.cancelled():
        answer.exception()  # a process that ends answers with an error


def _parts(handle: Handle) -> tuple[Browser, Egress]:
    try:
        return msgspec.convert(handle.browser, Browser), msgspec.convert(handle.egress, Egress)
    except msgspec.ValidationError as problem:
        raise SessionLost(f"another version of Belay opened this session: {problem}") from problem


def _kind_of(action: Action, element: object) -> tuple[str, ...]:
    said = (getattr(element, part, "") for part in ("role", "name", "region"))
    return (type(action).__name__, str(getattr(action, "key", "")), *said)


def _refused(entry: Entry, permit: Risk) -> str:
    return f"{entry.method} {entry.path} is {entry.risk}; permitted was {permit}"


def _result(result: ActResult, entries: tuple[Entry, ...], permit: Risk) -> ActResult:
    """What the page reported, corrected by what really left."""
    outcome, detail = result.outcome, result.detail
    for entry in entries:
        if entry.verdict == "risk":
            outcome, detail = ActOutcome.BLOCKED_REQUEST, _refused(entry, permit)
        elif entry.verdict == "host" and entry.document and outcome in (ActOutcome.DONE, ActOutcome.NO_EFFECT):
            outcome, detail = ActOutcome.BLOCKED_NAVIGATION, f"{entry.host} is not on the allow-list"
    passed = dict.fromkeys(f"{entry.method} {entry.path}" for entry in entries if entry.verdict == "passed")
    return ActResult(outcome, detail, tuple(passed)[:50], result.elapsed_ms)
