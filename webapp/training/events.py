"""What live pages hear about training."""

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction


def changed() -> None:
    """After commit, tell open lists and run pages to fetch again."""
    transaction.on_commit(_hint)


def _hint() -> None:
    layer = get_channel_layer()
    async_to_sync(layer.group_send)("lists", {"type": "list.hint", "topic": "training"})
