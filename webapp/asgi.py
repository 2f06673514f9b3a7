"""HTTP and WebSocket entry of the web process; loads neither torch nor Ray nor a browser."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("DATABASE_POOL", "8")
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402 - Django must be set up first
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from webapp.agent_sessions.routing import websocket_urlpatterns  # noqa: E402
from webapp.origins import SameOrigin  # noqa: E402

application = ProtocolTypeRouter(
    {"http": http, "websocket": SameOrigin(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))}
)
