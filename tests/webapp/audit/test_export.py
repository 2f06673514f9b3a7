"""The audit chain as a file."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from tests.builders import a_user
from webapp.accounts.models import Role
from webapp.audit.actions import record
from webapp.audit.models import AuditEntry

pytestmark = pytest.mark.django_db


def write(verb: str, object_id: str, after: dict[str, Any] | None = None) -> AuditEntry:
    return record(verb, ("thing", object_id), user=None, how="system", after=after or {})


@pytest.fixture
def reviewer() -> Client:
    client = Client()
    client.force_login(a_user(Role.REVIEWER))
    return client


def test_csv_has_a_line_for_each_entry_newest_first(reviewer: Client) -> None:
    first, second = write("thing.do", "1", {"words": 'é, "日本"'}), write("thing.undo", "2")
    response = reviewer.get("/api/audit/export", {"format": "csv", "object_kind": "thing"})
    assert response["Content-Disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["digest"] for row in rows] == [second.digest, first.digest]
    assert json.loads(rows[1]["after"]) == {"words": 'é, "日本"'}
    assert (rows[0]["previous"], rows[0]["before"]) == (first.digest, "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x"])
def test_no_cell_of_the_csv_is_a_formula(text: str, reviewer: Client) -> None:
    write("thing.do", text)
    content = reviewer.get("/api/audit/export", {"object_kind": "thing"}).content.decode()
    (row,) = csv.DictReader(io.StringIO(content))
    assert row["object_id"] == f"'{text}"


def test_json_can_be_checked_against_the_chain(reviewer: Client) -> None:
    entries = [write("thing.do", "1", {"n": 1}), write("thing.do", "2")]
    response = reviewer.get("/api/audit/export", {"format": "json", "object_kind": "thing"})
    found = json.loads(response.content)
    assert [row["id"] for row in found] == [entry.pk for entry in reversed(entries)]
    assert found[1]["after"] == {"n": 1}
    assert found[0]["previous"] == found[1]["digest"]


def test_filters_and_parts(reviewer: Client) -> None:
    entries = [write("thing.do", str(number)) for number in range(3)]
    write("other.do", "9")
    wanted: dict[str, str | int] = {"format": "json", "verb": "thing", "limit": 2}
    first = json.loads(reviewer.get("/api/audit/export", wanted).content)
    rest = json.loads(reviewer.get("/api/audit/export", {**wanted, "before": first[-1]["id"]}).content)
    assert [row["id"] for row in [*first, *rest]] == [entry.pk for entry in reversed(entries)]


def test_nothing_is_a_file_too(reviewer: Client) -> None:
    wanted = {"object_kind": "nothing"}
    assert reviewer.get("/api/audit/export", {**wanted, "format": "json"}).json() == []
    assert len(reviewer.get("/api/audit/export", wanted).content.decode().splitlines()) == 1
