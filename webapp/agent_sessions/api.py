"""HTTP of agent_sessions."""

from ninja import Router

router = Router(tags=["agent_sessions"])
