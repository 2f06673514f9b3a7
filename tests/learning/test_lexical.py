"""Words: cutting, numbering, comparing."""

import pytest

from learning import lexical
from learning.lexical import read


def test_names_are_one_token_and_words_are_several() -> None:
    assert read("Delete  prod-logs.v2 (10.0.0.0/8)").tokens == ("delete", "prod-logs.v2", "10.0.0.0/8")


def test_words_numbers_and_made_up_names_have_rows_of_their_own() -> None:
    assert lexical.plain_id("42") == lexical.NUMBER
    assert lexical.plain_id("prod-logs") == lexical.IDENTIFIER
    assert lexical.plain_id("bucket") == lexical.plain_id("buckets")
    assert lexical.plain_id("bucket") > lexical.IDENTIFIER


def test_a_word_that_the_goal_names_reads_the_same_whatever_it_is() -> None:
    one = lexical.ids("Delete amber", lexical.hidden_words(("amber",)), 4)
    other = lexical.ids("Delete heron", lexical.hidden_words(("heron",)), 4)
    assert one == other
    assert one[1] == lexical.GOAL


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10 GB", "10", True),
        ("10.00 gb", "10 GB", True),
        ("2 gb", "2048 mb", True),
        ("10 gb", "10 mb", False),
        ("10 gb", "11 gb", False),
        ("ten", "10", False),
    ],
)
def test_amounts_are_compared_with_their_units(one: str, other: str, same: bool) -> None:
    assert lexical.same_number(read(one).number, read(other).number) is same


def test_a_value_is_had_as_whole_words_only() -> None:
    assert lexical.has(read("logs-3 | 10 GB"), read("logs-3"))
    assert not lexical.has(read("logs-31 | 10 GB"), read("logs-3"))
    assert lexical.has(read("in use by web"), read("in use"))


def test_free_text_gives_up_its_quoted_words_numbers_and_names() -> None:
    found = lexical.spans('Rename prod-logs to "cold store" after 30 days of rest', ("prod-logs",), 8)
    assert found == ["cold store", "30"]
