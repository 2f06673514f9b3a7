"""A session host as shipped, but its policy is each task's oracle; the crash tests run it as a process of its own."""

import asyncio
import os
import signal

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up first

from sandbox import sessions  # noqa: E402
from sandbox.contracts.policies import Policy  # noqa: E402
from sandbox.contracts.tasks import Task  # noqa: E402
from webapp.agent_sessions.host import Host  # noqa: E402
from webapp.agent_sessions.policies import CannotRun  # noqa: E402
from webapp.rollouts.models import PolicyVersion  # noqa: E402


class Oracles:
    """Whatever the version, the task's oracle proposes."""

    async def get(self, version: PolicyVersion, task: Task) -> Policy:
        if problem := os.environ.get("CANNOT_RUN"):
            raise CannotRun(problem)
        return sessions.oracle(task)


async def main() -> None:
    """Like `manage.py session_host`."""
    host = Host(policies=Oracles(), slots=settings.SESSION_SLOTS, folder=settings.STATE_DIR / "sessions")
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, host.leave)
    await host.run()


if __name__ == "__main__":
    asyncio.run(main())
