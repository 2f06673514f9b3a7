"""Doing one action by trusted input, and saying by name what came of it."""

import asyncio
import json
from typing import Any, assert_never
from urllib.parse import urljoin, urlsplit

from sandbox.browser.cdp import CdpError, CdpTimeout, PageCrashed
from sandbox.browser.keys import strokes
from sandbox.browser.tab import Tab
from sandbox.contracts.actions import (
    Action,
    ActOutcome,
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

INPUT_LIMIT_S = 5.0
WAIT_LIMIT_S = 3.0
_OPENING_MS = 400  # a menu takes so long to open under the pointer

Did = tuple[ActOutcome, str]  # outcome, detail

_DONE: Did = (ActOutcome.DONE, "")


async def dispatch(tab: Tab, action: Action, *, allow: frozenset[str] | None) -> Did:
    """Do it; DONE means the input arrived, not yet that it had an effect."""
    match action:
        case Click(element):
            return await _click(tab, element)
        case Type(element, text):
            return await _type(tab, element, text)
        case Select(element, option):
            return await _select(tab, element, option)
        case Press(key):
            await press(tab, key)
            return _DONE
        case Scroll(direction):
            moved = await tab.ask(f"belay.scrolled({json.dumps(direction)})")
            return _DONE if moved else (ActOutcome.NO_EFFECT, f"there is nothing further {direction}")
        case Navigate(url):
            return await _navigate(tab, url, allow)
        case Wait():
            return await _wait(tab)
        case Finish() | GiveUp():
            return _DONE
        case _:
            assert_never(action)


async def press(tab: Tab, key: str) -> None:
    """One key, down and up, where the focus is."""
    await _input(tab, [("Input.dispatchKeyEvent", stroke) for stroke in strokes(key)])


async def click_at(tab: Tab, x: float, y: float, *, clicks: int = 1) -> None:
    """Press and release the main button at a point, pipelined; back when the page has taken both."""
    events = []
    for count in range(1, clicks + 1):
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": count}
            events.append(("Input.dispatchMouseEvent", event | {"buttons": int(kind == "mousePressed")}))
    await _input(tab, events)


async def insert(tab: Tab, text: str) -> None:
    """Text at the caret, replacing what is selected."""
    await _input(tab, [("Input.insertText", {"text": text})] if text else _deleting())


def _deleting() -> list[tuple[str, dict[str, Any]]]:
    return [("Input.dispatchKeyEvent", stroke) for stroke in strokes("Delete")]


async def _input(tab: Tab, events: list[tuple[str, dict[str, Any]]]) -> None:
    last = [tab.send(method, params) for method, params in events][-1:]
    for answer in last:
        try:
            async with asyncio.timeout(INPUT_LIMIT_S):
                await answer
        except TimeoutError:
            raise CdpTimeout("Input", "the page does not take input") from None


async def _locate(tab: Tab, ref: int) -> dict[str, Any]:
    place: dict[str, Any] = await tab.ask(f"belay.locate({ref})")
    return place


def _refusal(place: dict[str, Any]) -> Did:
    return ActOutcome(place["outcome"]), place.get("detail", "")


async def _click(tab: Tab, ref: int) -> Did:
    place = await _locate(tab, ref)
    if place["outcome"] != "ready":
        return _refusal(place)
    if place["opens"]:
        await _input(tab, [("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": place["x"], "y": place["y"]})])
        await tab.ask(f"belay.rest({_OPENING_MS}, {2 * _OPENING_MS})")
        if await tab.ask(f"belay.isOpened({ref})"):
            return _DONE
    if place["icon"]:
        # An icon may swap or move under the pointer: hover first, then look again.
        await _input(tab, [("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": place["x"], "y": place["y"]})])
        place = await _locate(tab, ref)
        if place["outcome"] != "ready":
            return _refusal(place)
    await click_at(tab, place["x"], place["y"])
    return _DONE


async def _type(tab: Tab, ref: int, text: str) -> Did:
    place = await _locate(tab, ref)
    if place["outcome"] != "ready":
        return _refusal(place)
    if place["kind"] in ("", "select"):
        return ActOutcome.NOT_EDITABLE, "it takes no text"
    if place["kind"] == "set":
        held = await tab.ask(f"belay.setValue({ref}, {json.dumps(text)})")
        return _DONE if held == text else (ActOutcome.NOT_EDITABLE, "it does not take this text")
    if not place["focused"]:
        await click_at(tab, place["x"], place["y"])
    if not await tab.ask(f"belay.selectAll({ref})"):
        return ActOutcome.VANISHED, "it went away when it was clicked"
    await insert(tab, text)
    held = await tab.ask(f"belay.rawValue({ref})")
    if " ".join(str(held).split()) != " ".join(text.split()):
        return ActOutcome.DONE, "it holds another text than the one typed"
    return _DONE


async def _select(tab: Tab, ref: int, option: str) -> Did:
    place = await _locate(tab, ref)
    if place["outcome"] != "ready":
        return _refusal(place)
    if place["kind"] != "select":
        return ActOutcome.NOT_EDITABLE, "it is not a closed list; click it, then the option"
    chosen = await tab.ask(f"belay.choose({ref}, {json.dumps(option)})")
    return _DONE if chosen["outcome"] == "ready" else _refusal(chosen)


async def _navigate(tab: Tab, url: str, allow: frozenset[str] | None) -> Did:
    try:
        target = urljoin(tab.last_url, url)
    except ValueError:  # "http://["
        return ActOutcome.BLOCKED_NAVIGATION, f"{url[:60]} is no address"
    if not is_allowed(target, allow):
        return ActOutcome.BLOCKED_NAVIGATION, f"{urlsplit(target).netloc or target[:60]} is not on the allow-list"
    return await go(tab, target)


async def go(tab: Tab, url: str) -> Did:
    """Load an address; DONE once it has been committed."""
    answer = await tab.call("Page.navigate", {"url": url})
    problem = answer.get("errorText", "")
    if problem and not answer.get("isDownload"):
        return ActOutcome.NO_EFFECT, problem
    return _DONE


def is_allowed(url: str, allow: frozenset[str] | None) -> bool:
    """Whether the allow-list (None: everything) has this address."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return False
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return False
    return allow is None or f"{parts.hostname}:{port}" in allow


async def _wait(tab: Tab) -> Did:
    try:
        changed = await tab.ask(f"belay.change({int(WAIT_LIMIT_S * 1000)})", limit_s=WAIT_LIMIT_S + 2)
    except PageCrashed:
        raise
    except CdpError:
        changed = True  # the page was replaced while we watched
    return _DONE if changed else (ActOutcome.NO_EFFECT, f"nothing changed for {WAIT_LIMIT_S:g} s")
