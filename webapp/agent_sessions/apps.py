"""Django's entry for this app."""

from django.apps import AppConfig


class AgentSessionsConfig(AppConfig):
    name = "webapp.agent_sessions"
    label = "agent_sessions"
