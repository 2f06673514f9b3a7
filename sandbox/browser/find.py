"""Where Chromium is on this machine."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path


class NoBrowser(RuntimeError):
    """No Chromium was found; the message says what to do."""


# The wrappers in /usr/bin are shell scripts without exec: their pid is not the browser's, so the binaries come first.
_LINUX = (
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium-browser/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
)
_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
_MACOS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_PLAYWRIGHT = (
    "chromium_headless_shell-*/chrome-*/headless_shell",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
    "chromium-*/chrome-*/chrome",
    "chromium-*/chrome-*/Chromium.app/Contents/MacOS/Chromium",
    "chromium-*/chrome-*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
)


def find_chromium() -> Path:
    """The browser's own binary. BELAY_CHROMIUM, when set, is the only candidate. Raises NoBrowser."""
    chosen = os.environ.get("BELAY_CHROMIUM")
    if chosen:
        found = Path(shutil.which(chosen) or chosen)
        if not _is_program(found):
            raise NoBrowser(f"BELAY_CHROMIUM is {chosen}, which is no program. Correct it or unset it.")
        return found
    for candidate in _candidates():
        if _is_program(candidate):
            return candidate
    raise NoBrowser(
        "No Chromium was found. Install one (`apt install chromium-headless-shell`, `playwright install chromium`, "
        "or Google Chrome), or set BELAY_CHROMIUM to its path."
    )


def _candidates() -> Iterator[Path]:
    if sys.platform == "darwin":
        yield from (Path(path) for path in _MACOS)
    else:
        yield from (Path(path) for path in _LINUX)
    # Playwright's own builds before wrappers on PATH: they are plain binaries.
    for cache in _playwright_caches():
        for pattern in _PLAYWRIGHT:
            yield from sorted(cache.glob(pattern), reverse=True)
    yield from (Path(found) for name in _NAMES if (found := shutil.which(name)))


def _playwright_caches() -> Iterator[Path]:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if named and named != "0":
        yield Path(named)
    home = Path.home()
    yield home / ("Library/Caches/ms-playwright" if sys.platform == "darwin" else ".cache/ms-playwright")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
