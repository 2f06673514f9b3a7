"""Real servers for a test run: PostgreSQL and S3 shared between runs; a Valkey, a database and a bucket of its own."""

import atexit
import os
import re
import shutil
from pathlib import Path

import psycopg
import redis
from minio import Minio
from minio.deleteobjects import DeleteObject

from webapp import embedded
from webapp.embedded import processes, servers, valkey
from webapp.embedded.state import State, prepare

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("BELAY_TEST_STATE") or ROOT / ".belay" / "test").resolve()
RUN = f"run-{os.getpid()}"


def prepare_environment() -> None:
    """Start what is not running and point this process at it; before Django's settings are read."""
    shared = embedded.start(FOLDER, durable=False)
    _clear_up_after_killed_runs(shared)
    own = prepare(FOLDER / RUN)
    (own.folder / "static").mkdir(exist_ok=True)  # WhiteNoise warns where there is none
    processes.remember(own.pidfile("pytest"), os.getpid())
    database = f"belay_{os.getpid()}"
    os.environ.update(
        shared,
        BELAY_EMBEDDED="1",
        BELAY_STATE_DIR=str(own.folder),
        DATABASE_URL=f"{shared['DATABASE_URL'].rpartition('/')[0]}/{database}",
        VALKEY_URL=valkey.start(own, durable=False),
        S3_BUCKET=RUN,
        DJANGO_SETTINGS_MODULE="webapp.settings",
    )
    store(shared).make_bucket(RUN)
    atexit.register(_finish, own, shared, os.getpid())


def store(variables: dict[str, str]) -> Minio:
    """An S3 client for these servers."""
    return Minio(
        variables["S3_ENDPOINT_URL"].removeprefix("http://"),
        variables["S3_ACCESS_KEY"],
        variables["S3_SECRET_KEY"],
        secure=False,
        region="us-east-1",
    )


def _finish(own: State, shared: dict[str, str], owner: int) -> None:
    if os.getpid() != owner:  # a forked child ends too
        return
    _remove_run(own.folder, shared)
    if os.environ.get("CI") == "true" and not servers.are_in_use(FOLDER):
        embedded.stop(FOLDER)


def _clear_up_after_killed_runs(shared: dict[str, str]) -> None:
    """A run that was killed could not clear up after itself; its pid tells that it is gone."""
    for folder in FOLDER.glob("run-*"):
        if processes.read(State(folder).pidfile("pytest")) is None:
            _remove_run(folder, shared)


def _remove_run(folder: Path, shared: dict[str, str]) -> None:
    valkey.stop(State(folder))
    number = re.sub(r"\D", "", folder.name)
    with psycopg.connect(shared["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS belay_{int(number)} WITH (FORCE)")
    objects = store(shared)
    if objects.bucket_exists(folder.name):
        listed = objects.list_objects(folder.name, recursive=True)
        for error in objects.remove_objects(folder.name, (DeleteObject(item.object_name or "") for item in listed)):
            raise RuntimeError(f"{folder.name}: {error}")
        objects.remove_bucket(folder.name)
    shutil.rmtree(folder, ignore_errors=True)


def empty_valkey() -> None:
    """Forget everything in this run's Valkey."""
    with redis.Redis.from_url(os.environ["VALKEY_URL"]) as link:
        link.flushdb()
