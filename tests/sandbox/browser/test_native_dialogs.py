"""A native dialog under a person's hands: dismissed and told of; agreed to when they say so."""

from collections.abc import Awaitable, Callable

import pytest

from sandbox.browser.hands import Hands
from sandbox.browser.page import Page
from sandbox.contracts.actions import Click, Press
from sandbox.contracts.takeover import Agree, HandEvent, KeyStroke, Pointer, Text

pytestmark = pytest.mark.asyncio(loop_scope="session")
Show = Callable[[str], Awaitable[Page]]
ASKS = "confirm('Drop it?') ? document.title = 'dropped' : document.title = 'kept'"


async def a_page_that_asks(show: Show) -> tuple[Page, Hands, Pointer]:
    page = await show(f'<button autofocus onclick="{ASKS}">Drop</button><input aria-label=Name>')
    button = (await page.observe()).elements[0].box
    return page, Hands(page), Pointer(button.x + 4, button.y + 4)


def said(page: Page) -> list[str]:
    return page.tab.happened.dialogs


@pytest.mark.parametrize("event", ["pointer", "key"])
async def test_what_asks_is_dismissed_until_the_person_agrees(show: Show, event: str) -> None:
    page, hands, click = await a_page_that_asks(show)
    done: dict[str, tuple[HandEvent, object]] = {
        "pointer": (click, Click((await page.observe()).elements[0].ref)),
        "key": (KeyStroke("Enter"), Press("Enter")),
    }
    act, meaning = done[event]
    assert await hands.feel(act) == meaning
    assert (said(page), (await page.observe()).title) == (["confirm: Drop it?"], "kept")
    assert await hands.feel(Agree()) == meaning
    assert (said(page), (await page.observe()).title) == ([], "dropped")


async def test_agreeing_is_for_one_dialog(show: Show) -> None:
    page, hands, click = await a_page_that_asks(show)
    await hands.feel(click)
    await hands.feel(Agree())
    await hands.feel(click)
    assert (said(page), (await page.observe()).title) == (["confirm: Drop it?"], "kept")


async def test_agreeing_to_nothing_does_nothing(show: Show) -> None:
    page, hands, _ = await a_page_that_asks(show)
    assert await hands.feel(Agree()) is None
    name = (await page.observe()).elements[1].box
    await hands.feel(Pointer(name.x + 4, name.y + 4))
    await hands.feel(Text("a"))
    await hands.feel(KeyStroke("b"))
    await hands.feel(Agree())
    assert (await page.observe()).elements[1].value == "ab"
