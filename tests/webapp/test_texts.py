"""Texts of strangers: what draws nothing is written out, what cannot be kept is found by its name."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp import texts
from webapp.logs import Sparse


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Save", "Save"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("\x1b[2Jgone", "\\u001b[2Jgone"),
        ("\u3164", "\\u3164"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("日本 ünïcode שלום", "日本 ünïcode שלום"),
    ],
)
def test_what_draws_nothing_is_written_out(text: str, shown: str) -> None:
    assert texts.visible(text) == shown


@given(st.text())
def test_what_is_shown_hides_nothing_and_is_not_changed_again(text: str) -> None:
    shown = texts.visible(text)
    assert texts.visible(shown) == shown
    assert texts.is_blank(text) == (not shown.strip() or texts.is_blank(text))


@pytest.mark.parametrize("text", ["", "  ", "\u200b\u2060", "\u3164", "\n\t"])
def test_nothing_to_see_is_blank(text: str) -> None:
    assert texts.is_blank(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("see https://ann:hunter2@host.example/x?y", "see https://ann:•••@host.example/x?y"),
        ("ftp://:word@h and HTTP://a:b@c", "ftp://:•••@h and HTTP://a:•••@c"),
    ],
)
def test_the_password_of_an_address_is_found_and_masked(text: str, kept: str) -> None:
    assert texts.has_credentials(text)
    assert texts.without_credentials(text) == kept


@pytest.mark.parametrize("text", ["https://host:8000/a@b", "mail ann@host.example", "https://ann@host/", "a: b@c"])
def test_other_addresses_stay_as_they_are(text: str) -> None:
    assert not texts.has_credentials(text)
    assert texts.without_credentials(text) == text


def test_where_the_one_character_is_that_cannot_be_kept() -> None:
    body = {
        "title": "a\x00b",
        "parameters": {"bucket": "\x00", "quota": 5},
        "events": [{"text": "x"}, {"text": "\x00"}],
    }
    assert texts.holding_nul(body) == ["title", "parameters.bucket", "events.1.text"]
    assert texts.holding_nul({"fine": ["\\u0000", None, 1.5]}) == []


class TestAFloodOfRefusals:
    """In the log it is a few lines a minute, and no traceback."""

    def lines(
        self, sparse: Sparse, number: int, level: int = logging.WARNING, name: str = "django.request"
    ) -> list[str]:
        """What of so many records gets through."""
        records = [logging.LogRecord(name, level, "", 0, "refused %s", (n,), None) for n in range(number)]
        return [record.getMessage() for record in records if sparse.filter(record)]

    def test_it_is_cut_short_and_then_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr("webapp.logs.time.monotonic", lambda: now)
        sparse = Sparse(most=2)
        assert self.lines(sparse, 500) == ["refused 0", "refused 1"]
        now = 61.0
        assert self.lines(sparse, 1) == ["refused 0 (and 498 others in the minute before)"]

    def test_a_fault_of_ours_is_never_left_out(self) -> None:
        sparse = Sparse(most=0)
        assert len(self.lines(sparse, 20, logging.ERROR)) == 20
        assert self.lines(sparse, 20, logging.ERROR, "django.security.DisallowedHost") == []
