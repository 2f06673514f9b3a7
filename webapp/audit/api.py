"""HTTP of audit."""

from ninja import Router

router = Router(tags=["audit"])
