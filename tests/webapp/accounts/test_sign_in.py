"""Signing in and out in a browser: sessions, CSRF, and no guessing of passwords."""

import pytest
from django.test import Client

from tests.builders import a_user
from webapp.accounts.actions import SIGN_IN_TRIES, SIGN_IN_TRIES_OF_ADDRESS
from webapp.accounts.models import Role, User
from webapp.audit.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]
PASSWORD = "correct horse battery"


@pytest.fixture
def person() -> User:
    return a_user(username="rosa")


def sign_in(client: Client, password: str, *, username: str = "rosa", address: str = "10.0.0.1") -> int:
    token = client.get("/api/csrf").json()["csrf_token"]
    response = client.post(
        "/api/auth/sign-in",
        {"username": username, "password": password},
        content_type="application/json",
        headers={"x-csrftoken": token},
        REMOTE_ADDR=address,
    )
    return int(response.status_code)


def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def test_the_right_password_opens_a_session(person: User) -> None:
    client = browser()
    assert sign_in(client, PASSWORD) == 200
    assert client.get("/api/me").json() == {"id": person.pk, "username": "rosa", "role": "operator"}
    assert AuditEntry.objects.get().verb == "user.sign_in"


def test_a_wrong_password_and_a_wrong_name_look_alike(person: User) -> None:
    answers = []
    for username in ("rosa", "nobody"):
        client = browser()
        response = client.post(
            "/api/auth/sign-in",
            {"username": username, "password": "wrong"},
            content_type="application/json",
            headers={"x-csrftoken": client.get("/api/csrf").json()["csrf_token"]},
        )
        answers.append((response.status_code, response.json()))
    assert answers[0] == answers[1]
    assert answers[0][0] == 401


def test_signing_in_needs_the_csrf_token(person: User) -> None:
    response = browser().post(
        "/api/auth/sign-in", {"username": "rosa", "password": PASSWORD}, content_type="application/json"
    )
    assert response.status_code == 403
    assert response["Content-Type"] == "application/problem+json"
    assert "X-CSRFToken" in response.json()["detail"]


def test_a_failed_sign_in_is_audited_without_the_password(person: User) -> None:
    sign_in(browser(), "hunter2 hunter2", address="10.0.0.66")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.actor, entry.object_id) == ("user.sign_in_failed", "rosa", str(person.pk))
    assert (entry.before, entry.after) == (None, {"address": "10.0.0.66"})


def test_a_password_in_the_field_for_the_name_is_kept_nowhere(person: User) -> None:
    sign_in(browser(), "x", username="hunter2 hunter2")
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.object_id) == ("somebody unknown", "")


def test_what_is_refused_for_its_number_is_not_audited_again(person: User) -> None:
    for _ in range(SIGN_IN_TRIES + 5):
        sign_in(browser(), "wrong")
    assert AuditEntry.objects.filter(verb="user.sign_in_failed").count() == SIGN_IN_TRIES


def test_guessing_names_from_one_address_is_stopped_too(person: User) -> None:
    client = browser()
    for number in range(SIGN_IN_TRIES_OF_ADDRESS):
        sign_in(client, "wrong", username=f"nobody-{number}", address="10.0.0.66")
    assert sign_in(client, PASSWORD, address="10.0.0.66") == 429
    assert sign_in(client, PASSWORD, address="10.0.0.1") == 200


def test_signing_in_changes_the_session_key(person: User) -> None:
    client = browser()
    client.get("/api/csrf")
    session = client.session
    session["seen"] = True
    session.save()
    planted = session.session_key
    assert sign_in(client, PASSWORD) == 200
    assert client.session.session_key != planted


def test_signing_out_ends_the_session(person: User) -> None:
    client = browser()
    sign_in(client, PASSWORD)
    token = client.cookies["csrftoken"].value
    assert client.post("/api/auth/sign-out", headers={"x-csrftoken": token}).status_code == 204
    assert client.get("/api/me").status_code == 401


def test_guessing_is_stopped_even_where_the_last_guess_is_right(person: User) -> None:
    client = browser()
    statuses = [sign_in(client, f"wrong {number}") for number in range(SIGN_IN_TRIES)]
    assert statuses == [401] * SIGN_IN_TRIES
    assert sign_in(client, PASSWORD) == 429


def test_guessing_from_one_address_does_not_lock_others_out(person: User) -> None:
    client = browser()
    for number in range(SIGN_IN_TRIES + 1):
        sign_in(client, f"wrong {number}", address="10.0.0.66")
    assert sign_in(client, PASSWORD, address="10.0.0.1") == 200


def test_a_switched_off_person_is_signed_out_everywhere(person: User) -> None:
    client = browser()
    sign_in(client, PASSWORD)
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert client.get("/api/me").status_code == 401
    assert sign_in(browser(), PASSWORD) == 401


def test_a_new_password_ends_the_old_sessions(person: User) -> None:
    client = browser()
    sign_in(client, PASSWORD)
    person.set_password("another horse battery")
    person.save(update_fields=["password"])
    assert client.get("/api/me").status_code == 401


def test_no_password_is_in_the_audit_chain(person: User) -> None:
    admin = Client()
    admin.force_login(a_user(Role.ADMIN))
    admin.post(
        "/api/people",
        {"username": "new", "role": "operator", "password": "very long secret words"},
        content_type="application/json",
    )
    entry = AuditEntry.objects.get(verb="user.create")
    assert "very long secret" not in str([entry.before, entry.after])
