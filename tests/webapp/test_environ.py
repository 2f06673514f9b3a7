"""The readers of environment variables refuse nonsense with a sentence."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from webapp.environ import Environ, read_embedded


def environ(**variables: str) -> Environ:
    return Environ(variables, {})


def test_a_missing_variable_says_what_to_do() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"S3_ACCESS_KEY is not set. Run `make up`"):
        environ().text("S3_ACCESS_KEY")


def test_an_empty_variable_counts_as_missing() -> None:
    assert environ(NAME="").text("NAME", "default") == "default"


def test_a_short_secret_is_refused_without_being_shown() -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        environ(SECRET_KEY="hunter2").secret("SECRET_KEY")
    assert "at least 32 characters" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("value", ["three", "3.5", "0x3", "3 3"])
def test_what_is_no_whole_number_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SESSION_SLOTS must be a whole number"):
        environ(SESSION_SLOTS=value).integer("SESSION_SLOTS", 3)


@pytest.mark.parametrize("value", ["0", "65"])
def test_a_number_out_of_bounds_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="between 1 and 64"):
        environ(SESSION_SLOTS=value).integer("SESSION_SLOTS", 3, minimum=1, maximum=64)


@pytest.mark.parametrize(("value", "meaning"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("OFF", False)])
def test_flags_are_read(value: str, meaning: bool) -> None:
    assert environ(DEBUG=value).flag("DEBUG", not meaning) is meaning


def test_a_flag_that_is_neither_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG must be true or false, not 'maybe'"):
        environ(DEBUG="maybe").flag("DEBUG", False)


def test_words_are_split_and_trimmed() -> None:
    assert environ(ALLOWED_HOSTS=" a.example, b.example ,").words("ALLOWED_HOSTS") == ["a.example", "b.example"]


@pytest.mark.parametrize("value", ["valkey://host:6379/0", "redis://", "host:6379"])
def test_a_url_of_another_kind_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="VALKEY_URL must look like redis://"):
        environ(VALKEY_URL=value).url("VALKEY_URL", ("redis", "rediss"))


def test_a_database_without_a_name_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="lacks the database's name"):
        environ(DATABASE_URL="postgresql://me:pw@db:5432/").database("DATABASE_URL")


def test_a_database_url_is_taken_apart() -> None:
    entry = environ(DATABASE_URL="postgresql://me:p%40ss@db/belay").database("DATABASE_URL")
    assert entry["PASSWORD"] == "p@ss"
    assert (entry["HOST"], entry["PORT"], entry["NAME"], entry["USER"]) == ("db", "5432", "belay", "me")
    assert entry["OPTIONS"] == {}


def test_the_process_outranks_the_file(tmp_path: Path) -> None:
    file = tmp_path / "embedded.env"
    file.write_text("# a remark\nS3_BUCKET=from-file\nS3_ACCESS_KEY=key=with=signs\n")
    env = Environ({"S3_BUCKET": "from-process"}, read_embedded(file))
    assert env.text("S3_BUCKET") == "from-process"
    assert env.text("S3_ACCESS_KEY") == "key=with=signs"
    assert env.is_embedded


def test_without_the_file_nothing_is_embedded(tmp_path: Path) -> None:
    assert not Environ({}, read_embedded(tmp_path / "absent.env")).is_embedded
