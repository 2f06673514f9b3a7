"""One shape for every error that leaves the API: RFC 9457 problem details."""

from collections.abc import Mapping
from typing import Any


class Problem(Exception):
    """An error with a status; `detail` says what to do, `errors` names fields, `extra` adds members."""

    status = 500
    title = "Internal error"

    def __init__(self, detail: str, *, errors: Mapping[str, str] | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = dict(errors or {})
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """The problem document."""
        body: dict[str, Any] = {
            "type": f"about:blank#{type(self).__name__}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **self.extra,
        }
        if self.errors:
            body["errors"] = self.errors
        return body


class BadInput(Problem):
    """Input that cannot be taken; `errors` says which field and why."""

    status = 422
    title = "Bad input"


class NotSignedIn(Problem):
    """Nobody is signed in."""

    status = 401
    title = "Not signed in"


class Forbidden(Problem):
    """Somebody is signed in but may not do this."""

    status = 403
    title = "Not allowed"


class NotFound(Problem):
    """Absent, or not for this person to know of."""

    status = 404
    title = "Not found"


class MethodNotAllowed(Problem):
    """The address is right and the method is not."""

    status = 405
    title = "Method not allowed"


class Conflict(Problem):
    """The thing is no longer in the state this was meant for."""

    status = 409
    title = "Conflict"


class TooLarge(Problem):
    """More than is taken at once."""

    status = 413
    title = "Too large"


class TooManyRequests(Problem):
    """Too many tries; wait."""

    status = 429
    title = "Too many requests"
