"""Tickets of the text worlds are told in English and in Chinese, and are the same ticket in both."""

import re
from string import Formatter

import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Template
from sandbox.registry import find_environment
from sandbox.variants import VariantGenerator
from sandbox.worlds.workbench.simulator import Workbench
from tests.sandbox.played import missed_by_oracle, passed_by_doing_nothing

WORLDS = ("workbench", "sql", "http")
TEMPLATES = [each for world in WORLDS for each in sessions.templates(world)]
each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.id)


def blanks(phrase: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(phrase) if name}


@each_template
def test_every_phrase_tells_every_parameter_in_both_languages(template: Template) -> None:
    wanted = {parameter.name for parameter in template.parameters}
    for phrases in (template.phrases, template.phrases_zh):
        assert len(set(phrases)) >= 2
        assert [phrase for phrase in phrases if blanks(phrase) != wanted] == []
    assert all(re.search(r"[\u4e00-\u9fff]", phrase) for phrase in template.phrases_zh)
    assert not any(re.search(r"[\u4e00-\u9fff]", phrase) for phrase in template.phrases)


@each_template
def test_the_language_changes_the_words_and_nothing_else(template: Template) -> None:
    plain = sessions.sample(template.id, seed=3, split="train")
    told = sessions.sample(template.id, seed=3, split="train", recipe={"goal": "zh"})
    assert told.goal.fields == plain.goal.fields
    assert re.search(r"[\u4e00-\u9fff]", told.goal.text)
    assert told.environment == f"{template.environment}?goal=zh"
    assert [value for _, value in told.goal.fields if value not in told.goal.text] == []


@pytest.mark.parametrize("world", WORLDS)
def test_every_split_may_be_told_in_chinese(world: str) -> None:
    dimension = VariantGenerator.of(find_environment(world)).dimensions["goal"]
    assert [dimension.of(split) for split in ("train", "validation", "test")] == [("en", "zh")] * 3


def test_a_ticket_in_chinese_is_worked_like_the_same_one_in_english() -> None:
    told = [
        sessions.sample(template.id, seed=4, split="test", recipe={"goal": "zh"})
        for template in sessions.templates("workbench")
    ]
    assert missed_by_oracle(Workbench(), told) == []
    assert passed_by_doing_nothing(Workbench(), told) == []
