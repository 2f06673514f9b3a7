"""A person at the HTTP API: what benchmarks and journeys use to act as operator, reviewer and admin."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

T = TypeVar("T")
ENDED = {"completed", "failed", "rejected", "cancelled", "timed_out"}


class Person:
    """One signed-in person."""

    def __init__(self, base_url: str, username: str, password: str) -> None:
        self.http = httpx.Client(base_url=base_url, timeout=30, trust_env=False)
        self.http.get("/api/csrf").raise_for_status()
        self.post("/api/auth/sign-in", {"username": username, "password": password})

    def get(self, path: str, **query: Any) -> Any:
        """GET a JSON answer; raises httpx.HTTPStatusError."""
        return _body(self.http.get(path, params=query))

    def post(self, path: str, body: Any = None) -> Any:
        """POST JSON with the CSRF token; raises httpx.HTTPStatusError."""
        return _body(self.http.post(path, json=body if body is not None else {}, headers=self.headers()))

    def put(self, path: str, body: Any) -> Any:
        """PUT JSON with the CSRF token; raises httpx.HTTPStatusError."""
        return _body(self.http.put(path, json=body, headers=self.headers()))

    def headers(self) -> dict[str, str]:
        return {"X-CSRFToken": self.http.cookies.get("csrftoken") or ""}


def _body(response: httpx.Response) -> Any:
    if response.is_error:
        raise httpx.HTTPStatusError(
            f"{response.request.method} {response.request.url.path}: {response.status_code} {response.text[:500]}",
            request=response.request,
            response=response,
        )
    return response.json() if response.content else None


def until(ask: Callable[[], T | None], *, within_s: float, what: str, every_s: float = 0.05) -> T:
    """Ask until there is an answer. Raises TimeoutError naming what was waited for."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        answer = ask()
        if answer is not None:
            return answer
        time.sleep(every_s)
    raise TimeoutError(f"waited {within_s:.0f} s for {what}")
