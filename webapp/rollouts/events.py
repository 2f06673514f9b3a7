"""What live pages and session hosts hear about policies and rollouts."""

import json

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import connection, transaction


def changed(*, wake_hosts: bool = False) -> None:
    """After commit, tell open lists to fetch rollouts again; inside the transaction, wake the hosts if asked."""
    if wake_hosts:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify('belay', %s)", [json.dumps({"kind": "human_only"})])
    transaction.on_commit(_hint)


def _hint() -> None:
    layer = get_channel_layer()
    async_to_sync(layer.group_send)("lists", {"type": "list.hint", "topic": "rollouts"})
