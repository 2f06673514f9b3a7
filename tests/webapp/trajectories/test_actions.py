"""An accepted session gets into the dataset exactly once, byte for byte, and versions never change."""

import pytest

from sandbox.contracts import storage as files
from tests.builders import a_trajectory, a_user, packed
from webapp import storage
from webapp.accounts.models import Role
from webapp.audit.models import AuditEntry
from webapp.trajectories import actions, queries
from webapp.trajectories.models import AppendRequest, DatasetVersion, TrajectoryRecord

pytestmark = pytest.mark.django_db


def accept(session_id: int) -> str:
    content_hash, content = packed(a_trajectory(id=str(session_id)))
    storage.put(actions.object_key(content_hash), content, "application/octet-stream")
    actions.request_append(session_id=session_id, content_hash=content_hash, user=a_user(Role.REVIEWER))
    return content_hash


def test_an_accepted_session_is_appended_byte_for_byte() -> None:
    content_hash = accept(7)
    row = actions.append(session_id=7)
    assert row.content_hash == content_hash
    assert files.address(storage.get(actions.object_key(row.content_hash))) == content_hash
    assert queries.trajectory(content_hash).id == "7"


def test_appending_again_leaves_one_record_and_one_audit_entry() -> None:
    accept(7)
    actions.append(session_id=7)
    actions.append(session_id=7)
    assert TrajectoryRecord.objects.filter(session_id=7).count() == 1
    assert AuditEntry.objects.filter(verb="trajectory.append").count() == 1


def test_a_worker_killed_between_record_and_outbox_is_made_good() -> None:
    accept(7)
    actions.append(session_id=7)
    AppendRequest.objects.update(state=AppendRequest.State.PENDING)
    assert queries.pending_appends() == [7]
    actions.append(session_id=7)
    assert queries.pending_appends() == []
    assert TrajectoryRecord.objects.count() == 1


def test_other_bytes_than_those_reviewed_are_refused() -> None:
    content_hash = accept(7)
    storage.put(actions.object_key(content_hash), b"something else", "application/octet-stream")
    with pytest.raises(actions.AppendRefused, match="reviewed"):
        actions.append(session_id=7)
    assert TrajectoryRecord.objects.count() == 0


def test_a_missing_file_is_refused_by_name() -> None:
    actions.request_append(session_id=8, content_hash="0" * 64, user=a_user(Role.REVIEWER))
    with pytest.raises(actions.AppendRefused, match="not in object storage"):
        actions.append(session_id=8)


def test_asking_twice_keeps_the_first_request() -> None:
    first = accept(7)
    actions.request_append(session_id=7, content_hash="1" * 64, user=a_user(Role.REVIEWER))
    assert AppendRequest.objects.get(session_id=7).content_hash == first


def test_a_version_holds_everything_admitted_and_never_changes() -> None:
    accept(1), accept(2)
    actions.append(session_id=1), actions.append(session_id=2)
    version = actions.freeze(reason=DatasetVersion.Reason.MANUAL)
    before = list(queries.entries(version).values_list("content_hash", flat=True))
    accept(3)
    actions.append(session_id=3)
    assert list(queries.entries(version).values_list("content_hash", flat=True)) == before
    assert version.manifest_hash == actions.manifest(before)
    assert (version.number, version.count, version.added) == (1, 2, 2)


def test_freezing_without_news_gives_the_same_version() -> None:
    accept(1)
    actions.append(session_id=1)
    first = actions.freeze(reason=DatasetVersion.Reason.MANUAL)
    assert actions.freeze(reason=DatasetVersion.Reason.THRESHOLD).pk == first.pk


def test_only_reviewed_trajectories_count_as_accepted() -> None:
    actions.import_starter([packed(a_trajectory())[1]])
    assert queries.accepted_since(None) == 0
    accept(1)
    actions.append(session_id=1)
    assert queries.accepted_since(None) == 1
    assert queries.accepted_since(actions.freeze(reason=DatasetVersion.Reason.MANUAL)) == 0


def test_importing_the_starter_twice_adds_nothing() -> None:
    contents = [packed(a_trajectory())[1], packed(a_trajectory())[1]]
    assert actions.import_starter(contents) == 2
    assert actions.import_starter(contents) == 0


def test_local_files_are_fetched_once_and_checked() -> None:
    accept(1)
    actions.append(session_id=1)
    version = actions.freeze(reason=DatasetVersion.Reason.MANUAL)
    paths = queries.local_files(version)
    assert [files.unpack(path.read_bytes()).id for path in paths] == ["1"]
    paths[0].unlink()
    storage.put(actions.object_key(paths[0].stem), b"damaged", "application/octet-stream")
    with pytest.raises(ValueError, match="damaged"):
        queries.local_files(version)
