"""Which tasks the public MiniWoB++ pages hold, found in the installed package without importing it."""

import importlib.util
from functools import cache
from pathlib import Path


class PagesMissing(RuntimeError):
    """The package that carries the pages is not installed."""


@cache
def pages() -> Path:
    """The folder with core/, common/, flight/ and miniwob/. Raises PagesMissing."""
    found = importlib.util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        raise PagesMissing("The MiniWoB++ pages are not installed. Run: pip install miniwob==1.1.0")
    return Path(next(iter(found.submodule_search_locations))) / "html"


@cache
def names() -> tuple[str, ...]:
    """Every task of the package, by name."""
    return tuple(sorted(page.stem for page in (pages() / "miniwob").glob("*.html")))


@cache
def published() -> tuple[str, ...]:
    """The 56 tasks that published results speak of (WebN-T5, WebGUM, HTML-T5, AutoWebGLM)."""
    return tuple((Path(__file__).parent / "published.txt").read_text("utf-8").split())
