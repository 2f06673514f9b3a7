"""Sockets tell in order and without a gap, to those who are signed in; frames come straight from Valkey."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis.asyncio as redis
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from tests.webapp.agent_sessions.cast import a_scene
from webapp.agent_sessions import consumers, frames
from webapp.agent_sessions.consumers import NOT_FOUND, NOT_SIGNED_IN
from webapp.agent_sessions.routing import websocket_urlpatterns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
in_db = database_sync_to_async


class Socket:
    """One client's side of a socket, without a server between."""

    def __init__(self, path: str, user: Any) -> None:
        scope = {"type": "websocket", "path": path, "user": user, "headers": [], "query_string": b""}
        self.app: Any = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)  # type: ignore[no-untyped-call]  # asgiref ships no types for it

    async def hear(self) -> Any:
        """The next message: JSON, bytes, or the code it was closed with."""
        output = await self.app.receive_output(timeout=20)
        if output["type"] == "websocket.close":
            return output["code"]
        return output["bytes"] if output.get("bytes") else json.loads(output["text"])


@asynccontextmanager
async def a_socket(path: str, user: Any) -> AsyncIterator[Socket]:
    """An open socket of this person."""
    socket = Socket(path, user)
    await socket.app.send_input({"type": "websocket.connect"})
    assert (await socket.app.receive_output(timeout=20))["type"] == "websocket.accept"
    yield socket
    await socket.app.send_input({"type": "websocket.disconnect", "code": 1000})
    await socket.app.wait(timeout=20)


@pytest.mark.asyncio
async def test_every_event_after_hello_comes_once_and_in_order() -> None:
    scene = await in_db(a_scene)()
    async with a_socket(f"/ws/sessions/{scene.session_id}", scene.reviewer) as socket:
        hello = await socket.hear()
        assert hello == {"kind": "hello", "seq": (await in_db(lambda: scene.session)()).event_seq}
        await in_db(scene.propose)()
        told = [await socket.hear() for _ in range(3)]
    assert [event["seq"] for event in told] == [hello["seq"] + n for n in (1, 2, 3)]
    assert [event["kind"] for event in told] == ["step_changed", "session_changed", "approval_changed"]


@pytest.mark.asyncio
async def test_lists_hear_that_there_is_a_question() -> None:
    scene = await in_db(a_scene)()
    async with a_socket("/ws/lists", scene.reviewer) as socket:
        await in_db(scene.propose)()
        assert await socket.hear() == {"topic": "approvals"}


@pytest.mark.asyncio
async def test_a_viewer_sees_the_last_frame_at_once_and_then_each_as_it_comes() -> None:
    scene = await in_db(a_scene)()
    async with redis.from_url(settings.VALKEY_URL) as valkey:
        await frames.publish(valkey, scene.session_id, b"first")
        assert not await frames.is_watched(valkey, scene.session_id)
        async with a_socket(f"/ws/sessions/{scene.session_id}/frames", scene.reviewer) as socket:
            assert await socket.hear() == b"first"
            assert await frames.is_watched(valkey, scene.session_id)
            await frames.publish(valkey, scene.session_id, b"second")
            assert await socket.hear() == b"second"


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/ws/sessions/1", "/ws/sessions/1/frames", "/ws/lists"])
async def test_nobody_who_is_not_signed_in_hears_anything(path: str) -> None:
    async with a_socket(path, AnonymousUser()) as socket:
        assert await socket.hear() == NOT_SIGNED_IN


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/ws/sessions/999999", "/ws/sessions/999999/frames"])
async def test_a_session_that_is_not_there_says_so(path: str) -> None:
    scene = await in_db(a_scene)()
    async with a_socket(path, scene.reviewer) as socket:
        assert await socket.hear() == NOT_FOUND


@pytest.mark.asyncio
async def test_a_socket_that_leads_nowhere_says_so() -> None:
    async with a_socket("/ws/nothing", AnonymousUser()) as socket:
        assert await socket.hear() == NOT_FOUND


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["", "/frames"])
async def test_who_may_no_longer_sign_in_sees_no_more(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "LOOK_ANYWAY_S", 0.2)
    monkeypatch.setattr(frames, "REFRESH_S", 0.2)
    scene = await in_db(a_scene)()
    async with a_socket(f"/ws/sessions/{scene.session_id}{what}", scene.reviewer) as socket:
        scene.reviewer.is_active = False
        await in_db(scene.reviewer.save)()
        heard = [await socket.hear() for _ in range({"": 2, "/frames": 1}[what])]
    assert heard[-1] == NOT_SIGNED_IN
