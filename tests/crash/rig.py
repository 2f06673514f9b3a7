"""Hosts that a test starts and ends, a ticket for them, and what the console itself says was done."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from asgiref.sync import async_to_sync

from benchmarks.client import until
from sandbox import sessions as sandbox
from sandbox.contracts import storage
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.instance import ConsoleWorld
from sandbox.worlds.console.tasks import ENVIRONMENT
from tests.builders import a_user
from webapp.accounts.models import Role, User
from webapp.agent_sessions import actions, approvals
from webapp.agent_sessions.models import Session, Step
from webapp.agent_sessions.states import ENDED, SessionState, StepState
from webapp.problems import Conflict
from webapp.rollouts.actions import point_alias
from webapp.rollouts.models import Alias, PolicyVersion

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = "cloud/create-security-group"


class HostProcess:
    """A session host that can be killed."""

    def __init__(self, **points: str) -> None:
        env = {**os.environ, "BELAY_TESTING": "1", **points}
        argv = [sys.executable, "-m", "tests.crash.host_with_oracle"]
        self.process = subprocess.Popen(argv, cwd=ROOT, env=env)

    def killed_itself(self) -> bool:
        """Whether it reached its crash point."""
        return self.process.wait(60) == -signal.SIGKILL

    def kill(self) -> None:
        """kill -9, whatever it does."""
        self.process.kill()
        self.process.wait(30)

    def is_stalled(self) -> bool:
        """Whether it reached its stall point."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "T"

    def go_on(self) -> None:
        """Wake it from its stall."""
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def a_host(**points: str) -> Iterator[HostProcess]:
    """A host for the length of a block; it leaves in peace at the end if it still can."""
    host = HostProcess(**points)
    try:
        yield host
    finally:
        if host.process.poll() is None:
            host.process.send_signal(signal.SIGCONT)
            host.process.terminate()
            try:
                host.process.wait(15)
            except subprocess.TimeoutExpired:
                host.kill()


def a_filed_ticket(template: str = TEMPLATE, *, seed: int = 7) -> tuple[Session, User]:
    """A ticket with a queued session, and a reviewer who did not file it."""
    policy = PolicyVersion.objects.create(number=1, source="starter", content_hash="a" * 64, storage_key="policies/a")
    filer, reviewer = a_user(Role.OPERATOR), a_user(Role.REVIEWER)
    point_alias(name=Alias.Name.CHAMPION, policy=policy, user=None, how="system")
    task = sandbox.sample(template, seed=seed, split="test")
    ticket = actions.file_ticket(
        user=filer,
        how="web",
        environment=task.environment,
        template=template,
        parameters=sandbox.parameters_of(task),
    )
    return ticket.sessions.get(), reviewer


def wait_for(what: str, ask: Callable[[], bool], *, within_s: float = 60.0) -> None:
    """Until it is so."""
    until(lambda: ask() or None, within_s=within_s, what=what)


def open_step(session: Session) -> Step | None:
    """The step that people are asked about."""
    return session.steps.filter(state=StepState.PROPOSED, approval__state="pending").order_by("-index").first()


def approve(session: Session, reviewer: User, step: Step) -> None:
    """Say yes."""
    approvals.decide(
        session_id=session.pk,
        proposal_id=str(step.proposal_id),
        fingerprint=step.fingerprint,
        decision="approved",
        user=reviewer,
        how="web",
    )


def approve_until(session: Session, reviewer: User, is_enough: Callable[[], bool], *, within_s: float = 90.0) -> None:
    """Approve whatever is asked until something is so."""
    limit = time.monotonic() + within_s
    while not is_enough():
        step = open_step(session)
        if step is not None:
            with suppress(Conflict):  # the page changed under it; it is asked again
                approve(session, reviewer, step)
        if time.monotonic() > limit:
            raise TimeoutError(f"session {session.pk} got no further than {state_of(session)}: {session.end_reason}")
        time.sleep(0.02)


def state_of(session: Session) -> SessionState:
    """As the row says now."""
    session.refresh_from_db()
    return SessionState(session.state)


def has_ended(session: Session) -> bool:
    """Whether it is over."""
    return state_of(session) in ENDED


def is_put_away(session: Session) -> bool:
    """Whether it is over, and its browser closed."""
    return has_ended(session) and session.handle is None


def writes(session: Session) -> list[tuple[str, str]]:
    """The console's own audit log: (event, object's name) of each write that the browser caused."""
    session.refresh_from_db()
    handle: sandbox.Handle = storage.from_builtins(session.handle, sandbox.Handle)

    async def ask() -> list[tuple[str, str]]:
        world = ConsoleWorld(ENVIRONMENT, CLOUD)
        await world.resume(handle.world)
        return [(entry.event, entry.label) for entry in (await world.world(handle.task)).audit if entry.accepted]

    return async_to_sync(ask)()


def is_submit(step: Step | None) -> bool:
    """Whether this is the one click that makes the console write."""
    return step is not None and step.risk == "cost"


def is_finish(step: Step | None) -> bool:
    """Whether this is the question whether the work is done."""
    return step is not None and (step.action or {})["kind"] == "finish"


def approve_up_to_submit(session: Session, reviewer: User) -> Step:
    """Approve everything before the click that makes the console write; that one is left open."""
    return _approve_up_to(session, reviewer, is_submit)


def approve_up_to_finish(session: Session, reviewer: User) -> Step:
    """Approve everything but the end."""
    return _approve_up_to(session, reviewer, is_finish)


def _approve_up_to(session: Session, reviewer: User, is_it: Callable[[Step | None], bool]) -> Step:
    limit = time.monotonic() + 90.0
    while time.monotonic() < limit:
        step = open_step(session)
        if step is not None and is_it(step):
            return step
        if step is not None:
            with suppress(Conflict):  # the page changed under it; it is asked again
                approve(session, reviewer, step)
        time.sleep(0.02)
    raise TimeoutError(f"session {session.pk} got no further than {state_of(session)}: {session.end_reason}")


def browser_of(session: Session) -> dict[str, object]:
    """Which browser works on it."""
    session.refresh_from_db()
    return dict((session.handle or {})["browser"])


def put_away_everything() -> None:
    """End the browsers and consoles of sessions that a test left as they were."""
    for row in Session.objects.exclude(handle=None).values_list("handle", flat=True):
        handle: sandbox.Handle = storage.from_builtins(row, sandbox.Handle)
        async_to_sync(sandbox.cut_off)(handle)
