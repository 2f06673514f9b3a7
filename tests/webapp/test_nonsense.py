"""Whatever is sent to whichever operation: it is taken or refused as a problem document, and never breaks anything."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import a_user
from tests.webapp.test_access_matrix import OPERATIONS, Operation
from webapp.accounts.models import Role
from webapp.api import api

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

SCHEMA: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(), default=str))
SPOKEN = [each for each in OPERATIONS if not each.path.startswith("/api/auth/")]
NUMBERS = st.sampled_from([0, 1, 2, 30, -1, 2**31, 2**63, 10**30])
WORDS = st.sampled_from(
    ["", "x", "cloud", "operator", "harm", "1", "é日本", "\u0000", "\ud800", "' OR 1=1", "a" * 3000]
)
JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.floats(allow_nan=False), WORDS, st.just([]), st.just({}), st.just([None])
)


def like(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a JSON schema, and now and then something else in their place."""
    return st.one_of(_exactly(schema), _exactly(schema), _exactly(schema), JUNK)


def _exactly(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    match schema:
        case {"$ref": str(name)}:
            return st.deferred(lambda: _exactly(SCHEMA["components"]["schemas"][name.rpartition("/")[2]]))
        case {"anyOf": list(each)} | {"oneOf": list(each)}:
            return st.one_of([like(one) for one in each])
        case {"const": value}:
            return st.just(value)
        case {"enum": list(values)}:
            return st.sampled_from(values)
        case {"type": "object", "properties": dict(fields)}:
            return st.fixed_dictionaries({}, optional={name: like(field) for name, field in fields.items()})
        case {"type": "array", "items": dict(items)}:
            return st.lists(like(items), max_size=2)
        case {"type": "integer"} | {"type": "number"}:
            return NUMBERS
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "string"}:
            return WORDS
        case _:
            return JUNK


@st.composite
def calls(draw: st.DrawFn) -> tuple[Operation, str, bytes]:
    """An operation, the address it is called at, and the body."""
    operation = draw(st.sampled_from(SPOKEN))
    said = SCHEMA["paths"][operation.path][operation.method.lower()]
    path, query = operation.path, []
    for parameter in said.get("parameters", []):
        value = quote(str(draw(st.one_of(NUMBERS, WORDS))).encode("utf-8", "surrogatepass"), safe="")
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", value or "0")
        elif parameter["in"] == "query":
            query.append(f"{parameter['name']}={value}")
    wanted = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return operation, f"{path}?{'&'.join(query)}", json.dumps(draw(like(wanted))).encode()


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(a_user(Role.ADMIN))
    return client


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(call=calls())
def test_no_request_breaks_the_house(client: Client, call: tuple[Operation, str, bytes]) -> None:
    operation, address, body = call
    response = client.generic(operation.method, address, body, content_type="application/json")
    assert response.status_code < 500
    expected = {True: "application/problem+json", False: response.get("Content-Type")}
    assert response.get("Content-Type") == expected[response.status_code >= 400]


@pytest.mark.parametrize(
    ("size", "host", "status"), [(3_000_000, "127.0.0.1", 413), (3, "elsewhere.example", 422)], ids=["large", "host"]
)
def test_what_is_not_read_at_all_is_refused_with_a_reason(client: Client, size: int, host: str, status: int) -> None:
    body = json.dumps({"text": "a" * size})
    response = client.post("/api/tickets", body, content_type="application/json", headers={"host": host})
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")


def test_the_character_that_cannot_be_kept_is_refused_by_its_field(client: Client) -> None:
    body = json.dumps({"environment": "cloud", "text": "nul \u0000 here", "parameters": {"name": "\u0000"}})
    response = client.post("/api/tickets", body, content_type="application/json")
    assert (response.status_code, set(response.json()["errors"])) == (422, {"text", "parameters.name"})
    assert client.get("/api/tickets?q=%00").json()["errors"].keys() == {"q"}


def test_a_text_about_that_character_is_taken(client: Client) -> None:
    body = json.dumps({"key": "nul", "title": "Wrote \\u0000"})
    assert client.post("/api/labels", body, content_type="application/json").status_code == 201


@pytest.mark.parametrize("title", ["   ", "\u200b", "\u3164\n"])
def test_a_name_of_which_nothing_can_be_seen_is_refused(client: Client, title: str) -> None:
    for address, field, rest in (("/api/labels", "title", {"key": "x"}), ("/api/tokens", "name", {"scopes": ["read"]})):
        response = client.post(address, json.dumps({field: title, **rest}), content_type="application/json")
        assert (response.status_code, response.json()["errors"].keys()) == (422, {field})


def test_requests_for_other_hosts_do_not_flood_the_log(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(40):
        client.get("/", headers={"host": f"elsewhere-{number}.example"})
    said = capfd.readouterr().err
    assert "Traceback" not in said
    assert said.count("elsewhere") <= 10
