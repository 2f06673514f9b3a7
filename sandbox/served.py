"""A world's server in a process of its own: started, waited for until it has told where it listens, found again."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from sandbox.browser.processes import NOTE, Process, start_detached
from sandbox.registry import SessionLost

START_LIMIT_S = 20.0
_POLL_S = 0.01


async def start(module: str, folder: Path, *, tells: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Run `python -m module folder ...` until it has written the file `tells`; returns JSON by which `find` finds it.

    What that file says stays in the folder. Raises RuntimeError with the process's last words where it ends first,
    TimeoutError where it does not come up.
    """
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  # local
    (folder / tells).unlink(missing_ok=True)  # local
    process, running = _launch([sys.executable, "-m", module, str(folder), *arguments], folder)
    async with asyncio.timeout(START_LIMIT_S):
        while not (folder / tells).exists() and running.poll() is None:  # noqa: ASYNC110  # another process's file: no event
            await asyncio.sleep(_POLL_S)
    if running.poll() is not None:
        last = (folder / "server.log").read_text(errors="replace")[-500:]
        raise RuntimeError(f"{module} did not start: {last}")
    return {"process": msgspec.to_builtins(process), "folder": str(folder)}


def find(state: dict[str, Any], *, tells: str) -> tuple[Process, bytes]:
    """The process of this state, and what it told. Raises SessionLost where it is gone."""
    process = msgspec.convert(state["process"], type=Process)
    file = Path(state["folder"]) / tells
    if not process.is_alive or not file.exists():
        raise SessionLost(f"the process that told {tells} is gone")
    return process, file.read_bytes()


def _launch(argv: Sequence[str], folder: Path) -> "tuple[Process, subprocess.Popen[bytes]]":
    with (folder / "server.log").open("ab") as log:
        return start_detached(argv, note=folder / f"server{NOTE}", stderr=log)
