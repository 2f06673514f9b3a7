"""A critic by classification: bells over bins, their mean, and learning them."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from learning import playing, ppo
from learning.acting import Acting, batch_of
from learning.collecting import World
from learning.critic import Binned, centres, expected, nll, spread
from learning.networks import ElementSetPolicy, Shape
from learning.ppo import Recipe
from learning.samples import lessons
from learning.toys import Identity
from learning.vectors import Several, SmallActorCritic, VectorCollector
from tests.learning.pages import a_demonstration

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)

AT = centres(0.0, 1.0, 11)


def test_a_return_in_the_middle_of_a_bin_is_spread_evenly_to_both_sides() -> None:
    bell = spread(torch.tensor([0.5]), AT)[0]
    assert float(bell.sum()) == pytest.approx(1.0)
    assert torch.allclose(bell, bell.flip(0), atol=1e-6)
    assert int(bell.argmax()) == 5
    # within half a bin of the middle of a bell 0.75 bins wide: erf(0.5 / 0.75 / sqrt 2)
    assert float(bell[5]) == pytest.approx(0.4950, abs=1e-3)


def test_the_mean_of_the_bell_is_the_return_away_from_the_ends() -> None:
    returns = torch.tensor([0.33, 0.5, 0.62])
    assert torch.allclose((spread(returns, AT) * AT).sum(-1), returns, atol=2e-3)


def test_what_lies_beyond_the_bins_counts_as_the_outermost() -> None:
    assert torch.equal(spread(torch.tensor([7.0]), AT), spread(torch.tensor([1.0]), AT))


def test_the_loss_is_least_where_the_bell_is_said() -> None:
    bell = spread(torch.tensor([0.4]), AT)
    said, other = (bell + 1e-6).log(), (spread(torch.tensor([0.7]), AT) + 1e-6).log()
    assert float(nll(said, torch.tensor([0.4]), AT)) < float(nll(other, torch.tensor([0.4]), AT))
    assert float(expected(said, AT)) == pytest.approx(0.4, abs=2e-3)


def test_gradients_agree_with_differences() -> None:
    torch.manual_seed(0)
    logits = torch.randn(3, 11, dtype=torch.float64, requires_grad=True)
    returns = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda each: nll(each, returns, AT.double()), (logits,))


def _learnt(seed: int) -> Binned:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    head = Binned(4, 2)
    features, returns, environment = torch.eye(4), RETURNS, torch.tensor([0, 0, 1, 1])
    head.observe(returns, environment)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        logits = head.logits(features, environment)
        head.loss(logits, returns, environment).mean().backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    return head


RETURNS = torch.tensor([0.0, 1.0, -300.0, 500.0])


def test_returns_are_memorised_in_each_environments_own_units_the_same_for_the_same_seed() -> None:
    head = _learnt(1)
    found = head(torch.eye(4), torch.tensor([0, 0, 1, 1])).detach()
    assert torch.allclose(found, RETURNS, atol=0.06, rtol=0.06)
    assert all(map(torch.equal, head.parameters(), _learnt(1).parameters()))


def test_ppo_learns_with_it_what_it_learns_with_one_number(tmp_path: Path) -> None:
    recipe = Recipe(clip=0.2, stop_kl=1.0, entropy_share=0.005, batch=128, epochs=6, learning_rate=8e-3, updates=12)
    found = {bins: _played(tmp_path / str(bins), replace(recipe, bins=bins)) for bins in (0, 21)}
    assert found[21][-1] > 15 > 10 > found[21][0]  # of 20; 3.3 by chance
    assert abs(found[21][-1] - found[0][-1]) < 4


@pytest.mark.parametrize("bins", [0, 21])
def test_a_player_takes_the_weights_of_a_critic_of_either_kind(bins: int) -> None:
    learner, player = (Acting(ElementSetPolicy(SMALL), 2, bins=each, seed=each) for each in (bins, 21 - bins))
    weights = {name: each.numpy() for name, each in learner.state_dict().items()}
    player.take(weights)
    inputs = batch_of([each.arrays for each in lessons([a_demonstration(1)]).samples[:2]], [0, 1])
    with torch.no_grad():
        said, again = learner.eval().outputs(inputs)[1], player.eval().outputs(inputs)[1]
    assert torch.equal(said, again)


def test_pages_are_played_with_it(tmp_path: Path) -> None:
    world = World(("cloud/stop-instance",), decisions=40, judged=10, slots=4)
    recipe = replace(playing.PLAY, updates=1, bins=11)
    played = playing.play(ElementSetPolicy(SMALL), world, recipe, work=tmp_path, budget_s=600, report=lambda _: None)
    assert (played.updates, played.ended) == (1, "updates")


def _played(work: Path, recipe: Recipe) -> list[float]:
    """Mean return of the last episodes, after every update."""
    collector = VectorCollector(Several(Identity, 16, seed=0), recipe, steps=32)
    network = SmallActorCritic(6, 6, bins=recipe.bins, seed=1)
    heard: list[float] = []
    ppo.train(
        network,
        collector,
        recipe,
        work=work,
        budget_s=math.inf,
        report=lambda each: heard.append(each.values["return"]),
    )
    return heard
