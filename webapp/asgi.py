"""HTTP and WebSocket entry of the web process; loads neither torch nor Ray nor a browser."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("DATABASE_POOL", "8")
http = get_asgi_application()  # sets Django up, which the rest needs

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter

from webapp.agent_sessions.routing import websocket_urlpatterns
from webapp.origins import SameOrigin

application = ProtocolTypeRouter(
    {"http": http, "websocket": SameOrigin(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))}
)
