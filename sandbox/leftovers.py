"""What a killed owner leaves running: found by the notes in its folder, ended and removed."""

import os
import tempfile
from pathlib import Path

import msgspec

from sandbox.browser.processes import Process, end_noted, end_strays, started_at, write_private

_OWNER = "owner"
_PREFIX = "belay-gym-"


async def clear_away(folder: Path) -> None:
    """End every process that was written down under a session's folder, and remove it; safe to repeat."""
    await end_noted(folder)


async def clear_strays(folder: Path) -> list[int]:
    """End what runs for sessions under this folder though their own folders are gone; the groups that were ended."""
    return await end_strays(folder)


def owned_folder() -> Path:
    """A new temporary folder for what must not outlive this process; `clear_orphans` of a later one sees to that."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    me = Process(os.getpid(), started_at(os.getpid()))
    write_private(folder / _OWNER, msgspec.json.encode(me))
    return folder


async def clear_orphans() -> None:
    """Clear away the owned folders of processes that are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):  # noqa: ASYNC240  # local
        if _is_orphan(folder):
            await end_noted(folder)


def _is_orphan(folder: Path) -> bool:
    try:
        # Everybody may write beside us here: what another user has put down is no note of ours to act on.
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            return False
        owner = msgspec.json.decode((folder / _OWNER).read_bytes(), type=Process)
    except FileNotFoundError:  # being made, or being removed
        return False
    return not owner.is_alive
