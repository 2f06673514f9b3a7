"""`python manage.py session_host`: claims queued sessions and drives their browsers until told to stop."""

import asyncio
import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from webapp.agent_sessions.host import Host
from webapp.agent_sessions.policies import Policies


class Command(BaseCommand):
    """Runs one session host; as many as wanted may run."""

    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        asyncio.run(_run())


async def _run() -> None:
    host = Host(policies=Policies(), slots=settings.SESSION_SLOTS, folder=settings.STATE_DIR / "sessions")
    loop = asyncio.get_running_loop()
    for signal_ in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_, host.leave)
    await host.run()
