"""The servers and processes that `make up` runs on one machine; imports nothing of Django."""

from webapp.embedded.failures import SetUpFailed
from webapp.embedded.servers import start, stop

__all__ = ["SetUpFailed", "start", "stop"]
