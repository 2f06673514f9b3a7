"""One step in Chromium (click, settle, elements, small picture) against BrowserGym's with its sleeps off.

Same machine, same Chromium, same five MiniWoB++ tasks, same clicks, turn by turn. BrowserGym gives more (a whole DOM
snapshot, an accessibility tree, a PNG) and keeps a second browser for its chat; that is what its users pay for a step.
It is installed into a virtual environment under the user's cache folder, the first time this is run.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks import Result
from sandbox.browser.find import find_chromium
from sandbox.browser.page import Page
from sandbox.contracts.actions import ActOutcome, Click
from sandbox.worlds.miniwob.world import MiniWob

PEER = ("browsergym-core==0.14.3", "browsergym-miniwob==0.14.3", "playwright==1.44.0")
CHROMIUM = "chromium-1117"  # as Playwright 1.44 names its own
SCRIPT = Path(__file__).parent / "peers" / "browsergym_steps.py"
TASKS = ("click-checkboxes", "click-option", "click-tab", "login-user", "enter-password")
VIEWPORT = (332, 214)  # BrowserGym's for these tasks
SEED = 1
WALL_BAR, CPU_BAR = 20.0, 8.0
STEPS, QUICK_STEPS = 30, 5
_CLICKED = ("checkbox", "radio", "link", "textbox")
_TICKS = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Seconds for all steps of one task."""

    wall_s: float
    cpu_s: float


def run(*, quick: bool) -> Result:
    """How many times as long, and as many processor seconds, BrowserGym takes for a step."""
    steps = QUICK_STEPS if quick else STEPS
    ours, theirs = asyncio.run(_measure(steps, _peer_python()))
    for name, ours_spent, theirs_spent in zip(TASKS, ours, theirs, strict=True):
        parts = [1000 * each / steps for each in (*ours_spent, *theirs_spent)]
        print(f"{name}: {parts[0]:.1f} ms, CPU {parts[1]:.1f}; BrowserGym {parts[2]:.1f} ms, CPU {parts[3]:.1f}")
    wall = sum(each.wall_s for each in theirs) / sum(each.wall_s for each in ours)
    cpu = sum(each.cpu_s for each in theirs) / sum(each.cpu_s for each in ours)
    print(f"a step takes BrowserGym {wall:.1f} times as long and {cpu:.1f} times the processor time")
    holds = wall >= WALL_BAR and cpu >= CPU_BAR
    bar = f">= {WALL_BAR:g} on wall time and >= {CPU_BAR:g} on CPU ({cpu:.1f})"
    return Result(value=round(wall, 1), unit="times", bar=bar, holds=holds, n=steps * len(TASKS))


async def _measure(steps: int, python: Path) -> tuple[list[Spent], list[Spent]]:
    ours, theirs = list[Spent](), list[Spent]()
    world = MiniWob()
    with tempfile.TemporaryDirectory() as folder:
        await world.start(Path(folder) / "world")
        page = await Page.launch(allow=world.allow, viewport=VIEWPORT)
        peer = _start_peer(python, steps, Path(folder))
        try:
            for name in TASKS:
                _hear(peer)  # it is ready: has begun this task
                ours.append(await _our_steps(page, world.page_url(name, SEED), steps))
                theirs.append(_their_steps(peer))
        finally:
            peer.kill()
            peer.wait()
            await page.close()
            await world.stop()
    return ours, theirs


async def _our_steps(page: Page, url: str, steps: int) -> Spent:
    await page.goto(url)
    usable = [each for each in (await page.observe()).elements if each.role in _CLICKED][:2]
    await page.act(Click(usable[1].ref))
    busy = time.process_time() + tree_seconds(page.browser.process.pid)
    began = time.perf_counter()
    for step in range(steps):
        result, _ = await page.step(Click(usable[step % 2].ref))
        if result.outcome not in (ActOutcome.DONE, ActOutcome.NO_EFFECT):
            raise RuntimeError(f"{url}: {result.outcome}: {result.detail}")
        await page.picture()
    wall = time.perf_counter() - began
    return Spent(wall, time.process_time() + tree_seconds(page.browser.process.pid) - busy)


def _their_steps(peer: "subprocess.Popen[str]") -> Spent:
    busy = tree_seconds(peer.pid)
    _say(peer)
    wall = float(_hear(peer)["wall_s"])
    spent = Spent(wall, tree_seconds(peer.pid) - busy)
    _say(peer)
    return spent


def _hear(peer: "subprocess.Popen[str]") -> dict[str, float]:
    assert peer.stdout is not None
    line = peer.stdout.readline()
    if not line:
        raise RuntimeError(f"BrowserGym ended with status {peer.wait()}; what it said is above")
    told: dict[str, float] = json.loads(line)
    return told


def _say(peer: "subprocess.Popen[str]") -> None:
    assert peer.stdin is not None
    peer.stdin.write("go on\n")
    peer.stdin.flush()


def _start_peer(python: Path, steps: int, folder: Path) -> "subprocess.Popen[str]":
    found = find_spec("miniwob")
    assert found is not None
    assert found.submodule_search_locations is not None
    pages = Path(next(iter(found.submodule_search_locations))) / "html" / "miniwob"
    browser = folder / CHROMIUM / "chrome-linux" / "chrome"
    browser.parent.mkdir(parents=True)
    browser.write_text(f'#!/bin/sh\nexec "{find_chromium()}" "$@"\n')
    browser.chmod(0o755)
    (folder / CHROMIUM / "INSTALLATION_COMPLETE").touch()
    env = {**os.environ, "MINIWOB_URL": f"{pages.as_uri()}/", "PLAYWRIGHT_BROWSERS_PATH": str(folder)}
    argv = [str(python), str(SCRIPT), str(steps), *TASKS]
    return subprocess.Popen(argv, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _peer_python() -> Path:
    """The interpreter of BrowserGym's virtual environment, which is made where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "belay" / "benchmarks" / PEER[0]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing {', '.join(PEER)} into {folder}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PEER], check=True, stdout=sys.stderr)
        (folder / "complete").touch()
    return python


def tree_seconds(pid: int) -> float:
    """Seconds of processor time of a process and all below it, their ended children included."""
    ticks, children = dict[int, int](), dict[int, list[int]]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended meanwhile
        found = int(stat.parent.name)
        ticks[found] = sum(int(number) for number in fields[11:15])
        children.setdefault(int(fields[1]), []).append(found)
    below, total = [pid], 0
    while below:
        one = below.pop()
        total += ticks.get(one, 0)
        below += children.get(one, [])
    return total / _TICKS
