"""Every operation of the API against every kind of caller, out of what each declares; and what may be declared."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from tests.builders import a_user
from webapp.accounts.actions import create_token
from webapp.accounts.models import Role, Scope
from webapp.api import api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

OPEN_TO_ALL = {"GET /api/csrf", "POST /api/auth/sign-in", "GET /api/health"}
WRITES_OF_OPERATORS = {
    "POST /api/auth/sign-out",
    "POST /api/tokens",
    "DELETE /api/tokens/{token_id}",
    "POST /api/tickets",
    "POST /api/tickets/{ticket_id}/cancel",
    "POST /api/tickets/{ticket_id}/rerun",
    "POST /api/sessions/{session_id}/stop",
    "POST /api/sessions/{session_id}/labels",
    "DELETE /api/sessions/{session_id}/labels/{mark_id}",
}
ADMIN_ONLY = re.compile(
    r"/api/(people|audit/verify)|(POST|PUT|PATCH|DELETE) "
    r"/api/(policies|rollouts|training|evaluations|datasets|human-only|environments|labels)"
)


@dataclass(frozen=True)
class Operation:
    """One method of one path, and what it says it needs."""

    method: str
    path: str
    role: str
    scope: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def address(self) -> str:
        """A path to things that do not exist, so that nothing of the matrix depends on rows."""
        return re.sub(r"\{\w+\}", "0", self.path)


def operations() -> Iterator[Operation]:
    schema: dict[str, Any] = api.get_openapi_schema()
    for path, methods in schema["paths"].items():
        for method, body in methods.items():
            yield Operation(method.upper(), path, body.get("x-role", ""), body.get("x-scope", ""))


OPERATIONS = list(operations())
GUARDED = [operation for operation in OPERATIONS if str(operation) not in OPEN_TO_ALL]
WRITES = [operation for operation in OPERATIONS if operation.method != "GET"]


def ask(client: Client, operation: Operation, **headers: str) -> int:
    """The status of a request with an empty body."""
    response = client.generic(
        operation.method, operation.address, json.dumps({}), content_type="application/json", headers=headers
    )
    return int(response.status_code)


def test_the_schema_names_every_operation_once() -> None:
    names = [str(operation) for operation in OPERATIONS]
    assert len(names) == len(set(names)) > 50


def test_all_but_three_operations_declare_what_they_need() -> None:
    assert {str(operation) for operation in OPERATIONS if not operation.role} == OPEN_TO_ALL


def test_operators_write_only_their_own_work() -> None:
    assert {str(operation) for operation in WRITES if operation.role == Role.OPERATOR} == WRITES_OF_OPERATORS


def test_what_changes_the_house_is_for_admins() -> None:
    named = {str(operation) for operation in GUARDED if ADMIN_ONLY.search(str(operation))}
    assert named == {str(operation) for operation in GUARDED if operation.role == Role.ADMIN}


def test_no_token_for_reading_can_write() -> None:
    reading = {str(operation) for operation in WRITES if operation.scope == Scope.READ}
    assert reading == {"POST /api/auth/sign-out"}


def test_strangers_get_401_everywhere() -> None:
    answers = {str(operation): ask(Client(), operation) for operation in GUARDED}
    assert {name: status for name, status in answers.items() if status != 401} == {}


def test_a_made_up_token_gets_401_everywhere() -> None:
    answers = {str(op): ask(Client(), op, authorization="Bearer belay_made-up") for op in GUARDED}
    assert {name: status for name, status in answers.items() if status != 401} == {}


@pytest.mark.parametrize("role", list(Role))
def test_people_may_do_what_their_role_includes_and_nothing_else(role: Role) -> None:
    user = a_user(role)
    wrong = {}
    for operation in GUARDED:
        client = Client()
        client.force_login(user)
        allowed = Role(operation.role).rank <= role.rank
        status = ask(client, operation)
        wrong[str(operation)] = status if (status in {401, 403}) == allowed or status >= 500 else 0
    assert {name: status for name, status in wrong.items() if status} == {}


@pytest.mark.parametrize("scope", list(Scope))
def test_tokens_may_do_what_their_scope_names_and_nothing_else(scope: Scope) -> None:
    _, text = create_token(user=a_user(Role.ADMIN), name="t", scopes=[scope], days=1, how="web")
    answers = {op: ask(Client(enforce_csrf_checks=True), op, authorization=f"Bearer {text}") for op in GUARDED}
    refused = {str(op) for op, status in answers.items() if status in {401, 403}}
    assert refused == {str(op) for op in GUARDED if op.scope != scope}


def test_a_token_is_worth_no_more_than_its_owner() -> None:
    _, text = create_token(user=a_user(Role.OPERATOR), name="t", scopes=list(Scope), days=1, how="web")
    answers = {op: ask(Client(), op, authorization=f"Bearer {text}") for op in GUARDED}
    refused = {str(op) for op, status in answers.items() if status in {401, 403}}
    assert refused == {str(op) for op in GUARDED if op.role != Role.OPERATOR}


def test_a_cookie_without_the_csrf_token_writes_nothing() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_user(Role.ADMIN))
    answers = {str(operation): ask(client, operation) for operation in WRITES}
    assert {name: status for name, status in answers.items() if status != 403} == {}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/me", 401), ("GET", "/api/nothing-here", 404), ("DELETE", "/api/health", 405), ("POST", "/", 405)],
)
def test_every_error_is_a_problem_document(method: str, path: str, status: int) -> None:
    response = Client().generic(method, path)
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    assert set(response.json()) == {"type", "title", "status", "detail"}


@pytest.mark.parametrize("address", ["/api/trajectories/%00", "/api/audit?offset=9223372036854775808"])
def test_what_the_database_cannot_take_is_bad_input(address: str) -> None:
    client = Client()
    client.force_login(a_user(Role.ADMIN))
    response = client.get(address)
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")


def test_a_fault_of_ours_is_a_problem_document_that_tells_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.accounts.queries.people", lambda: 1 / 0)
    client = Client(raise_request_exception=False)
    client.force_login(a_user(Role.ADMIN))
    response = client.get("/api/people")
    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert "division" not in response.content.decode()
