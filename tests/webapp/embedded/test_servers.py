"""The embedded servers: started once, found again, closed to strangers, stopped for good."""

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from webapp import embedded
from webapp.embedded import postgres, processes, seaweedfs, servers, valkey
from webapp.embedded.state import State, prepare

NAMES = (postgres.NAME, valkey.NAME, seaweedfs.NAME)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state folder of this module's own; pytest's folders are closed to other users, as /root is."""
    path = tmp_path_factory.mktemp("state")
    yield path
    embedded.stop(path)


def pids(folder: Path) -> dict[str, int]:
    """Who runs, by name."""
    found = {name: processes.read(State(folder).pidfile(name)) for name in NAMES}
    return {name: identity.pid for name, identity in found.items() if identity is not None}


def test_starting_twice_gives_the_same_servers(folder: Path) -> None:
    first = embedded.start(folder)
    running = pids(folder)
    assert embedded.start(folder) == first
    assert pids(folder) == running
    assert set(running) == set(NAMES)


def test_servers_outlive_a_killed_starter_and_are_found_again(folder: Path) -> None:
    embedded.stop(folder)
    code = f"from pathlib import Path; from webapp import embedded; embedded.start(Path({str(folder)!r})); input()"
    starter = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    assert processes.wait_until(lambda: len(pids(folder)) == 3, timeout_s=30)
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    left = pids(folder)
    embedded.start(folder)
    assert pids(folder).items() >= left.items()
    assert set(pids(folder)) == set(NAMES)


def test_a_killed_server_starts_again_with_its_data(folder: Path) -> None:
    url = embedded.start(folder)["DATABASE_URL"]
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('still here')")
    identity = processes.read(State(folder).pidfile(postgres.NAME))
    assert identity is not None
    os.killpg(identity.pid, signal.SIGKILL)
    assert processes.wait_until(lambda: not identity.is_alive, timeout_s=5)
    assert not servers.are_alive(folder, servers.recorded(folder))
    assert embedded.start(folder)["DATABASE_URL"] == url
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT word FROM kept").fetchall() == [("still here",)]


def test_a_server_whose_starter_wrote_nothing_down_is_adopted(folder: Path) -> None:
    embedded.start(folder)
    running = pids(folder)
    State(folder).pidfile(postgres.NAME).unlink()
    embedded.start(folder)
    assert pids(folder) == running


def test_a_note_that_names_a_stranger_does_not_keep_postgresql_down(folder: Path) -> None:
    embedded.start(folder)
    note = folder / postgres.NAME / "postmaster.pid"
    before = note.read_text()
    processes.end(State(folder).pidfile(postgres.NAME), sign=signal.SIGINT)
    note.write_text(before.replace(before.splitlines()[0], str(os.getpid()), 1))
    url = embedded.start(folder)["DATABASE_URL"]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_nothing_answers_without_its_password(folder: Path) -> None:
    variables = embedded.start(folder)
    password = variables["DATABASE_URL"].split(":")[2].split("@")[0]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(variables["DATABASE_URL"].replace(password, "wrong"))
    port = variables["VALKEY_URL"].rsplit(":", 1)[1].split("/")[0]
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=int(port)).ping()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"http://{variables['S3_ENDPOINT_URL'][7:]}/belay/anything")


def test_the_file_store_under_s3_is_signed_too(folder: Path) -> None:
    embedded.start(folder)
    port = json.loads((folder / "ports.json").read_text())["seaweedfs-filer"]
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/buckets/belay/?pretty=y")
    assert refusal.value.code == 401


def test_the_folder_is_closed_and_no_password_stands_in_the_arguments(folder: Path) -> None:
    variables = embedded.start(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "embedded.env").stat().st_mode) == 0o600
    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    secrets = json.loads((folder / "secrets.json").read_text()).values()
    assert [secret for secret in secrets if secret in shown] == []
    assert variables["SECRET_KEY"] in secrets


def test_nothing_is_started_for_what_is_given(tmp_path: Path) -> None:
    given = {"DATABASE_URL": "postgresql://theirs", "S3_ENDPOINT_URL": "http://theirs"}
    variables = embedded.start(tmp_path, given=given)
    running = pids(tmp_path)
    embedded.stop(tmp_path)
    assert set(running) == {valkey.NAME}
    assert set(variables) == {"SECRET_KEY", "VALKEY_URL"}


def test_stop_ends_all_and_may_be_repeated(folder: Path) -> None:
    embedded.start(folder)
    identities = [processes.read(State(folder).pidfile(name)) for name in NAMES]
    sockets = seaweedfs.sockets(State(folder))
    assert [socket.exists() for socket in sockets].count(True) > 0
    embedded.stop(folder)
    embedded.stop(folder)
    assert [socket for socket in sockets if socket.exists()] == []
    assert [identity.is_alive for identity in identities if identity] == [False, False, False]


def test_a_disk_without_room_is_said_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.embedded.state.NEEDED_BYTES", 2**62)
    with pytest.raises(embedded.SetUpFailed, match="MiB are free on the disk of"):
        prepare(tmp_path)


def test_a_server_that_dies_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    state = prepare(tmp_path)
    argv = [sys.executable, "-c", "print('no such option'); raise SystemExit(3)"]
    log = state.log("some")
    child = processes.spawn(argv, pidfile=state.pidfile("some"), log=log)
    with pytest.raises(embedded.SetUpFailed, match=r"Some did not start \(ended with code 3\)[\s\S]*no such option"):
        processes.wait_ready("Some", child, lambda: False, log=log)


def test_a_pid_that_now_names_another_process_is_not_taken_for_ours(tmp_path: Path) -> None:
    state = prepare(tmp_path)
    stranger = json.dumps({"pid": os.getpid(), "started": "long ago"})
    state.pidfile("web").write_text(stranger)
    assert processes.read(state.pidfile("web")) is None
    assert not processes.end(state.pidfile("web"))
