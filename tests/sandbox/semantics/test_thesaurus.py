"""A thesaurus: what it reads alike, what it leaves as it is, and what is told when its file is broken."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.documents import BadDocument
from sandbox.semantics import __main__ as command
from sandbox.semantics.thesaurus import Thesaurus, load, shipped

WORDS = """words: mine
title: Mine
languages:
  en: {endings: [s], plurals: {ies: y}, passed_over: [the, of]}
  de: {endings: [n, en], joints: ["", s]}
things: [bank, account]
concepts:
  - {means: bank, en: [bank, credit union], de: [Bank, Sparkasse]}
  - {means: data, en: [data], de: [Daten]}
  - {means: account, alone: [ledger], en: [account], de: [Konto, Konten], zh: [账户]}
  - {means: blood bank, en: [blood bank]}
  - {means: open, en: [open, set up], de: [eröffnen], zh: [开立]}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Thesaurus:
    """A small one."""
    return load(_file(tmp_path, WORDS))


def _file(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("Open the account", "open account"),
        ("Konto eröffnen", "account open"),
        ("开立账户", "open account"),
        ("Set up accounts of credit unions", "open account bank"),
        ("Blood bank", "blood bank"),
        ("Datenkonten", "data account"),
        ("Datenbanken", "data bank"),
        ("Bank-Konto", "bank account"),
        ("Retention policies", "Retention policy"),
        ("Ledger", "account"),
        ("Ledger *", "account"),
        ("VMs of the GmbH", "vm GmbH"),
    ],
)
def test_words_of_all_languages_are_read_alike(mine: Thesaurus, text: str, shared: str) -> None:
    assert mine.shared(text) == shared


@pytest.mark.parametrize(
    "text", ["bank-7", "Ledger lines", "web-db-3.example.org", "50 GB", "Bankett", "10.0.0.0/16", "", "river"]
)
def test_names_amounts_and_unknown_words_stay_as_they_are(mine: Thesaurus, text: str) -> None:
    assert mine.shared(text) == text


def test_a_phrase_does_not_reach_from_one_cell_into_the_next(mine: Thesaurus) -> None:
    assert mine.shared("credit | union") == "credit | union"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("de: [Bank, Sparkasse]", "de: [Bank, Account]", "'account' means bank already: keep one of the two"),
        ("de: [Daten]", "de: [the]", "'the' means nothing (it is passed over) already"),
        ("things: [bank", "things: [shop", "no concept means 'shop': write it as it stands under 'means'"),
        (
            "means: data",
            "means: Data",
            "expected one or more words of small letters, such as 'loadbalancer', found \"Data\"",
        ),
        ("en: [data]", "fr: [données]", "unknown key 'fr'"),
        ("en: [data]", "en: ['...']", "expected words, found '...'"),
    ],
)
def test_a_broken_file_is_told_by_line_and_what_was_expected(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadDocument) as told:
        load(_file(tmp_path, WORDS.replace(old, new)))
    assert sentence in told.value.sentence
    assert 1 <= told.value.line <= len(WORDS.splitlines())


@given(st.text(max_size=60))
def test_shared_words_are_read_as_themselves_whatever_the_text(text: str) -> None:
    once = shipped().shared(text)
    assert shipped().shared(once.lower()).split() == once.lower().split()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Create security group", "Sicherheitsgruppe erstellen"),
        ("Create security group", "新建安全组"),
        ("Delete virtual machine", "Server löschen"),
        ("Reboot instance", "重启云服务器"),
        ("Database accounts", "Datenbankkonten"),
        ("Availability zone", "Verfügbarkeitszonen"),
    ],
)
def test_the_shipped_words_read_consoles_of_three_languages_alike(one: str, other: str) -> None:
    assert sorted(shipped().shared(one).split()) == sorted(shipped().shared(other).split())


def test_the_command_line_reads_files_and_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = _file(tmp_path, WORDS), tmp_path / "bad.yaml"
    bad.write_text(WORDS.replace("means: data", "means: 7"))
    assert command.main(["words", str(good)]) == 0
    assert command.main(["words", str(good), "--text", "Konto 3"]) == 0
    assert command.main(["words", str(bad)]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == ["mine.yaml: 16 phrases of 5 concepts", "account 3"]
    assert said.err.startswith(f"{bad}:9: concepts[1].means: expected a text, found 7")
