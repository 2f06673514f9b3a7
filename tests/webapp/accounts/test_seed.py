"""`manage.py seed`: what a new installation begins with, once, however often it is run."""

import io

import pytest
from django.core.management import CommandError, call_command

from webapp.accounts.models import Role, User
from webapp.agent_sessions.models import FailureLabel
from webapp.agent_sessions.review import TAXONOMY
from webapp.audit.models import AuditEntry
from webapp.audit.queries import verify
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.rollouts.queries import alias
from webapp.trajectories.models import DatasetVersion, TrajectoryRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]
PASSWORDS = {role: f"a long secret for the {role}" for role in Role}


@pytest.fixture
def passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    for role, password in PASSWORDS.items():
        monkeypatch.setenv(f"SEED_PASSWORD_{role.upper()}", password)


def seed() -> str:
    said = io.StringIO()
    call_command("seed", stdout=said, stderr=said)
    return said.getvalue()


def everything() -> dict[str, int]:
    kinds = (User, FailureLabel, PolicyVersion, DatasetVersion, TrajectoryRecord, AuditEntry)
    return {kind.__name__: kind._default_manager.count() for kind in kinds}


@pytest.mark.usefixtures("passwords")
def test_seeding_makes_everything_once_prints_no_secret_and_leaves_what_people_changed() -> None:
    said = seed()
    assert_a_new_installation()
    begun = everything()
    User.objects.filter(username="operator").update(role=Role.REVIEWER, is_active=False)
    FailureLabel.objects.filter(key="harm").update(title="Broke something", archived=True)
    said += seed()
    assert everything() == begun
    assert [secret for secret in PASSWORDS.values() if secret in said] == []
    operator = User.objects.get(username="operator")
    assert (operator.role, operator.is_active) == (Role.REVIEWER, False)
    label = FailureLabel.objects.get(key="harm")
    assert (label.title, label.archived) == ("Broke something", True)


def assert_a_new_installation() -> None:
    """The people, the taxonomy, the starter as champion with its dataset, and an audit entry for each write."""
    people = {user.username: user for user in User.objects.all()}
    assert {name: user.role for name, user in people.items()} == {role.value: role for role in Role}
    assert [role for role in Role if not people[role].check_password(PASSWORDS[role])] == []
    assert set(FailureLabel.objects.values_list("key", flat=True)) == {key for key, *_ in TAXONOMY}
    starter = PolicyVersion.objects.get()
    assert (starter.source, alias(Alias.Name.CHAMPION)) == ("starter", starter)
    dataset = DatasetVersion.objects.get()
    assert (dataset.reason, dataset.count) == ("starter", TrajectoryRecord.objects.count())
    assert dataset.count > 0
    verbs = set(AuditEntry.objects.values_list("verb", flat=True))
    assert verbs == {"user.create", "label.add", "policy.register", "alias.point", "dataset.import", "dataset.freeze"}
    assert set(AuditEntry.objects.values_list("how", flat=True)) == {"system"}
    assert verify().ok


def test_a_missing_password_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEED_PASSWORD_OPERATOR", raising=False)
    with pytest.raises(CommandError, match="Set SEED_PASSWORD_OPERATOR"):
        seed()


@pytest.mark.usefixtures("passwords")
def test_a_short_password_is_refused_with_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEED_PASSWORD_OPERATOR", "tiny")
    with pytest.raises(CommandError, match=r"SEED_PASSWORD_OPERATOR.*12 characters"):
        seed()
