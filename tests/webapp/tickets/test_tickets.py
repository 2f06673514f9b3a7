"""Filing, finding, cancelling and re-running tickets over HTTP."""

from typing import Any

import pytest
from django.test import Client

from tests.builders import a_user
from tests.webapp.agent_sessions.cast import a_policy
from webapp.accounts.models import Role, User
from webapp.agent_sessions.models import Session
from webapp.audit.models import AuditEntry
from webapp.rollouts.actions import point_alias
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.tickets.models import Ticket

pytestmark = pytest.mark.django_db
OPEN_PORT = {"security_group": "web", "protocol": "tcp", "port": 443, "source": "10.0.0.0/16"}
NEW = {"environment": "cloud", "template": "cloud/open-port", "parameters": OPEN_PORT}


@pytest.fixture
def person() -> User:
    return a_user()


@pytest.fixture
def client(person: User) -> Client:
    return signed_in(person)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, address: str, body: object = None, **headers: str) -> tuple[int, dict[str, Any]]:
    response = client.post(address, body or {}, content_type="application/json", headers=headers)
    return response.status_code, response.json()


def file(client: Client, **changed: object) -> tuple[int, dict[str, Any]]:
    return post(client, "/api/tickets", {**NEW, **changed})


def test_a_ticket_from_a_template_is_open_and_queued(client: Client, person: User) -> None:
    status, ticket = file(client)
    assert (status, ticket["state"], ticket["filed_by"]) == (201, "open", person.username)
    assert ticket["parameters"] == {**OPEN_PORT, "port": "443"}
    assert "443" in str(ticket["title"])
    assert Session.objects.get().ticket_id == ticket["id"]
    assert ticket["session"]["state"] == "queued"


def test_row_session_and_audit_are_one_transaction(client: Client) -> None:
    _, ticket = file(client)
    verbs = set(AuditEntry.objects.values_list("verb", "object_id"))
    assert ("ticket.open", str(ticket["id"])) in verbs
    assert len(verbs) == 2


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({**OPEN_PORT, "port": 70000}, ["port"]),
        ({**OPEN_PORT, "port": "many"}, ["port"]),
        ({**OPEN_PORT, "protocol": "icmp"}, ["protocol"]),
        ({**OPEN_PORT, "colour": "red"}, ["colour"]),
        ({"protocol": "tcp"}, ["port", "security_group", "source"]),
    ],
)
def test_bad_parameters_are_refused_field_by_field(
    client: Client, parameters: dict[str, object], fields: list[str]
) -> None:
    status, problem = file(client, parameters=parameters)
    assert status == 422
    assert sorted(problem["errors"]) == fields
    assert not Ticket.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"environment": "moon"}, "environment"),
        ({"template": "cloud/no-such"}, "template"),
        ({"template": "", "text": "  "}, "text"),
        ({"priority": 9}, "priority"),
    ],
)
def test_what_does_not_exist_cannot_be_filed(client: Client, changed: dict[str, object], field: str) -> None:
    status, problem = file(client, **changed)
    assert (status, list(problem["errors"])) == (422, [field])


def test_free_words_make_a_ticket_too(client: Client) -> None:
    status, ticket = file(client, template="", parameters={}, text="Look whether any instance is stopped.")
    assert (status, ticket["title"]) == (201, "Look whether any instance is stopped.")


def test_a_nul_character_is_refused_by_name(client: Client) -> None:
    assert file(client, template="", text="a\x00b")[0] == 422
    assert client.get("/api/tickets?q=%00").status_code == 422


@pytest.mark.parametrize("field", ["text", "title"])
def test_a_password_in_an_address_is_refused_by_field(client: Client, field: str) -> None:
    words = {"template": "", "parameters": {}, "text": "look around", field: "see https://ann:hunter2@host.example/"}
    status, problem = file(client, **words)
    assert (status, set(problem["errors"])) == (422, {field})
    assert Ticket.objects.count() == 0


def test_templates_say_what_the_champion_has_learnt(client: Client) -> None:
    assert {each["demonstrations"] for each in client.get("/api/templates").json()} == {None}
    champion = a_policy()
    PolicyVersion.objects.filter(pk=champion.pk).update(spec={"templates": {"cloud/open-port": 30}})
    point_alias(name=Alias.Name.CHAMPION, policy=champion, user=None, how="system")
    (cloud,) = (each for each in client.get("/api/environments").json() if each["id"] == "cloud")
    learnt = {each["id"]: each["demonstrations"] for each in cloud["templates"]}
    assert (learnt["cloud/open-port"], set(learnt.values())) == (30, {30, 0})


def test_the_same_key_gives_the_same_ticket(client: Client) -> None:
    headers = {"idempotency-key": "abc"}
    first = post(client, "/api/tickets", NEW, **headers)
    second = post(client, "/api/tickets", NEW, **headers)
    assert first[1]["id"] == second[1]["id"]
    assert Session.objects.count() == 1


def test_another_persons_key_is_another_key(client: Client) -> None:
    headers = {"idempotency-key": "abc"}
    first = post(client, "/api/tickets", NEW, **headers)
    second = post(signed_in(a_user()), "/api/tickets", NEW, **headers)
    assert first[1]["id"] != second[1]["id"]


def test_the_list_is_filtered_and_cut(client: Client) -> None:
    ids = [file(client, title=f"ticket {number}")[1]["id"] for number in range(3)]
    post(client, f"/api/tickets/{ids[0]}/cancel")

    def found(query: str) -> list[object]:
        return [row["id"] for row in client.get(f"/api/tickets?{query}").json()["items"]]

    assert found("") == ids[::-1]
    assert found("state=cancelled") == [ids[0]]
    assert found("q=ticket 2") == [ids[2]]
    assert found(f"q={ids[1]}") == [ids[1]]
    assert found("environment=moon") == []
    assert found("limit=1&offset=1") == [ids[1]]
    assert client.get("/api/tickets?limit=1").json()["count"] == 3


def test_cancelling_ends_the_queued_session(client: Client) -> None:
    _, ticket = file(client)
    status, cancelled = post(client, f"/api/tickets/{ticket['id']}/cancel")
    assert (status, cancelled["state"]) == (200, "cancelled")
    assert Session.objects.get().state == "cancelled"


def test_cancelling_twice_is_a_conflict(client: Client) -> None:
    _, ticket = file(client)
    post(client, f"/api/tickets/{ticket['id']}/cancel")
    assert post(client, f"/api/tickets/{ticket['id']}/cancel")[0] == 409


def test_a_rerun_is_a_second_attempt_at_the_same_ticket(client: Client) -> None:
    _, ticket = file(client)
    address = f"/api/tickets/{ticket['id']}"
    assert post(client, f"{address}/rerun")[0] == 409  # while the first is under way
    post(client, f"{address}/cancel")
    status, session = post(client, f"{address}/rerun")
    assert (status, session["attempt"], session["state"]) == (201, 2, "queued")
    assert client.get(address).json()["state"] == "open"


def test_somebody_elses_ticket_can_be_seen_but_not_cancelled(client: Client) -> None:
    _, ticket = file(client)
    stranger = signed_in(a_user())
    assert stranger.get(f"/api/tickets/{ticket['id']}").status_code == 200
    assert post(stranger, f"/api/tickets/{ticket['id']}/cancel")[0] == 403
    assert Ticket.objects.get().state == "open"


def test_a_reviewer_may_cancel_anybodys_ticket(client: Client) -> None:
    _, ticket = file(client)
    assert post(signed_in(a_user(Role.REVIEWER)), f"/api/tickets/{ticket['id']}/cancel")[0] == 200


@pytest.mark.parametrize("number", ["0", "99999999999999999999999999"])
def test_an_absent_ticket_is_404(client: Client, number: str) -> None:
    assert client.get(f"/api/tickets/{number}").status_code == 404


def test_the_first_page_counts(client: Client) -> None:
    _, ticket = file(client)
    home = client.get("/api/home").json()
    assert (home["open_tickets"], home["running_sessions"], home["recent"][0]["id"]) == (1, 0, ticket["id"])
