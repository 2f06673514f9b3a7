"""`python manage.py session_host`: claims queued sessions and drives their browsers until told to stop."""

import asyncio
import logging
import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from webapp.agent_sessions.host import Host
from webapp.agent_sessions.policies import CannotRun, Policies, prove_champion

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Runs one session host; as many as wanted may run."""

    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            prove_champion()
        except CannotRun as problem:
            # People can still take over, and an admin can promote another version: this host is needed for both.
            log.error("%s", problem)
        asyncio.run(_run())


async def _run() -> None:
    host = Host(policies=Policies(), slots=settings.SESSION_SLOTS, folder=settings.STATE_DIR / "sessions")
    loop = asyncio.get_running_loop()
    for signal_ in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_, host.leave)
    await host.run()
