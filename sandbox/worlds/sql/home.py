"""A database of our own on a given PostgreSQL, with a login that may do nothing outside it."""

import atexit
import os
import secrets
import socket
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sandbox.browser.processes import Process, started_at

VARIABLES = ("BELAY_SQL_WORLD_DSN", "DATABASE_URL")
_PREFIX = "belay_sql_"
_MAINTENANCE = "postgres"


class NoDatabase(RuntimeError):
    """There is no PostgreSQL to play on; the message says what to set."""


def given_dsn() -> str:
    """The PostgreSQL to play on. Raises NoDatabase."""
    for name in VARIABLES:
        if os.environ.get(name):
            return os.environ[name]
    if embedded := _embedded():
        return embedded
    raise NoDatabase(
        "The sql world needs a PostgreSQL: run `make up`, or set BELAY_SQL_WORLD_DSN to "
        "postgresql://user:password@host:port/name, of a user who may create databases and roles."
    )


def _embedded() -> str:
    """The PostgreSQL that `make up` runs on this machine, as it wrote it down; "" where there is none."""
    written = Path(os.environ.get("BELAY_STATE_DIR") or ".belay") / "embedded.env"
    lines = written.read_text().splitlines() if written.is_file() else []
    return next((line.partition("=")[2] for line in lines if line.startswith("DATABASE_URL=")), "")


class Home:
    """One database with one login, shared by all simulators of this process. Made by `enter`."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._name = f"{_PREFIX}{os.getpid()}_{secrets.token_hex(4)}"
        password = secrets.token_urlsafe(24)
        me = f"{socket.gethostname()} {os.getpid()} {started_at(os.getpid())}"
        with _maintenance(dsn) as admin:
            _clear_orphans(admin)
            try:
                _run(admin, "CREATE ROLE {} LOGIN PASSWORD {}", self._name, sql.Literal(password))
                _run(admin, "CREATE DATABASE {}", self._name)
            except psycopg.errors.InsufficientPrivilege as problem:
                raise NoDatabase(
                    f"{_user(dsn)} may not create databases and roles: name a user in BELAY_SQL_WORLD_DSN who may"
                ) from problem
            _run(admin, "COMMENT ON DATABASE {} IS {}", self._name, sql.Literal(me))
            _run(admin, "REVOKE ALL ON DATABASE {} FROM PUBLIC", self._name)
            _run(admin, "GRANT CONNECT, CREATE ON DATABASE {0} TO {0}", self._name)
        parts = {"dbname": self._name, "user": self._name, "password": password}
        self.dsn = make_conninfo(dsn, **parts)  # of the login; holds its password
        self.guests = 0

    def remove(self) -> None:
        """Drop database and login."""
        with _maintenance(self._dsn) as admin:
            _drop(admin, self._name)


_homes: dict[tuple[int, str], Home] = {}


def enter(dsn: str) -> Home:
    """The home of this process on that server, made where there is none. Raises NoDatabase."""
    key = (os.getpid(), dsn)  # a forked child needs its own
    if key not in _homes:
        _homes[key] = Home(dsn)
    _homes[key].guests += 1
    return _homes[key]


def leave(dsn: str) -> None:
    """One guest less; the last one takes the home down."""
    key = (os.getpid(), dsn)
    home = _homes[key]
    home.guests -= 1
    if not home.guests:
        del _homes[key]
        home.remove()


@atexit.register
def _leave_all() -> None:
    """Whoever did not close takes its home along; those of killed processes go when the next one comes."""
    for key, home in list(_homes.items()):
        if key[0] == os.getpid():
            del _homes[key]
            home.remove()


def _maintenance(dsn: str) -> psycopg.Connection:
    """A connection that can make and drop databases; through the server's own one where the named one is missing."""
    try:
        return psycopg.connect(dsn, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as problem:
        if "does not exist" not in str(problem):
            raise NoDatabase(f"The PostgreSQL of the sql world does not answer: {problem}") from problem
    return psycopg.connect(make_conninfo(dsn, dbname=_MAINTENANCE), autocommit=True, connect_timeout=10)


def _clear_orphans(admin: psycopg.Connection) -> None:
    """Drop the homes of processes of this machine that are gone."""
    asked = (
        "SELECT datname, pg_catalog.shobj_description(oid, 'pg_database') FROM pg_catalog.pg_database "
        "WHERE datname LIKE 'belay\\_sql\\_%'"
    )
    for name, said in admin.execute(asked).fetchall():
        host, _, process = (said or "").partition(" ")
        pid, _, started = process.partition(" ")
        if host == socket.gethostname() and not Process(int(pid), started).is_alive:
            _drop(admin, name)


def _drop(admin: psycopg.Connection, name: str) -> None:
    _run(admin, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
    _run(admin, "DROP ROLE IF EXISTS {}", name)


def _run(admin: psycopg.Connection, statement: str, name: str, *more: sql.Literal) -> None:
    admin.execute(sql.SQL(statement).format(sql.Identifier(name), *more))


def _user(dsn: str) -> str:
    return str(conninfo_to_dict(dsn).get("user", "The user"))
