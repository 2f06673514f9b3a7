"""Mid-training: what is told of a change, the losses of foreseeing it, and a trunk that learns from random play."""

import math
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs

from learning import bc, foresight, midtrain
from learning.arrays import KINDS, ROLES, number_of
from learning.deeds import Reader
from learning.foresight import APPEARED, PAGE, changed, told
from learning.losses import Diverged
from learning.midtrain import Experience, Foresight, Recipe
from learning.networks import ElementSetPolicy, Shape
from learning.progress import Stopped
from learning.rollouts import Episode, play
from learning.samples import ORACLE
from learning.wander import NAME, Wanderer
from sandbox import env
from sandbox.contracts.actions import ActOutcome, Type
from sandbox.contracts.trajectories import Trajectory
from tests.learning.pages import a_demonstration, a_form, a_list

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)
MIDDLE = Shape(width=48, layers=1, heads=4, word_width=8)


@pytest.fixture(scope="module")
def found() -> Experience:
    """Every transition of three demonstrations; who acted is not asked."""
    torch.set_num_threads(1)
    return midtrain.experience(a_demonstration(seed) for seed in range(3))


def test_a_value_that_is_held_now_is_an_alteration() -> None:
    before, after = a_form(), a_form(size="50")
    change = changed(before, after, before.elements, ActOutcome.DONE)
    assert change.altered.tolist() == [False, True, False, False, False]
    assert not change.gone.any()
    assert not change.appeared.any()
    assert dict(zip(PAGE, change.page, strict=True)) == pytest.approx(
        {"anything": 1.0, "dialogs": 0.0, "address": 0.0, "toasts": 0.0, "useless": 0.0}
    )


def test_of_a_dialog_that_opens_the_page_goes_and_the_form_comes() -> None:
    before, after = a_list("logs-3"), a_form()
    change = changed(before, after, before.elements, ActOutcome.DONE)
    assert change.gone.all()
    came = {role for role in ROLES if change.appeared[number_of(role, ROLES)]}
    assert came == {"button", "spinbutton", "combobox", "heading"}
    assert change.page[PAGE.index("dialogs")] == 1.0


def test_nothing_happens_where_nothing_happens() -> None:
    page = a_list("logs-3")
    focused = structs.replace(page.elements[0], states=(*page.elements[0].states, "focused"))
    after = structs.replace(page, elements=(focused, *page.elements[1:]))
    change = changed(page, after, page.elements, ActOutcome.NO_EFFECT)
    assert not change.altered.any()
    assert change.page.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_a_later_state_is_told_as_the_goal_of_what_led_there() -> None:
    goal = told(a_form(), a_form(size="50", unit="GB"))
    assert goal is not None
    assert goal.fields == (("quota size", "50"), ("unit", "GB"))
    opened = told(a_list("logs-3"), a_form())
    assert opened is not None
    assert (opened.text, opened.fields) == ("Manage quota. Quota", ())
    assert told(a_form(), a_form()) is None


def test_an_even_guess_of_everything_costs_log_two_twice() -> None:
    happened = {
        "gone": torch.tensor([[True, False, True]]),
        "altered": torch.tensor([[False, True, True]]),
        "appeared": torch.zeros(1, APPEARED, dtype=torch.bool),
        "page": torch.ones(1, len(PAGE)),
    }
    there = torch.tensor([[True, True, False]])
    loss = foresight.change_loss(torch.zeros(1, 3, 2), torch.zeros(1, len(PAGE) + APPEARED), happened, there)
    assert loss.item() == pytest.approx(2 * math.log(2))


def test_an_even_guess_of_what_was_done_is_the_log_of_the_choices() -> None:
    labels = {
        "kind": torch.tensor([KINDS.index("click"), KINDS.index("wait")]),
        "elements": torch.tensor([[True, False, False, False], [False] * 4]),
        "parents": torch.zeros(2, 4, dtype=torch.bool),
    }
    loss = foresight.inverse_loss(torch.zeros(2, len(KINDS)), torch.zeros(2, 4), labels)
    assert loss.tolist() == pytest.approx([math.log(len(KINDS)) + math.log(4), math.log(len(KINDS))])


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    labels = {
        "kind": torch.tensor([0, 2]),
        "elements": torch.tensor([[True, False, False], [False] * 3]),
        "parents": torch.tensor([[False] * 3, [False, True, False]]),
    }
    kinds, pointer = (torch.randn(2, n, dtype=torch.float64, requires_grad=True) for n in (len(KINDS), 3))
    assert torch.autograd.gradcheck(lambda a, b: foresight.inverse_loss(a, b, labels), (kinds, pointer))
    happened = {
        "gone": torch.tensor([[True, False], [False, False]]),
        "altered": torch.tensor([[False, True], [False, True]]),
        "appeared": torch.ones(2, APPEARED, dtype=torch.bool),
        "page": torch.rand(2, len(PAGE), dtype=torch.float64),
    }
    there = torch.tensor([[True, True], [True, False]])
    elements = torch.randn(2, 2, 2, dtype=torch.float64, requires_grad=True)
    page = torch.randn(2, len(PAGE) + APPEARED, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: foresight.change_loss(a, b, happened, there), (elements, page))


def test_eight_transitions_are_memorised_in_all_three_losses(found: Experience) -> None:
    network, heads = bc.fresh(MIDDLE, seed=1), Foresight(MIDDLE.width)
    clear = [each for each in found.told if each.label.sources.any() or each.label.options.any()]  # not: which row
    optimizer = torch.optim.AdamW([*network.parameters(), *heads.parameters()], lr=5e-3)
    with Reader(network) as reader:
        losses = [
            midtrain.update(reader, heads, optimizer, found.transitions[:8], clear[:8], Recipe(), step=step)
            for step in range(60)
        ]
    assert losses[-1]["forward"] < 0.1
    assert losses[-1]["inverse"] < 0.1
    assert losses[-1]["told"] < 0.3


def test_the_same_seed_twice_gives_equal_weights_also_through_a_stop(found: Experience, tmp_path: Path) -> None:
    recipe = Recipe(steps=6, batch=4, seed=3)
    once = _trained(found, recipe, tmp_path / "a")
    asked = iter([False] * 3 + [True] * 9)
    with pytest.raises(Stopped, match="step 3 of 6"):
        midtrain.train(found, bc.fresh(SMALL, seed=3), recipe, work=tmp_path / "b", should_stop=lambda: next(asked))
    assert _equal(once, _trained(found, recipe, tmp_path / "b"))
    assert not _equal(once, _trained(found, Recipe(steps=6, batch=4, seed=4), tmp_path / "c"))


def test_one_that_was_done_says_the_same_when_it_is_started_again(found: Experience, tmp_path: Path) -> None:
    recipe = Recipe(steps=3, batch=4, seed=3)
    done, again = (midtrain.train(found, bc.fresh(SMALL, seed=3), recipe, work=tmp_path) for _ in range(2))
    assert done.values == again.values != {}


def test_random_play_changes_pages_and_teaches_without_any_oracle() -> None:
    played, again = _wandered(), _wandered()
    assert [[step.action for step in each.steps] for each in played] == [
        [step.action for step in each.steps] for each in again
    ]
    assert all(step.proposal is not None and step.proposal.policy != ORACLE for each in played for step in each.steps)
    assert any(isinstance(step.action, Type) for each in played for step in each.steps)
    learnt = midtrain.experience(played)
    assert np.mean([each.change.page[0] for each in learnt.transitions]) > 0.7
    assert len(learnt.told) > len(learnt.transitions) / 2


def test_the_later_state_does_not_give_away_what_was_done(found: Experience) -> None:
    for each in found.transitions:
        assert (each.after.history_kinds == each.sample.arrays.history_kinds).all()


def _wandered() -> list[Trajectory]:
    with closing(env.player("cloud")) as gym:
        episodes = [Episode("cloud/create-disk", seed, "train", "try") for seed in (5, 6)]
        return [play(gym, each, Wanderer(seed=each.seed), name=NAME) for each in episodes]


def _trained(found: Experience, recipe: Recipe, work: Path) -> ElementSetPolicy:
    return midtrain.train(found, bc.fresh(SMALL, seed=3), recipe, work=work).network


def _equal(one: ElementSetPolicy, other: ElementSetPolicy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_a_loss_that_is_no_number_ends_the_training(found: Experience, tmp_path: Path) -> None:
    broken = bc.fresh(SMALL, seed=1)
    torch.nn.init.constant_(broken.norm.weight, float("nan"))
    with pytest.raises(Diverged, match="diverged at step 1: forward is nan"):
        midtrain.train(found, broken, Recipe(steps=3, batch=4), work=tmp_path)
