"""A training is gone on from only by the very same training: same recipe, first weights, teacher and data."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from msgspec import structs

from learning import bc, distill, midtrain, offline, ppo, pricing, workbench
from learning.begun import Begun
from learning.networks import ElementSetPolicy, Shape
from learning.samples import Lessons, Sample, lessons
from learning.vectors import SmallActorCritic
from tests.learning.pages import a_demonstration

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)


@pytest.fixture(scope="module")
def found() -> Lessons:
    torch.set_num_threads(1)
    return lessons([a_demonstration(1)])


def _begun(found: Lessons, *, recipe: int = 0, weights: int = 0) -> Begun:
    return Begun.of(bc.Recipe(seed=recipe), [bc.fresh(SMALL, seed=weights)], found.samples)


def test_recipe_first_weights_and_data_all_tell_trainings_apart(found: Lessons) -> None:
    fewer = Lessons(found.samples[:-1], {})
    heavier = Lessons([replace(found.samples[0], weight=9.0), *found.samples[1:]], {})
    every = [
        _begun(found),
        _begun(found, recipe=1),
        _begun(found, weights=1),
        _begun(fewer),
        _begun(heavier),
    ]
    assert len({repr(each) for each in every}) == 5


def test_the_same_work_under_other_names_is_the_same_training(found: Lessons) -> None:
    renamed = Lessons([replace(each, trajectory="another") for each in found.samples], {})
    assert _begun(found) == _begun(renamed)


def test_an_offline_training_of_other_work_begins_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    recipe = offline.Recipe("bc", steps=2, batch=2)

    def trained(demonstration: int, work: str) -> ElementSetPolicy:
        deals = pricing.deals([a_demonstration(demonstration)], lambda each: [0.0] * len(each.steps))
        return offline.train(deals, bc.fresh(SMALL, seed=1), recipe, work=tmp_path / work).network

    once, other, alone = trained(1, "same"), trained(2, "same"), trained(2, "apart")
    assert "goes on" not in caplog.text
    assert _equal(other, alone)
    assert not _equal(other, once)
    assert _equal(trained(2, "same"), other)
    assert "goes on from step 2" in caplog.text


def test_a_mid_training_of_other_work_begins_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for demonstration in (1, 2):
        seen = midtrain.experience([a_demonstration(demonstration)])
        midtrain.train(seen, bc.fresh(SMALL, seed=1), midtrain.Recipe(steps=1, batch=2), work=tmp_path)
    assert "goes on" not in caplog.text


def test_a_student_of_another_teacher_begins_anew(
    found: Lessons, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    states = [each.arrays for each in found.samples]
    for teacher in (1, 2):
        taught, student = bc.fresh(SMALL, seed=teacher), bc.fresh(SMALL, seed=9)
        distill.train(states, taught, student, distill.Recipe(steps=1, batch=2), work=tmp_path)
    assert "goes on" not in caplog.text


def _equal(one: ElementSetPolicy, other: ElementSetPolicy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_cloning_of_other_work_or_other_weights_begins_anew(
    tmp_path: Path, found: Lessons, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    recipe = bc.Recipe(steps=2, batch=2, held_out_one_in=10**9)

    def train(samples: list[Sample], weights: int) -> ElementSetPolicy:
        network = bc.fresh(SMALL, seed=weights)
        return bc.train(
            samples,
            network,
            recipe,
            work=tmp_path,
            budget_s=1e9,
            report=lambda _: None,
            should_stop=lambda: False,
        ).network

    once = train(found.samples, 1)
    others = [train(found.samples[:-1], 1), train(found.samples, 2)]
    assert "goes on" not in caplog.text
    assert not any(_equal(each, once) for each in others)
    train(found.samples, 2)
    assert "goes on from step 2" in caplog.text


def test_play_from_other_weights_begins_anew() -> None:
    recipe = ppo.Recipe(updates=2, epochs=1, keep_every=1)
    began = [ppo.begun(SmallActorCritic(3, 3, seed=seed), recipe) for seed in (0, 0, 1)]
    assert began[0] == began[1]
    assert began[0] != began[2]
    assert ppo.begun(SmallActorCritic(3, 3), recipe, SmallActorCritic(3, 3, seed=1)) != began[0]


def test_play_of_other_things_begins_anew(tmp_path: Path) -> None:
    plan = workbench.Plan(templates=("workbench/rename",), tasks=68, seats=2, rounds=4, budget_s=1e9)
    recipe = replace(workbench.RECIPE, updates=1, batch=8)
    heard: list[int] = []
    for asked in (plan, structs.replace(plan, templates=("workbench/search-delete",)), plan):
        workbench.learn(asked, tmp_path, report=lambda each: heard.append(each.step), recipe=recipe)
    assert heard == [1, 1, 1]
    workbench.learn(structs.replace(plan, budget_s=1e8), tmp_path, report=lambda each: heard.append(9), recipe=recipe)
    assert heard == [1, 1, 1]


def test_all_held_out_says_so(tmp_path: Path, found: Lessons) -> None:
    with pytest.raises(ValueError, match=r"nothing is left to learn from: all \d+ samples are held out"):
        bc.train(
            found.samples,
            bc.fresh(SMALL, seed=0),
            bc.Recipe(held_out_one_in=1),
            work=tmp_path,
            budget_s=1e9,
            report=lambda _: None,
            should_stop=lambda: False,
        )
