"""What a person's hands amount to, written down: a native dialog that was dismissed is told of on its step."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from sandbox.contracts.actions import Action, ActOutcome, Click
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.takeover import Agree, HandEvent, Pointer
from sandbox.contracts.tasks import Risk
from tests.webapp.agent_sessions.cast import Scene, a_page, a_scene
from webapp.agent_sessions import takeover
from webapp.agent_sessions.drive import Drive
from webapp.agent_sessions.rows import Rows
from webapp.agent_sessions.wheel import Wheel
from webapp.tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)


class AskingConsole:
    """A live session, at the sandbox's door, whose Save asks back by a native dialog."""

    def __init__(self) -> None:
        self._said = ""
        self.permits: list[Risk] = []

    async def hand(self, event: HandEvent, *, permit: Risk = Risk.UNKNOWN) -> Action | None:
        self.permits.append(permit)
        self._said = "" if isinstance(event, Agree) else "confirm: Sure?"
        return Click(1)

    def dialog(self) -> str:
        return self._said

    def held_back(self) -> str:
        return "" if self.permits[-1] is Risk.UNKNOWN else "DELETE /it is destructive; permitted was credential"

    def risk(self, action: Action, observation: Observation) -> Risk:
        return Risk.REVERSIBLE

    async def flush_hand(self) -> Action | None:
        return None


class Driver:
    """The part of a Drive that the wheel turns: real rows, and the console above."""

    def __init__(self, scene: Scene) -> None:
        self.live = AskingConsole()
        self.memory: list[Past] = []
        self._scene = scene
        self._rows = Rows("test")

    async def serve(self) -> None:
        await Wheel(cast(Drive, self)).serve()
        await self._rows.close()

    async def write(self, fn: Callable[..., Any], **fields: Any) -> Any:
        return await self._rows.call(fn, **self._scene.host, **fields)

    async def look_again(self) -> tuple[Observation, str]:
        return a_page(), "b" * 64


def a_driven_scene() -> Scene:
    scene = a_scene()
    takeover.take_over(session_id=scene.session_id, user=scene.reviewer, how="web")
    assert takeover.grant_control(**scene.host)
    inputs: list[HandEvent] = [Pointer(20, 20), Agree()]
    takeover.hand(session_id=scene.session_id, user=scene.reviewer, how="web", inputs=inputs)
    return scene


def test_a_dismissed_dialog_and_the_ok_to_it_are_two_steps() -> None:
    scene = a_driven_scene()
    driver = Driver(scene)
    asyncio.run(driver.serve())
    results = [step.result or {} for step in scene.session.steps.order_by("index")]
    assert [(each["outcome"], each["detail"]) for each in results] == [
        (ActOutcome.NATIVE_DIALOG, "confirm: Sure?"),
        (ActOutcome.DONE, ""),
    ]
    assert [past.result.outcome for past in driver.memory] == [ActOutcome.NATIVE_DIALOG, ActOutcome.DONE]


def test_who_filed_the_ticket_destroys_nothing_by_hand() -> None:
    scene = a_driven_scene()
    Ticket.objects.filter(pk=scene.session.ticket_id).update(filed_by=scene.reviewer)
    driver = Driver(scene)
    asyncio.run(driver.serve())
    assert driver.live.permits == [Risk.CREDENTIAL, Risk.CREDENTIAL]
    last = scene.session.steps.order_by("index").last()
    assert last is not None
    assert (last.result or {})["outcome"] == ActOutcome.BLOCKED_REQUEST
    assert "somebody else must do it" in (last.result or {})["detail"]
