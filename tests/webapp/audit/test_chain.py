"""The audit chain: it grows, shows tampering, keeps no secret, and the database refuses to change it."""

import threading

import pytest
from django.db import DatabaseError, connection, transaction

from tests.builders import a_user
from webapp.audit import queries
from webapp.audit.actions import GENESIS, masked, record
from webapp.audit.models import AuditEntry


def write(number: int) -> AuditEntry:
    return record(
        "thing.do",
        ("thing", number),
        user=None,
        how="system",
        after={"number": number, "words": "é 日本", "share": 0.1},
    )


@pytest.mark.django_db
def test_each_entry_follows_the_one_before() -> None:
    first, second = write(1), write(2)
    assert (first.previous, second.previous) == (GENESIS, first.digest)
    assert queries.verify() == queries.ChainReport(ok=True, entries=2, first_broken=None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", ["verb = 'thing.other'", "after = '{\"number\": 3}'", "at = at - interval '1 second'", "actor = 'x'"]
)
def test_a_changed_entry_is_found(change: str) -> None:
    write(1)
    entry = write(2)
    write(3)
    with connection.cursor() as cursor:  # triggers off, as a superuser could
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(f"UPDATE audit_auditentry SET {change} WHERE id = %s", [entry.pk])  # noqa: S608 - a literal above
    assert queries.verify() == queries.ChainReport(ok=False, entries=2, first_broken=entry.pk)


@pytest.mark.django_db
def test_a_removed_entry_is_found() -> None:
    write(1)
    entry, last = write(2), write(3)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("DELETE FROM audit_auditentry WHERE id = %s", [entry.pk])
    assert queries.verify().first_broken == last.pk


@pytest.mark.django_db
def test_the_database_refuses_to_change_an_entry() -> None:
    entry = write(1)
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).update(verb="thing.other")


@pytest.mark.django_db
def test_the_database_refuses_to_delete_an_entry() -> None:
    entry = write(1)
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).delete()


@pytest.mark.parametrize("key", ["password", "new_password", "secret_key", "token", "api_key", "Credential"])
def test_values_under_secret_keys_are_masked(key: str) -> None:
    assert masked({"kept": 1, "list": [{key: "hunter2"}]}) == {"kept": 1, "list": [{key: "•••"}]}


def test_the_password_of_an_address_is_masked() -> None:
    assert masked({"reason": "see http://a:hunter2@b/"}) == {"reason": "see http://a:•••@b/"}


@pytest.mark.django_db
def test_the_actor_is_the_person_or_the_way() -> None:
    user = a_user()
    by_person = record("v", ("k", 1), user=user, how="web")
    others = [record("v", ("k", 1), user=None, how=how).actor for how in ("host", "celery", "system")]
    assert [by_person.actor, *others] == [user.username, "session host", "background worker", "system"]


@pytest.mark.django_db
def test_entries_are_found_by_what_they_are_about() -> None:
    write(1)
    wanted = write(2)
    assert list(queries.entries(object_kind="thing", object_id="2", verb="thing.")) == [wanted]


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_moment_make_one_chain() -> None:
    def many(start: int) -> None:
        try:
            for number in range(start, start + 10):
                write(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=many, args=(100 * each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queries.verify() == queries.ChainReport(ok=True, entries=40, first_broken=None)
