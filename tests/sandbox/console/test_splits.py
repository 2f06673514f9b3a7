"""Held-out means unseen: no word, kind, language or layout of one split is met in another."""

import random
import re

import pytest

from sandbox.contracts.actions import Navigate
from sandbox.contracts.tasks import Split, Task
from sandbox.registry import find_environment
from sandbox.tasks import bind
from sandbox.variants import SPLITS, VariantGenerator, parse
from sandbox.worlds.console import names
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.jobs import touched_kinds
from sandbox.worlds.console.lexicon import TABLES
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.synonyms import SYNONYMS
from sandbox.worlds.console.tasks import spec_of
from sandbox.worlds.console.templates.declared import HELD_OUT
from sandbox.worlds.console.variant import DIMENSIONS
from tests.sandbox.console.play import any_recipe, drawn

GENERATOR = VariantGenerator("cloud", DIMENSIONS)
WORDS = {split: {*names.WORDS[split]} for split in SPLITS}
PHRASES = {split: {*names.USES[split], *names.TEAMS[split], *names.PURPOSES[split]} for split in SPLITS}
each_split = pytest.mark.parametrize("split", SPLITS)


def templates(split: Split) -> list[str]:
    """Templates that a split may meet."""
    return list(find_environment("cloud").open_to(split))


def of_others(texts: dict[Split, set[str]], split: Split) -> set[str]:
    """What belongs to other splits alone."""
    return set[str]().union(*(texts[other] for other in SPLITS if other != split)) - texts[split]


def values(task: Task) -> set[str]:
    """Everything that a task's console holds; tags one by one."""
    world = furnish(task)
    held = {value for kind in CLOUD.kinds for it in world.of_kind(kind.name) for value in it.values}
    return {*held, *(part for value in held for part in value.split(","))}


@each_split
def test_no_console_says_a_word_of_another_split(split: Split) -> None:
    for number, name in enumerate(templates(split)):
        spec = spec_of(name)
        assert spec is not None
        task = drawn(spec, number, split, any_recipe((name, split), split))
        held = values(task)
        words = {*re.findall(r"[a-z]+", f"{task.goal.text} {held}")}
        assert words & of_others(WORDS, split) == set(), task
        assert words & WORDS[split], task
        assert held & of_others(PHRASES, split) == set(), task


@each_split
def test_no_task_is_about_a_kind_that_another_split_alone_may_meet(split: Split) -> None:
    for name in templates(split):
        spec = spec_of(name)
        assert spec is not None
        assert {HELD_OUT.get(kind, split) for kind in touched_kinds(spec.job, CLOUD)} == {split}, name


def shown(variant: str) -> set[str]:
    """Every text on three pages of a variant."""
    simulator = ConsoleSimulator()
    spec = spec_of("cloud/stop-instance")
    assert spec is not None
    task = bind(spec.template, spec.sample(1, "train"), seed=1, recipe=parse(variant)[1])
    texts = {each.name for each in simulator.reset(task).elements}
    for address in ("/instances", "/instances/new"):
        texts |= {each.name for each in simulator.act(Navigate(address))[1].elements}
    return texts


def test_learning_reads_no_language_and_no_synonyms_that_are_kept_for_the_test() -> None:
    english = {*TABLES["de"], *TABLES["zh"]}
    kept = {*TABLES["de"].values(), *SYNONYMS["second"].values()}
    common = kept & {*english, *TABLES["zh"].values(), *SYNONYMS["first"].values()}
    rng = random.Random("splits")
    for _ in range(60):
        assert shown(GENERATOR.draw(rng, "train")) & (kept - common) == set()
    assert shown("cloud?locale=de") & (kept - common)
    assert shown("cloud?words=second") & (kept - common)


def test_layouts_that_are_kept_back_look_like_none_that_is_learnt_from() -> None:
    rng = random.Random("layouts")
    learnt = {variant: parse(GENERATOR.draw(rng, "train"))[1] for variant in range(400)}
    for dimension in DIMENSIONS:
        met = {recipe.get(dimension.name, dimension.values[0]) for recipe in learnt.values()}
        assert met == set(dimension.of("train"))
        assert met.isdisjoint({*dimension.validation, *dimension.test})
