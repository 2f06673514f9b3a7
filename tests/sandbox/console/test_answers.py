"""What the console answers is said in the page's language, and the teacher understands it there."""

import re

import pytest

from sandbox.worlds.console.answers import TEMPLATES, taken_apart
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.fields import problem
from sandbox.worlds.console.lexicon import TABLES, Lexicon
from sandbox.worlds.console.variant import Variant

CHINESE, GERMAN = Lexicon.of(Variant(locale="zh")), Lexicon.of(Variant(locale="de"))
VENDOR, PLAIN = Lexicon.of(Variant(words="first")), Lexicon.of(Variant())
BAD = ("", "x", "Ü", "-", "9" * 13, "-1", "0", "99999", "a" * 200, "a,a", "2020-01-01", "10.0.0.0", "1.2.3.4/40", "@")


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_answer_has_its_words_in_every_language(template: str) -> None:
    blanks = {*re.findall(r"{(\w+)}", template)}
    for table in (TABLES["zh"], TABLES["de"]):
        assert table[template] != template
        assert blanks - {"why"} <= {*re.findall(r"{(\w+)}", table[template])} <= blanks


def test_whatever_is_wrong_with_a_value_is_an_answer_that_can_be_said_anew() -> None:
    fields = [field for kind in CLOUD.kinds for field in kind.fields]
    told = {problem(field, bad, before="50", today=CLOUD.today) for field in fields for bad in BAD} - {""}
    assert len(told) > 30
    assert [sentence for sentence in told if taken_apart(sentence) is None] == []
    assert all(CHINESE.told(sentence) != sentence for sentence in told)


@pytest.mark.parametrize("quota", [(kind.title, quota.title) for kind in CLOUD.kinds for quota in kind.quotas])
def test_what_a_quota_counts_has_its_words(quota: tuple[str, str]) -> None:
    assert {quota[1]} <= {*TABLES["zh"]} & {*TABLES["de"]}


def test_what_is_counted_is_not_called_as_its_list_is() -> None:
    counted = [kind for kind in CLOUD.kinds if kind.bulk_verbs]
    assert {kind.name: CHINESE.several(kind.plural) for kind in counted} == {
        kind.name: CHINESE.text(kind.title) for kind in counted
    }
    lists = {kind.plural for kind in CLOUD.kinds}
    assert lists.isdisjoint(quota.title for kind in CLOUD.kinds for quota in kind.quotas)


@pytest.mark.parametrize(
    ("answer", "chinese", "german", "vendor"),
    [
        ("Name is required.", "必填：名称。", "Name fehlt.", "Resource name is required."),
        (
            "There is already an instance named pool.",
            "名为 pool 的实例已存在。",
            "Instanz pool gibt es bereits.",
            "There is already a virtual machine named pool.",
        ),
        (
            "2 of 3 refused. web-1: Start is not possible while it is running.",
            "3 项中有 2 项被拒绝。web-1：状态为运行中时不能启动。",
            "2 von 3 abgelehnt. web-1: Im Zustand „läuft“ geht das nicht: Starten.",
            "2 of 3 refused. web-1: Power on is not possible while it is online.",
        ),
        ("Hello.", "Hello.", "Hello.", "Hello."),
    ],
)
def test_an_answer_is_said_in_the_words_of_the_page(answer: str, chinese: str, german: str, vendor: str) -> None:
    assert [words.told(answer) for words in (CHINESE, GERMAN, VENDOR, PLAIN)] == [chinese, german, vendor, answer]


@pytest.mark.parametrize("words", [CHINESE, GERMAN, VENDOR, PLAIN])
def test_an_answer_is_known_by_its_template_wherever_it_stands(words: Lexicon) -> None:
    busy, taken = TEMPLATES.index("{verb} is not possible while it is {state}."), "There is already {one} named {name}."
    said = words.told("2 of 3 refused. web-1: Start is not possible while it is running.")
    assert words.means(TEMPLATES[busy], said)
    assert not words.means(taken, said)
    assert words.means(taken, words.told("There is already a disk named data-1."))
