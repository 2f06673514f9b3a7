"""Random play told as the tickets that it did: verified, shortened, and enough to learn from."""

from pathlib import Path

import pytest
import torch

from learning import bc, hindsight, midtrain
from learning.hindsight import Wandered
from learning.midtrain import Recipe
from learning.networks import Shape
from learning.samples import lessons
from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Finish
from sandbox.contracts.tasks import Outcome
from sandbox.registry import find_environment
from sandbox.worlds.console.simulator import ConsoleSimulator

TEMPLATES = ("cloud/suspend-user", "cloud/delete-snapshot", "cloud/create-security-group")


@pytest.fixture(scope="module")
def found() -> Wandered:
    """Forty episodes."""
    torch.set_num_threads(1)
    return hindsight.wandered(TEMPLATES, episodes=40, seed=1_000_000)


def test_some_of_random_play_does_tickets(found: Wandered) -> None:
    assert len(found.played) == 40
    assert len(found.retold) >= 5
    assert {each.task.template for each in found.retold} <= set(TEMPLATES)
    assert all(each.verification.outcome is Outcome.VERIFIED for each in found.retold)
    assert all(isinstance(each.steps[-1].action, Finish) for each in found.retold)


def test_the_same_seed_finds_the_same(found: Wandered) -> None:
    again = hindsight.wandered(TEMPLATES, episodes=40, seed=1_000_000)
    assert [each.task for each in again.retold] == [each.task for each in found.retold]


def test_a_ticket_that_is_told_can_be_done_so_again_and_by_no_longer_way(found: Wandered) -> None:
    played = {each.task.seed: each for each in found.played}
    for each in found.retold:
        where = played[each.task.seed]
        assert len(each.steps) <= len(where.steps)
        simulator = ConsoleSimulator()
        simulator.reset(where.task)
        for step in each.steps[:-1]:
            simulator.act(step.action)
        assert each.task.goal.fields in [told.goal.fields for told in simulator.retold([each.task.template])]


def test_what_a_ticket_does_not_need_is_left_out(found: Wandered) -> None:
    wasted = [step for each in found.retold for step in each.steps if step.result.outcome is ActOutcome.NO_EFFECT]
    assert wasted == []
    assert len(lessons(found.retold).samples) > 4 * len(found.retold)


def test_it_is_learnt_from_beside_what_is_foreseen(found: Wandered, tmp_path: Path) -> None:
    learnt = midtrain.experience(found.played[:2], retold=found.retold)
    assert len(learnt.retold) == len(lessons(found.retold).samples)
    network = bc.fresh(Shape(width=32, layers=1, heads=2, word_width=8), seed=0)
    recipe = Recipe(steps=40, batch=16, learning_rate=3e-3)
    before = float(midtrain.telling(network, learnt.retold, step=0, seed=0).detach())
    midtrain.train(learnt, network, recipe, work=tmp_path)
    assert float(midtrain.telling(network, learnt.retold, step=0, seed=0).detach()) < 0.7 * before
    assert not network.hasty  # as it must be for an export


def test_in_a_world_that_cannot_tell_what_was_done_nothing_is_told() -> None:
    template = sorted(find_environment("http").templates)[0]
    played = hindsight.wandered([template], episodes=2, seed=0)
    assert len(played.played) == 2
    assert played.retold == []


def test_the_worlds_are_those_of_the_training_split(found: Wandered) -> None:
    drawn = sessions.sample(TEMPLATES[0], seed=1_000_002, split="train")
    assert drawn in [each.task for each in found.played]
