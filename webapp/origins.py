"""Refuses WebSockets that another site's page opens: scheme, host and port must be ours or trusted."""

from typing import Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings


class _Denied(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.close(code=4403)


class SameOrigin:
    """ASGI middleware; Channels' own check looks at the host alone."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if is_allowed(headers.get(b"origin", ""), headers.get(b"host", ""), scope.get("scheme", "ws")):
            return await self.application(scope, receive, send)
        return await _Denied.as_asgi()(scope, receive, send)


def is_allowed(origin: str, host: str, scheme: str) -> bool:
    """Whether a page of this origin may open a socket to this host."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    parts = urlsplit(origin)
    ours = "https" if scheme in ("wss", "https") else "http"
    return bool(host) and parts.scheme == ours and parts.netloc.lower() == host.lower()
