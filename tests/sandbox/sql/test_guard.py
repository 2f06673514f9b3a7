"""What the sql world never runs, how long a statement may take, and who may be where."""

import os
from pathlib import Path

import psycopg
import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Outcome
from sandbox.worlds.sql import guard, home
from sandbox.worlds.sql.desk import Desk
from tests.sandbox.played import Played
from tests.sandbox.sql.test_play import said, write

REFUSED = [
    ("", "NoStatement"),
    ("-- nothing", "NoStatement"),
    ("COMMIT", "TransactionControl"),
    (" /* quietly */ rollback", "TransactionControl"),
    ("BEGIN", "TransactionControl"),
    ("SET ROLE postgres", "SessionSetting"),
    ("RESET ALL", "SessionSetting"),
    ("SELECT set_config('role', 'x', true)", "ReachesOut"),
    ("SELECT U&\"set\\005fconfig\"('a', 'b', true)", "ReachesOut"),
    ("SELECT pg_terminate_backend(1)", "ReachesOut"),
    ("COPY hosts TO PROGRAM 'true'", "NotAllowed"),
    ("DO $$ BEGIN END $$", "NotAllowed"),
    ("GRANT ALL ON hosts TO PUBLIC", "NotAllowed"),
    ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "OtherObject"),
    ("DROP SCHEMA public", "OtherObject"),
    ("ALTER SYSTEM SET fsync = off", "OtherObject"),
]


@pytest.mark.parametrize(("statement", "name"), REFUSED)
def test_refusals_have_names(statement: str, name: str) -> None:
    with pytest.raises(guard.StatementRefused) as refused:
        guard.check(statement)
    assert refused.value.name == name


@pytest.mark.parametrize(
    "statement",
    ["select 1", "TABLE hosts", "create unique index on hosts (name)", "-- why\nUPDATE hosts SET zone = ''"],
)
def test_others_pass(statement: str) -> None:
    guard.check(statement)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("SELECT 1; DELETE FROM hosts", "SyntaxError"),
        ("DELETE FROM hosts; COMMIT", "SyntaxError"),
        ("SELECT pg_sleep(30)", "QueryCanceled"),
        ("SELECT * FROM nowhere", "UndefinedTable"),
        ("WITH gone AS (DELETE FROM hosts RETURNING *) SELECT * FROM gone", "FeatureNotSupported"),
        ("SELECT pg_read_file('/etc/passwd')", "InsufficientPrivilege"),
        ("UPDATE budgets SET amount = -1", "CheckViolation"),
        ("SELECT '100%' = %s", "SyntaxError"),
        ("COMMIT", "TransactionControl"),
    ],
)
def test_what_goes_wrong_is_shown_by_name_and_the_episode_goes_on(desk: Desk, statement: str, name: str) -> None:
    played = Played(desk, sessions.sample("sql/set-owner", seed=1, split="train"))
    write(played, statement)
    assert said(played).startswith(name)
    assert desk.harm() == ()
    assert played.finish().outcome is Outcome.VERIFIED


def test_the_login_of_the_world_cannot_enter_the_database_it_was_made_from(desk: Desk) -> None:
    own = home.enter(home.given_dsn())
    try:
        login = psycopg.conninfo.conninfo_to_dict(own.dsn)
        with psycopg.connect(own.dsn) as inside:
            rights = inside.execute("SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = user")
            assert rights.fetchone() == (False, False, False)
            assert login["user"] == login["dbname"]
    finally:
        home.leave(home.given_dsn())


def homes() -> set[str]:
    with psycopg.connect(home.given_dsn().rpartition("/")[0] + "/postgres") as admin:
        return {
            name
            for (name,) in admin.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE 'belay#_sql#_%' ESCAPE '#'"
            )
        }


def test_the_last_one_to_leave_takes_the_database_away_and_closing_twice_is_safe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BELAY_SQL_WORLD_DSN", f"{home.given_dsn()}?application_name=another")
    one, two = Desk(), Desk()
    (own,) = (each for each in home._homes.values() if each.guests == 2)
    name = str(psycopg.conninfo.conninfo_to_dict(own.dsn)["dbname"])
    one.close()
    one.close()
    assert name in homes()
    two.close()
    assert name not in homes()


def test_a_database_left_by_a_process_that_is_gone_is_cleared_away(desk: Desk) -> None:
    name = "belay_sql_1_orphan"
    with psycopg.connect(home.given_dsn().rpartition("/")[0] + "/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(f"COMMENT ON DATABASE {name} IS '{os.uname().nodename} 999999999 12:00'")
        home._clear_orphans(admin)
    assert name not in homes()


def test_without_a_database_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("BELAY_SQL_WORLD_DSN", raising=False)
    monkeypatch.setenv("BELAY_STATE_DIR", str(tmp_path))
    with pytest.raises(home.NoDatabase, match="set BELAY_SQL_WORLD_DSN"):
        Desk()


def test_it_finds_the_database_of_make_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("BELAY_STATE_DIR", str(tmp_path))
    (tmp_path / "embedded.env").write_text("SECRET_KEY=x\nDATABASE_URL=postgresql://me@127.0.0.1:1/mine\n")
    assert home.given_dsn() == "postgresql://me@127.0.0.1:1/mine"


def test_a_server_that_does_not_answer_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELAY_SQL_WORLD_DSN", "postgresql://nobody:x@127.0.0.1:9/x")
    with pytest.raises(home.NoDatabase, match="does not answer"):
        Desk()
