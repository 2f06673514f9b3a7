"""API tokens: shown once, kept as a hash, ending, revocable, and not able to make others."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.builders import a_user
from webapp.accounts.models import ApiToken, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return a_user()


@pytest.fixture
def client(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def make(client: Client, **changed: object) -> dict[str, Any]:
    body = {"name": "ci", "scopes": ["read", "tickets"], "days": 7, **changed}
    response = client.post("/api/tokens", body, content_type="application/json")
    return {"status": response.status_code, **response.json()}


def me(token: object) -> int:
    return int(Client().get("/api/me", headers={"authorization": f"Bearer {token}"}).status_code)


def test_a_token_works_and_its_use_is_noted(client: Client) -> None:
    made = make(client)
    assert me(made["token"]) == 200
    assert ApiToken.objects.get(pk=made["id"]).last_used_at is not None


def test_only_a_hash_of_it_is_kept(client: Client) -> None:
    made = make(client)
    row = ApiToken.objects.get(pk=made["id"])
    assert str(made["token"]) not in str(vars(row))
    assert "token" not in client.get("/api/tokens").json()[0]


def test_it_ends_with_its_days(client: Client) -> None:
    made = make(client)
    ApiToken.objects.filter(pk=made["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert me(made["token"]) == 401


def test_it_ends_when_revoked(client: Client) -> None:
    made = make(client)
    assert client.delete(f"/api/tokens/{made['id']}").status_code == 204
    assert me(made["token"]) == 401
    assert client.get("/api/tokens").json() == []


def test_it_ends_with_its_owner(client: Client, person: User) -> None:
    made = make(client)
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert me(made["token"]) == 401


def test_another_persons_token_is_not_there(client: Client) -> None:
    made = make(client)
    other = Client()
    other.force_login(a_user())
    assert other.delete(f"/api/tokens/{made['id']}").status_code == 404
    assert me(made["token"]) == 200


def test_a_token_cannot_make_a_token(client: Client) -> None:
    made = make(client, scopes=["admin"])
    response = Client().post(
        "/api/tokens",
        {"name": "more", "scopes": ["decide"], "days": 1},
        content_type="application/json",
        headers={"authorization": f"Bearer {made['token']}"},
    )
    assert response.status_code == 403


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["all"]}, {"days": 0}, {"days": 366}, {"name": ""}])
def test_what_cannot_be_taken_is_refused(client: Client, wrong: dict[str, object]) -> None:
    assert make(client, **wrong)["status"] == 422
    assert not ApiToken.objects.exists()
