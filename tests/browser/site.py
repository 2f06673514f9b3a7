"""A web process that serves the built pages, and people who look at them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.client import until
from webapp.accounts.models import User
from webapp.embedded.state import free_port

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "webapp" / "frontend" / "dist" / "index.html"


@contextmanager
def web_process() -> Iterator[str]:
    """The web process as `make up` starts it; gives its address."""
    assert BUILT.is_file(), "the front end is not built: run `make setup`, or `npm ci && npm run build` in its folder"
    call_command("collectstatic", interactive=False, verbosity=0)
    port = free_port(avoid=set())
    argv = [sys.executable, "-m", "uvicorn", "webapp.asgi:application", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*argv, "--log-level", "warning"], cwd=ROOT, env=dict(os.environ))
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(url), within_s=60, what="the web process to answer")
        yield url
    finally:
        process.terminate()
        process.wait(60)  # a busy machine is given time


def answers(url: str) -> bool | None:
    """True once its health address answers."""
    try:
        with urlopen(f"{url}/api/health", timeout=5) as response:  # noqa: S310 - our own server
            return bool(response.status == 200)
    except OSError:  # nobody there yet, or too busy to answer in time
        return None


class Looks:
    """Opens pages for people, and remembers what went wrong inside them."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    def stranger(self, **options: object) -> Page:
        """A page of somebody who has not signed in."""
        settings = {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", "base_url": self._url, **options}
        context = self._browser.new_context(**settings)  # type: ignore[arg-type]  # options are Playwright's own
        context.set_default_timeout(20_000)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def person(self, user: User, path: str = "/", **options: object) -> Page:
        """A page of somebody who has, at an address."""
        client = Client()
        client.force_login(user)
        page = self.stranger(**options)
        page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": self._url}])
        page.goto(path)
        return page

    def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            context.close()
