"""Up to which risk an environment goes on without asking; and what always asks."""

import pytest
from django.test import Client

from tests.builders import a_user
from webapp.accounts.models import Role
from webapp.problems import BadInput
from webapp.tickets import actions
from webapp.tickets.models import ApprovalPolicy

pytestmark = pytest.mark.django_db
ADDRESS = "/api/environments/cloud/approval-policy"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(a_user(Role.ADMIN))
    return client


def put(client: Client, address: str = ADDRESS, **changed: object) -> int:
    body = {"auto_approve_up_to": "cost", "approval_timeout_s": 600, "version": 0, **changed}
    return int(client.put(address, body, content_type="application/json").status_code)


def test_reading_is_all_that_goes_on_by_itself_at_first(client: Client) -> None:
    environments = {each["id"]: each for each in client.get("/api/environments").json()}
    assert environments["cloud"]["approval_policy"]["auto_approve_up_to"] == "read"
    assert "cloud/open-port" in {template["id"] for template in environments["cloud"]["templates"]}


def test_an_admin_may_let_more_go_on(client: Client) -> None:
    assert put(client) == 200
    assert ApprovalPolicy.objects.get().auto_approve_up_to == "cost"


@pytest.mark.parametrize("risk", ["credential", "destructive", "unknown", "everything"])
def test_what_is_riskier_always_asks(client: Client, risk: str) -> None:
    assert put(client, auto_approve_up_to=risk) == 422
    with pytest.raises(BadInput):
        actions.set_approval_policy(
            environment="cloud", auto_approve_up_to=risk, approval_timeout_s=600, version=0, user=None, how="cli"
        )
    assert not ApprovalPolicy.objects.exists()


def test_a_change_on_a_stale_page_is_a_conflict(client: Client) -> None:
    put(client)
    assert put(client, auto_approve_up_to="nothing") == 409
    assert put(client, auto_approve_up_to="nothing", version=1) == 200


def test_an_unknown_environment_is_404(client: Client) -> None:
    assert put(client, "/api/environments/moon/approval-policy") == 404
