"""Addresses of the sockets."""

from django.urls import path, re_path

from webapp.agent_sessions.consumers import FramesConsumer, ListsConsumer, NowhereConsumer, SessionConsumer

websocket_urlpatterns = [
    path("ws/sessions/<int:session_id>", SessionConsumer.as_asgi()),
    path("ws/sessions/<int:session_id>/frames", FramesConsumer.as_asgi()),
    path("ws/lists", ListsConsumer.as_asgi()),
    re_path("", NowhereConsumer.as_asgi()),
]
