"""Sockets tell in order and without a gap, to those who are signed in; frames come straight from Valkey."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis.asyncio as redis
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from tests.webapp.agent_sessions.cast import a_scene
from webapp.agent_sessions import frames
from webapp.agent_sessions.consumers import NOT_FOUND, NOT_SIGNED_IN
from webapp.agent_sessions.routing import websocket_urlpatterns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
in_db = database_sync_to_async


@asynccontextmanager
async def a_socket(path: str, user: Any) -> AsyncIterator[WebsocketCommunicator]:
    """An open socket of this person."""
    socket = WebsocketCommunicator(URLRouter(websocket_urlpatterns), path)
    socket.scope["user"] = user
    connected, _ = await socket.connect(timeout=5)
    assert connected
    yield socket
    await socket.disconnect(timeout=5)


@pytest.mark.asyncio
async def test_every_event_after_hello_comes_once_and_in_order() -> None:
    scene = await in_db(a_scene)()
    async with a_socket(f"/ws/sessions/{scene.session_id}", scene.reviewer) as socket:
        hello = await socket.receive_json_from(timeout=5)
        assert hello == {"kind": "hello", "seq": (await in_db(lambda: scene.session)()).event_seq}
        await in_db(scene.propose)()
        told = [await socket.receive_json_from(timeout=5) for _ in range(3)]
    assert [event["seq"] for event in told] == [hello["seq"] + n for n in (1, 2, 3)]
    assert [event["kind"] for event in told] == ["step_changed", "session_changed", "approval_changed"]


@pytest.mark.asyncio
async def test_lists_hear_that_there_is_a_question() -> None:
    scene = await in_db(a_scene)()
    async with a_socket("/ws/lists", scene.reviewer) as socket:
        await in_db(scene.propose)()
        assert await socket.receive_json_from(timeout=5) == {"topic": "approvals"}


@pytest.mark.asyncio
async def test_a_viewer_sees_the_last_frame_at_once_and_then_each_as_it_comes() -> None:
    scene = await in_db(a_scene)()
    async with redis.from_url(settings.VALKEY_URL) as valkey:
        await frames.publish(valkey, scene.session_id, b"first")
        assert not await frames.is_watched(valkey, scene.session_id)
        async with a_socket(f"/ws/sessions/{scene.session_id}/frames", scene.reviewer) as socket:
            assert await socket.receive_from(timeout=5) == b"first"
            assert await frames.is_watched(valkey, scene.session_id)
            await frames.publish(valkey, scene.session_id, b"second")
            assert await socket.receive_from(timeout=5) == b"second"


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/ws/sessions/1", "/ws/sessions/1/frames", "/ws/lists"])
async def test_nobody_who_is_not_signed_in_hears_anything(path: str) -> None:
    async with a_socket(path, AnonymousUser()) as socket:
        assert await socket.receive_output(timeout=5) == {"type": "websocket.close", "code": NOT_SIGNED_IN}


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/ws/sessions/999999", "/ws/sessions/999999/frames"])
async def test_a_session_that_is_not_there_says_so(path: str) -> None:
    scene = await in_db(a_scene)()
    async with a_socket(path, scene.reviewer) as socket:
        closed = await asyncio.wait_for(socket.receive_output(timeout=5), 5)
    assert (closed["type"], closed["code"]) == ("websocket.close", NOT_FOUND)
