"""Starts one Chromium in a process group of its own, which outlives whoever started it."""

import asyncio
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from sandbox.browser.find import find_chromium
from sandbox.browser.processes import NOTE, Process, end_group, remove, start_detached

log = logging.getLogger(__name__)

START_LIMIT_S = 30.0
_POLL_S = 0.01
# systemd keeps these user ids for services that exist only while they run; nobody else has files under them.
_DYNAMIC_UIDS = range(61184, 65520)
_SMALL_SHM_BYTES = 512 * 1024 * 1024
_sandbox_works: bool | None = None  # learnt at the first start


class BrowserFailed(RuntimeError):
    """Chromium did not start; the message holds its last words."""


class Browser(Struct, frozen=True, forbid_unknown_fields=True):
    """A running Chromium, as plain data."""

    process: Process
    folder: str
    socket: str  # ws:// address of the whole browser's DevTools
    sandboxed: bool

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self.process.is_alive


async def launch(*, proxy: str = "", viewport: tuple[int, int] = (1280, 720), noted_in: Path | None = None) -> Browser:
    """Start Chromium; all that its pages load goes through `proxy` ("host:port") where one is given.

    `noted_in` is the folder in which it is written down, for `end_noted`.
    """
    global _sandbox_works
    if _sandbox_works is not False:
        try:
            browser = await _start(proxy, viewport, noted_in, sandboxed=True)
        except BrowserFailed as failure:
            if "sandbox" not in str(failure).lower() and "namespace" not in str(failure).lower():
                raise
            log.warning("this machine does not let Chromium use its own sandbox; browsers run without it")
            _sandbox_works = False
        else:
            _sandbox_works = True
            return browser
    return await _start(proxy, viewport, noted_in, sandboxed=False)


async def end(browser: Browser) -> None:
    """End the browser with all its processes and remove its folder; safe to repeat."""
    await end_group(browser.process)
    await remove(Path(browser.folder))


async def _start(proxy: str, viewport: tuple[int, int], noted_in: Path | None, *, sandboxed: bool) -> Browser:
    folder = Path(tempfile.mkdtemp(prefix="belay-browser-"))
    options = _as_plain_user(folder)
    command = [str(find_chromium()), *_flags(folder, proxy, viewport)]
    if not sandboxed:
        command.append("--no-sandbox")
    words = folder / "log"
    note = None if noted_in is None else noted_in / f"browser{NOTE}"
    with words.open("wb") as out:
        options |= {"stderr": out, "env": _environment(folder)}
        process, running = start_detached([*command, "about:blank"], note=note, leaves=[folder], **options)
    try:
        port = await _active_port(folder / "DevToolsActivePort", running)
    except BaseException as failure:
        last = words.read_text(errors="replace")[-2000:]
        await end_group(process)
        await remove(folder)
        if isinstance(failure, BrowserFailed):
            raise BrowserFailed(f"{failure}\n{last}") from None
        raise
    return Browser(process, str(folder), port, sandboxed)


async def _active_port(file: Path, running: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):
            lines = file.read_text().splitlines()  # noqa: ASYNC240  # two short lines
            if len(lines) == 2:  # the port, then the path; written in two goes
                return f"ws://127.0.0.1:{int(lines[0])}{lines[1]}"
        if running.poll() is not None:
            raise BrowserFailed(f"Chromium ended at once with status {running.returncode}.")
        await asyncio.sleep(_POLL_S)
    raise BrowserFailed(f"Chromium did not open its DevTools port within {START_LIMIT_S:.0f} s.")


def _as_plain_user(folder: Path) -> dict[str, Any]:
    """Chromium refuses its sandbox as root, so root starts it as a user id that owns nothing but its folder."""
    if os.geteuid() != 0:
        return {}
    for uid in (random.choice(_DYNAMIC_UIDS), 65534):  # noqa: S311  # only meant to differ between sessions
        try:
            os.chown(folder, uid, uid)
        except OSError:  # a container whose user namespace lacks these ids
            continue
        return {"user": uid, "group": uid, "extra_groups": []}
    return {}


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of ours leaks into the browser: no keys, no proxies, a home of its own, one language and clock."""
    kept = {name: os.environ[name] for name in ("PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH") if name in os.environ}
    return {
        **kept,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "en_US.UTF-8",
        "LANGUAGE": "en_US",
        "TZ": "UTC",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
    }


def _flags(folder: Path, proxy: str, viewport: tuple[int, int]) -> list[str]:
    flags = [
        "--headless=new",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        f"--window-size={viewport[0]},{viewport[1]}",
        "--lang=en-US",
        "--accept-lang=en-US,en",
        "--force-device-scale-factor=1",
        "--force-color-profile=srgb",
        "--force-prefers-reduced-motion",
        "--hide-scrollbars",
        "--font-render-hinting=none",
        "--disable-frame-rate-limit",
        "--disable-gpu-vsync",
        "--disable-gpu",
        "--no-first-run",
        "--no-default-browser-check",
        "--no-pings",
        "--mute-audio",
        "--disable-background-networking",
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-breakpad",
        "--disable-client-side-phishing-detection",
        "--disable-component-update",
        "--disable-component-extensions-with-background-pages",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-hang-monitor",
        "--disable-popup-blocking",
        "--disable-prompt-on-repost",
        "--disable-search-engine-choice-screen",
        "--disable-sync",
        "--metrics-recording-only",
        "--password-store=basic",
        "--use-mock-keychain",
        "--disable-quic",
        # Both names: which one a build knows differs.
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-features=AutofillServerCommunication,BackForwardCache,DialMediaRouteProvider,MediaRouter,"
        "HttpsUpgrades,OptimizationHints,Translate,WebTransport,PasswordManagerOnboarding,Prerender2,PaintHolding",
    ]
    if proxy:
        # "<-loopback>" puts loopback addresses, too, behind the proxy.
        flags += [f"--proxy-server=http://{proxy}", "--proxy-bypass-list=<-loopback>"]
    if sys.platform == "linux" and _shm_is_small():
        flags.append("--disable-dev-shm-usage")
    return flags


def _shm_is_small() -> bool:
    try:
        return shutil.disk_usage("/dev/shm").free < _SMALL_SHM_BYTES  # noqa: S108  # asked for its size only
    except OSError:
        return True
