"""From a claim to a live browser and back: opened anew, found again, or cut off first; closed and packed at the end."""

import logging
import re
from dataclasses import dataclass
from pathlib import Path

from sandbox import sessions as sandbox
from sandbox.contracts import storage
from sandbox.contracts.tasks import Task
from webapp import crashpoints
from webapp.agent_sessions import actions, identity, leases
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.rows import Rows
from webapp.agent_sessions.serial import Serial
from webapp.agent_sessions.states import ENDED, SessionState

log = logging.getLogger(__name__)

FOLDER = re.compile(r"[0-9]+-[0-9]+")  # session and fence


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A live session and the task it works on."""

    live: sandbox.LiveSession
    task: Task


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a claim's row says at the beginning."""

    has_ended: bool
    task: Task
    handle: sandbox.Handle | None


def find(session_id: int) -> Found:
    """Read it."""
    session = Session.objects.only("state", "task", "handle").get(pk=session_id)
    handle = None if session.handle is None else storage.from_builtins(session.handle, sandbox.Handle)
    return Found(has_ended=session.state in ENDED, task=storage.from_builtins(session.task, Task), handle=handle)


def has_ended(session_id: int) -> bool:
    """Whether this session is over."""
    return Session.objects.filter(pk=session_id, state__in=ENDED).exists()


async def open_browser(claim: leases.Claim, *, rows: Rows, folder: Path) -> Opened | None:
    """The live session of a claim; None where it is over or cannot be gone on with, which its row then says."""
    found: Found = await rows.call(find, claim.session_id)
    fate = identity.fate(claim.previous)
    if found.has_ended:
        await _put_away(claim, found, rows)
        return None
    if fate == "elsewhere" and found.handle is not None:
        reason = "the machine that held its browser is gone"
        await rows.call(
            actions.end_held,
            session_id=claim.session_id,
            fence=claim.fence,
            state=SessionState.FAILED,
            reason=reason,
        )
        await rows.call(actions.wind_up, session_id=claim.session_id, fence=claim.fence)
        return None
    live = None
    if found.handle is not None and fate == "gone":
        live = await _attach(found.handle)
    if live is not None:
        await _show(claim, live, rows, anew=False)
        return Opened(live=Serial(live), task=found.task)
    if found.handle is not None:
        # Its host may be stalled rather than dead: nothing it still sends may reach the console.
        log.warning("session %s: cutting off the browser of %s", claim.session_id, claim.previous or "nobody")
        await sandbox.cut_off(found.handle)
    return await _begin(claim, found.task, rows, folder)


async def _begin(claim: leases.Claim, task: Task, rows: Rows, folder: Path) -> Opened:
    for left in folder.glob(f"{claim.session_id}-*"):  # noqa: ASYNC240  # local
        await sandbox.clear_away(left)  # by a host that fell while it opened; no row names it
    place = folder / f"{claim.session_id}-{claim.fence}"
    place.mkdir(parents=True, mode=0o700)
    live = await sandbox.open_session(task, folder=place, reached=crashpoints.reach)
    crashpoints.reach("after_open")
    try:
        await rows.call(leases.remember_browser, session_id=claim.session_id, fence=claim.fence, handle=live.handle)
    except BaseException:
        await live.close()
        raise
    await _show(claim, live, rows, anew=True)
    return Opened(live=Serial(live), task=task)


async def _attach(handle: sandbox.Handle) -> sandbox.LiveSession | None:
    try:
        return await sandbox.attach(handle)
    except sandbox.SessionLost:
        return None


async def _show(claim: leases.Claim, live: sandbox.LiveSession, rows: Rows, *, anew: bool) -> None:
    page = await live.observe()
    await rows.call(leases.opened, session_id=claim.session_id, fence=claim.fence, observation=page, anew=anew)


def abandoned(folder: Path) -> list[Path]:
    """The folders of sessions in which nobody works any more: over, begun anew elsewhere, or gone from the database."""
    return [place for place in folder.glob("*-*") if FOLDER.fullmatch(place.name) and _is_abandoned(place)]


def _is_abandoned(place: Path) -> bool:
    number, _, fence = place.name.partition("-")
    row = Session.objects.filter(pk=int(number)).values("fence", "lease_holder", "handle").first()
    if row is None:
        return True
    if row["handle"] is not None and row["handle"]["folder"] == str(place):
        return False
    # A host that holds it now is opening it; one that has fallen is not.
    return int(fence) < row["fence"] or identity.fate(row["lease_holder"]) == "gone"


async def _put_away(claim: leases.Claim, found: Found, rows: Rows) -> None:
    if found.handle is not None:
        await sandbox.cut_off(found.handle)
    await rows.call(actions.wind_up, session_id=claim.session_id, fence=claim.fence)


async def wind_up(claim: leases.Claim, live: sandbox.LiveSession, *, rows: Rows) -> None:
    """Close the browser of an ended session and pack what happened."""
    crashpoints.reach("before_wind_up")
    await live.close()
    await rows.call(actions.wind_up, session_id=claim.session_id, fence=claim.fence)
