"""Sockets: numbered events of one session, frames of its browser, hints for lists. They only tell."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import redis.asyncio as redis
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer, AsyncWebsocketConsumer
from django.conf import settings

from webapp.accounts.models import User
from webapp.agent_sessions import frames, queries
from webapp.agent_sessions.schemas import EventView

NOT_SIGNED_IN = 4401
NOT_FOUND = 4404
LOOK_ANYWAY_S = 5.0  # a hint may be lost; the rows are not


@database_sync_to_async
def may_still_see(user_id: int) -> bool:
    """Whether this person, who was signed in when they came, is still one of ours."""
    return User.objects.filter(pk=user_id, is_active=True).exists()


class SessionConsumer(AsyncJsonWebsocketConsumer):
    """`hello` with the last number, then every event after it, in order and without a gap."""

    async def connect(self) -> None:
        self.sent = -1
        self.lock = asyncio.Lock()
        if not self.scope["user"].is_authenticated:
            await self.accept()
            await self.close(NOT_SIGNED_IN)
            return
        self.session_id = int(self.scope["url_route"]["kwargs"]["session_id"])
        self.group = f"session.{self.session_id}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        seq = await database_sync_to_async(queries.last_seq)(self.session_id)
        await self.accept()
        if seq is None:
            await self.close(NOT_FOUND)
            return
        self.sent = seq
        await self.send_json({"kind": "hello", "seq": seq})
        self.net = asyncio.create_task(self._look_anyway())

    async def disconnect(self, code: int) -> None:
        if self.sent >= 0:
            self.net.cancel()
        if hasattr(self, "group"):
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def session_hint(self, message: dict[str, Any]) -> None:
        if 0 <= self.sent < message["seq"]:
            await self._catch_up()

    async def _look_anyway(self) -> None:
        while True:
            await asyncio.sleep(LOOK_ANYWAY_S)
            if not await may_still_see(self.scope["user"].pk):
                await self.close(NOT_SIGNED_IN)
                return
            await self._catch_up()

    async def _catch_up(self) -> None:
        async with self.lock:
            for event in await database_sync_to_async(queries.events_after)(self.session_id, self.sent):
                await self.send_json(EventView.from_orm(event).model_dump(mode="json"))
                self.sent = event.seq


class FramesConsumer(AsyncWebsocketConsumer):
    """JPEGs of one session's browser: the last one at once, then each as it comes, straight from Valkey."""

    async def connect(self) -> None:
        self.relay: asyncio.Task[None] | None = None
        await self.accept()
        if not self.scope["user"].is_authenticated:
            await self.close(NOT_SIGNED_IN)
            return
        session_id = int(self.scope["url_route"]["kwargs"]["session_id"])
        if await database_sync_to_async(queries.last_seq)(session_id) is None:
            await self.close(NOT_FOUND)
            return
        self.relay = asyncio.create_task(self._relay(session_id))

    async def disconnect(self, code: int) -> None:
        if self.relay is not None:
            self.relay.cancel()
            with suppress(asyncio.CancelledError):
                await self.relay

    async def _relay(self, session_id: int) -> None:
        async with redis.from_url(settings.VALKEY_URL) as valkey, valkey.pubsub() as pubsub:
            await pubsub.subscribe(frames.channel(session_id))
            await frames.look(valkey, session_id)
            last = await valkey.get(frames.latest(session_id))
            if last:
                await self.send(bytes_data=last)
            ask_at = time.monotonic() + LOOK_ANYWAY_S
            while True:
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=frames.REFRESH_S)
                if message is not None:
                    await self.send(bytes_data=message["data"])
                if time.monotonic() > ask_at:
                    if not await may_still_see(self.scope["user"].pk):
                        await self.close(NOT_SIGNED_IN)
                        return
                    ask_at = time.monotonic() + LOOK_ANYWAY_S
                await frames.look(valkey, session_id)


class NowhereConsumer(AsyncWebsocketConsumer):
    """An address that leads nowhere says so."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)


class ListsConsumer(AsyncJsonWebsocketConsumer):
    """Tells which lists to fetch again."""

    async def connect(self) -> None:
        await self.accept()
        if not self.scope["user"].is_authenticated:
            await self.close(NOT_SIGNED_IN)
            return
        await self.channel_layer.group_add("lists", self.channel_name)

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard("lists", self.channel_name)

    async def list_hint(self, message: dict[str, Any]) -> None:
        await self.send_json({"topic": message["topic"]})
