"""What live pages and session hosts hear about policies and rollouts."""

import json

from django.db import connection

from webapp.hints import lists_changed


def changed(*, wake_hosts: bool = False) -> None:
    """After commit, tell open lists to fetch rollouts again and, if asked, wake the hosts."""
    if wake_hosts:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify('belay', %s)", [json.dumps({"kind": "human_only"})])
    lists_changed("rollouts")
