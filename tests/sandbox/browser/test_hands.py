"""A person's hands on a page that does not take them."""

from collections.abc import Awaitable, Callable

import pytest

from sandbox.browser import act
from sandbox.browser.hands import Hands
from sandbox.browser.page import Page
from sandbox.contracts.actions import Click, Scroll
from sandbox.contracts.takeover import Pointer, Wheel

pytestmark = pytest.mark.asyncio(loop_scope="session")
Show = Callable[[str], Awaitable[Page]]


@pytest.mark.parametrize("event", [Pointer(-5, 1e300), Pointer(5, 600), Wheel(-5, 1e300, 1e308)])
async def test_past_the_edge_nothing_is_done_and_the_next_click_is(show: Show, event: Pointer | Wheel) -> None:
    page = await show("<button>Go</button>")
    hands = Hands(page)
    assert await hands.feel(event) is None
    button = (await page.observe()).elements[0]
    assert await hands.feel(Pointer(button.box.x + 4, button.box.y + 4)) == Click(button.ref)


async def test_a_wheel_turned_without_end_scrolls_and_the_next_click_is_done(show: Show) -> None:
    page = await show("<button style='position: fixed'>Go</button><p style='height: 3000px'>Long</p>")
    hands = Hands(page)
    assert await hands.feel(Wheel(300, 300, 1e308)) == Scroll("down")
    button = (await page.observe()).elements[0]
    assert await hands.feel(Pointer(button.box.x + 4, button.box.y + 4)) == Click(button.ref)


async def test_a_page_that_hangs_takes_nothing_and_breaks_nothing(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act, "INPUT_LIMIT_S", 0.5)
    page = await show("<button onclick='for (const end = Date.now() + 1500; Date.now() < end;);'>Hang</button>")
    button = (await page.observe()).elements[0]
    click = Pointer(button.box.x + 4, button.box.y + 4)
    assert await Hands(page).feel(click) is None
    assert (await page.observe()).elements[0].name == "Hang"
