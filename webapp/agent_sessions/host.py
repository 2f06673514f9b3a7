"""The session host: claims sessions and drives each in its own task; run it with `python manage.py session_host`."""

import asyncio
import json
import logging
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import redis.asyncio as redis
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from sandbox import sessions as sandbox
from webapp.agent_sessions import actions, frames, identity, leases, opening
from webapp.agent_sessions.drive import POLL_S, Drive, PolicySource
from webapp.agent_sessions.rows import Rows
from webapp.agent_sessions.session_row import LeaseLost
from webapp.agent_sessions.states import SessionState
from webapp.texts import visible

log = logging.getLogger(__name__)

WATCH_S = 0.25  # how soon a new viewer is noticed
MAX_CLAIMS = 8  # a session whose hosts fail again and again is not begun for ever
MAX_OPENINGS = 3  # nor one whose console lets nobody in
OUR_FAULT = (
    "A fault of Belay's own ended its hosts again and again; their log says which. Re-run the ticket to try anew."
)
PATIENCE_S = 8.0  # how long a leaving host waits for its sessions to come to a stop


class Host:
    """N slots, one database listener, one heartbeat."""

    def __init__(self, *, policies: PolicySource, slots: int, folder: Path) -> None:
        self.policies = policies
        self.slots = slots
        self.folder = folder
        self.holder = identity.holder()
        self.queue = asyncio.Event()
        self.leaving = asyncio.Event()
        self.drives: dict[int, Drive] = {}
        self.claims: dict[int, leases.Claim] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.rows = Rows("host")
        self.beat = Rows("beat")
        self.valkey = redis.from_url(settings.VALKEY_URL)

    async def run(self) -> None:
        """Until `leave` is called."""
        log.info("session host %s, %d slots", self.holder, self.slots)
        await self._clear_away()
        helpers = [asyncio.create_task(each()) for each in (self._listen, self._keep_leases)]
        try:
            await self._claim_forever()
        finally:
            await self._let_go()
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            await self.valkey.aclose()

    def leave(self) -> None:
        """Take no more sessions, and let go of those held at the next step."""
        self.leaving.set()
        self.queue.set()
        for drive in self.drives.values():
            drive.is_leaving = True
            drive.woken.set()

    async def _clear_away(self) -> None:
        """End what hosts of this machine that fell while they opened a session have left running."""
        for place in await self.rows.call(opening.abandoned, self.folder):
            log.warning("clearing away %s", place.name)
            await sandbox.clear_away(place)

    async def _claim_forever(self) -> None:
        while not self.leaving.is_set():
            self.queue.clear()
            claim = None
            if len(self.tasks) < self.slots:
                with suppress(OperationalError, InterfaceError):  # the database is away; ask again soon
                    claim = await self.rows.call(_claim, self.holder)
            if claim is not None:
                task = asyncio.create_task(self._session(claim), name=f"session {claim.session_id}")
                self.claims[claim.session_id] = claim
                self.tasks[claim.session_id] = task
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(self.queue.wait(), POLL_S)

    async def _session(self, claim: leases.Claim) -> None:
        rows = Rows(f"session-{claim.session_id}")
        try:
            await self._drive(claim, rows)
        except LeaseLost as loss:
            log.warning("left alone: %s", loss)
        except asyncio.CancelledError:
            log.warning("session %s: cut short", claim.session_id)
        except Exception as failure:  # the edge of one session: the others go on
            log.exception("session %s: this host could not go on with it", claim.session_id)
            with suppress(OperationalError, InterfaceError, LeaseLost):
                await rows.call(_after_failure, claim, failure)
        finally:
            self.drives.pop(claim.session_id, None)
            self.claims.pop(claim.session_id, None)
            self.tasks.pop(claim.session_id, None)
            self.queue.set()
            with suppress(OperationalError, InterfaceError):
                await rows.close()

    async def _drive(self, claim: leases.Claim, rows: Rows) -> None:
        opened = await opening.open_browser(claim, rows=rows, folder=self.folder)
        if opened is None:
            return
        drive = Drive(
            claim=claim,
            live=opened.live,
            task=opened.task,
            policies=self.policies,
            rows=rows,
            valkey=self.valkey,
        )
        self.drives[claim.session_id] = drive
        if self.leaving.is_set():
            drive.is_leaving = True
        watching = asyncio.create_task(self._watch(drive))
        try:
            await drive.run()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        await drive.pictures.uploaded()
        if drive.is_leaving and not await rows.call(opening.has_ended, claim.session_id):
            await rows.call(leases.release, session_id=claim.session_id, fence=claim.fence)
        else:
            await opening.wind_up(claim, opened.live, rows=rows)

    async def _watch(self, drive: Drive) -> None:
        """Send frames while somebody looks."""
        is_sending = False

        async def send(jpeg: bytes) -> None:
            await frames.publish(self.valkey, drive.session_id, jpeg)

        while True:
            try:
                is_watched = await frames.is_watched(self.valkey, drive.session_id)
            except redis.ConnectionError:
                is_watched = is_sending
            try:
                if is_watched and not is_sending:
                    await send(await drive.live.picture())
                    await drive.live.watch(send)
                if is_sending and not is_watched:
                    await drive.live.unwatch()
                is_sending = is_watched
            except sandbox.PageHangs:
                is_sending = False  # whoever drives it sees to that; then the frames begin anew
            await asyncio.sleep(WATCH_S)

    async def _keep_leases(self) -> None:
        while True:
            began = time.monotonic()
            fences = {session_id: claim.fence for session_id, claim in self.claims.items()}
            try:
                lost = await self.beat.call(leases.renew, holder=self.holder, fences=fences)
            except (OperationalError, InterfaceError):
                log.warning("the database is away; leases are not renewed")
            else:
                self._renewed(fences, lost, began)
            await asyncio.sleep(leases.HEARTBEAT_S)

    def _renewed(self, fences: dict[int, int], lost: set[int], began: float) -> None:
        for session_id, fence in fences.items():
            claim = self.claims.get(session_id)
            if claim is None or claim.fence != fence:
                continue
            if session_id in lost:
                self.tasks[session_id].cancel()
            elif session_id in self.drives:
                self.drives[session_id].fresh_until = began + leases.LEASE_S - 1.0

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except psycopg.OperationalError:
                await asyncio.sleep(1.0)

    async def _hear(self) -> None:
        options = connection.get_connection_params()
        wanted = {name: options[name] for name in ("dbname", "user", "password", "host", "port") if options.get(name)}
        async with await psycopg.AsyncConnection.connect(autocommit=True, **wanted) as link:
            await link.execute("LISTEN belay")
            self._wake_all()  # whatever was said before we listened
            async for notice in link.notifies():
                session_id = json.loads(notice.payload).get("session")
                drive = self.drives.get(session_id)
                if drive is not None:
                    drive.woken.set()
                elif session_id is None:
                    self._wake_all()
                else:
                    self.queue.set()

    def _wake_all(self) -> None:
        self.queue.set()
        for drive in self.drives.values():
            drive.woken.set()

    async def _let_go(self) -> None:
        tasks = list(self.tasks.values())
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE_S)


def _claim(holder: str) -> leases.Claim | None:
    """The next session; those of processes on this machine that are gone count as nobody's."""
    for other in leases.holders(machine=identity.machine()):
        if identity.fate(other) == "gone":
            leases.give_up(holder=other)
    return leases.claim(holder=holder, machine=identity.machine())


def _after_failure(claim: leases.Claim, failure: Exception) -> None:
    """Let the next host try, with the rows and the browser as they are; but not without end."""
    is_shut = isinstance(failure, sandbox.CannotOpen | sandbox.UnknownEnvironment)
    if claim.fence >= (MAX_OPENINGS if is_shut else MAX_CLAIMS):
        reason = f"The console could not be opened: {visible(str(failure.args[0]))}" if is_shut else OUR_FAULT
        actions.end_held(session_id=claim.session_id, fence=claim.fence, state=SessionState.FAILED, reason=reason)
    leases.release(session_id=claim.session_id, fence=claim.fence)
