"""A page that stops answering: loaded again the work goes on, and where that does not help people read why it ended."""

import asyncio
from typing import Any

import pytest
import redis.asyncio as redis
from django.conf import settings

from sandbox.contracts import storage
from sandbox.contracts.actions import ActOutcome, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.sessions import CannotOpen, PageHangs, SessionLost, UnknownEnvironment
from tests.webapp.agent_sessions.cast import Scene, a_page, a_scene
from webapp.agent_sessions import host
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.drive import Drive
from webapp.agent_sessions.leases import Claim
from webapp.agent_sessions.rows import Rows
from webapp.agent_sessions.states import SessionState, StepState
from webapp.rollouts.models import PolicyVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


class Door:
    """A live session, as the sandbox's door has it, whose page hangs from the act on, or at the first so many looks."""

    def __init__(self, *, hangs_after_act: bool = False, looks_in_vain: int = 0) -> None:
        self.hangs_after_act, self.looks_in_vain = hangs_after_act, looks_in_vain
        self.acts = 0

    async def observe(self) -> Observation:
        self.looks_in_vain -= 1
        if self.looks_in_vain >= 0 or (self.acts and self.hangs_after_act):
            raise PageHangs("The page hangs.")
        return a_page()

    async def act(self, action: object, *, permit: object) -> ActResult:
        self.acts += 1
        return ActResult(ActOutcome.TIMED_OUT)

    async def picture(self) -> bytes:
        return b"jpeg"

    async def verify(self, answer: str) -> Verification:
        return Verification(Outcome.FAILED)


class NoPolicy:
    """Proposes nothing; the session pauses."""

    async def get(self, version: PolicyVersion, task: Task) -> Policy:
        raise SessionLost("the test is over")


def drive(scene: Scene, door: Door) -> None:
    """A host drives the session until it ends."""
    task: Task = storage.from_builtins(scene.session.task, Task)
    claim = Claim(session_id=scene.session_id, fence=scene.fence, previous="")

    async def run() -> None:
        rows, valkey = Rows("test"), redis.from_url(settings.VALKEY_URL)
        live: Any = door
        try:
            await Drive(claim=claim, live=live, task=task, policies=NoPolicy(), rows=rows, valkey=valkey).run()
        finally:
            await rows.close()
            await valkey.aclose()

    asyncio.run(run())


def test_a_page_that_hangs_for_good_ends_its_session_in_words_and_the_act_is_told() -> None:
    scene = a_scene()
    step = scene.propose()
    decide(**scene.answer(step))
    door = Door(hangs_after_act=True)
    drive(scene, door)
    assert scene.session.state == SessionState.FAILED
    assert scene.session.end_reason == "The page hangs. Re-run the ticket to begin in a new browser."
    assert scene.session.outcome == "failed"
    done = scene.step(step.pk)
    assert (door.acts, done.state, (done.result or {})["outcome"]) == (1, StepState.DONE, "timed_out")


def test_a_page_that_answers_again_is_worked_on() -> None:
    scene = a_scene()
    with pytest.raises(SessionLost, match="the test is over"):
        drive(scene, Door(looks_in_vain=1))
    assert scene.session.state == SessionState.RUNNING


@pytest.mark.parametrize(
    ("shut", "why"),
    [
        (CannotOpen("https://console.example/: net::ERR_CONNECTION_REFUSED"), "https://console.example/: net::ERR"),
        (UnknownEnvironment("there is no environment 'x'"), "there is no environment 'x'"),
    ],
)
def test_a_console_that_lets_nobody_in_ends_the_session_with_its_address_after_three_tries(
    shut: Exception, why: str
) -> None:
    scene = a_scene()
    claim = Claim(session_id=scene.session_id, fence=scene.fence, previous="")
    host._after_failure(claim, shut)
    assert scene.session.state == SessionState.RUNNING
    type(scene.session).objects.filter(pk=scene.session_id).update(fence=host.MAX_OPENINGS)
    host._after_failure(Claim(session_id=scene.session_id, fence=host.MAX_OPENINGS, previous=""), shut)
    assert scene.session.state == SessionState.FAILED
    assert scene.session.end_reason.startswith(f"The console could not be opened: {why}")
