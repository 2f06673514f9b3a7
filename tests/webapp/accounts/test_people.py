"""Admins make and change people; nobody locks the last door from inside."""

from typing import Any

import pytest
from django.test import Client

from tests.builders import a_user
from webapp.accounts.models import Role, User
from webapp.audit.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return a_user(Role.ADMIN, username="ada")


@pytest.fixture
def client(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def new(client: Client, **changed: str) -> tuple[int, dict[str, Any]]:
    body = {"username": "max", "role": "reviewer", "password": "a long enough one", **changed}
    response = client.post("/api/people", body, content_type="application/json")
    return response.status_code, response.json()


def test_a_new_person_can_sign_in_with_their_role(client: Client) -> None:
    status, body = new(client)
    assert (status, body["role"]) == (201, "reviewer")
    assert Client().login(username="max", password="a long enough one")


@pytest.mark.parametrize(
    ("field", "value"),
    [("password", "short"), ("password", "password1234"), ("username", ""), ("username", "a b"), ("role", "king")],
)
def test_what_cannot_be_taken_is_named(client: Client, field: str, value: str) -> None:
    status, body = new(client, **{field: value})
    assert status == 422
    assert list(body["errors"]) == [field]
    assert not User.objects.filter(role=Role.REVIEWER).exists()


@pytest.mark.parametrize("name", ["max", "Max", "m\u0430x"], ids=["same", "capital", "cyrillic"])
def test_a_name_or_what_looks_like_it_is_taken_once(client: Client, name: str) -> None:
    new(client)
    assert new(client, username=name)[0] == 422


def test_a_change_is_written_down_before_and_after(client: Client, ada: User) -> None:
    max_ = a_user(username="max")
    response = client.patch(f"/api/people/{max_.pk}", {"role": "reviewer"}, content_type="application/json")
    entry = AuditEntry.objects.get(verb="user.change")
    assert (response.status_code, response.json()["role"]) == (200, "reviewer")
    assert (entry.user, (entry.before or {})["role"], (entry.after or {})["role"]) == (ada, "operator", "reviewer")


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": "operator"}])
def test_admins_cannot_take_their_own_rights_away(client: Client, ada: User, change: dict[str, object]) -> None:
    response = client.patch(f"/api/people/{ada.pk}", change, content_type="application/json")
    ada.refresh_from_db()
    assert (response.status_code, ada.role, ada.is_active) == (409, Role.ADMIN, True)
