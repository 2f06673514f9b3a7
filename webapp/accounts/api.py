"""HTTP of accounts."""

from ninja import Router

router = Router(tags=["accounts"])
