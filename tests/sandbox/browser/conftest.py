"""One browser for the tests of a module; a site for each test."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
import pytest_asyncio

from sandbox.browser.page import Page
from sandbox.contracts.observations import Element, Observation
from tests.sandbox.browser.site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Page]:
    page = await Page.launch(viewport=(800, 600))
    yield page
    await page.close()


@pytest_asyncio.fixture(loop_scope="session")
async def show(browser: Page, site: Site) -> AsyncIterator[Callable[[str], Awaitable[Page]]]:
    """Shows HTML in the browser, which may go nowhere but to the site."""
    browser.allow = frozenset({site.host})

    async def put_up(html: str) -> Page:
        await browser.goto(site.show(html))
        return browser

    yield put_up
    site.release.set()
    await browser.goto("about:blank")


def named(observation: Observation, name: str) -> Element:
    """The element of this name."""
    return next(element for element in observation.elements if element.name == name)


def names(observation: Observation) -> list[str]:
    """What everything on the page is called."""
    return [element.name for element in observation.elements]
