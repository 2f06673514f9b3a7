"""HTTP of tickets."""

from ninja import Router

router = Router(tags=["tickets"])
