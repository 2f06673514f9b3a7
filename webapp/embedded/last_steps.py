"""What `make down` does to live sessions: browsers and consoles outlive their hosts, so they are ended by name.

`python -m webapp.embedded.last_steps`; loads Django, in a process of its own.
"""

import asyncio
import os

import django


def main() -> None:
    """Cut off every session that still has a browser; its host finds it lost and says so in its row."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    from sandbox import sessions
    from sandbox.contracts import storage
    from webapp.agent_sessions.models import Session

    for handle in Session.objects.filter(handle__isnull=False).values_list("handle", flat=True):
        asyncio.run(sessions.cut_off(storage.from_builtins(handle, sessions.Handle)))


if __name__ == "__main__":
    main()
