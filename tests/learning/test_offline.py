"""Implicit Q-learning: the mathematics, what a reward is made of, and good actions told from bad ones."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from learning import bc, expectiles, offline, pricing
from learning.deeds import Reader
from learning.losses import Diverged
from learning.networks import ElementSetPolicy, Shape
from learning.offline import Critic, Recipe
from learning.policy import NetworkPolicy
from learning.pricing import Deal
from learning.progress import Stopped
from learning.proving import proved
from learning.rollouts import Episode, play
from learning.samples import Sample
from sandbox import env, registry
from sandbox.contracts import storage
from sandbox.contracts.actions import Finish
from sandbox.contracts.tasks import Goal
from sandbox.contracts.trajectories import Step, Trajectory
from sandbox.rewards import default
from tests.learning.pages import a_demonstration

SMALL = Shape(width=16, layers=1, heads=2, word_width=4)
MIDDLE = Shape(width=48, layers=1, heads=4, word_width=8)


def _paid_at_the_end(trajectory: Trajectory) -> list[float]:
    return [0.0] * (len(trajectory.steps) - 1) + [1.0]


def _nothing(trajectory: Trajectory) -> list[float]:
    return [0.0] * len(trajectory.steps)


@pytest.fixture(scope="module")
def found() -> list[Deal]:
    """Demonstrations that earned something, and the same first pages left at once, which earned nothing."""
    torch.set_num_threads(1)
    good = [a_demonstration(seed) for seed in range(4)]
    left = [_left_at_once(each) for each in good]
    return pricing.deals(good, _paid_at_the_end) + pricing.deals(left, _nothing)


def _left_at_once(trajectory: Trajectory) -> Trajectory:
    first = trajectory.steps[0]
    gone = Step(first.observation, None, "oracle", None, None, first.risk, Finish(), first.result)
    return Trajectory(f"{trajectory.id}-left", trajectory.task, (gone,), trajectory.verification)


def test_an_expectile_weighs_being_too_low_and_being_too_high_apart() -> None:
    loss = expectiles.expectile_loss(torch.tensor([2.0, -2.0]), expectile=0.8)
    assert loss.tolist() == pytest.approx([3.2, 0.8])


def test_the_minimum_of_the_loss_is_the_expectile() -> None:
    # of 0 and 1, half each, the 0.8-expectile is 0.8: 0.8 * (1 - m) = 0.2 * m
    values = torch.linspace(0, 1, 101)
    losses = [expectiles.expectile_loss(torch.tensor([0.0, 1.0]) - m, expectile=0.8).mean().item() for m in values]
    assert values[losses.index(min(losses))].item() == pytest.approx(0.8)


def test_a_target_looks_ahead_but_for_the_end() -> None:
    target = expectiles.one_step_target(
        torch.tensor([1.0, 1.0]), torch.tensor([10.0, 10.0]), torch.tensor([False, True]), gamma=0.9
    )
    assert target.tolist() == pytest.approx([10.0, 1.0])


def test_weights_grow_with_the_advantage_up_to_a_cap() -> None:
    weights = expectiles.advantage_weights(torch.tensor([0.0, 0.5, 9.0]), sharpness=2.0, largest=20.0)
    assert weights.tolist() == pytest.approx([1.0, math.e, 20.0])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(0, 1))
def test_returns_are_the_written_out_sums(rewards: list[float], gamma: float) -> None:
    written_out = [
        sum(reward * gamma**ahead for ahead, reward in enumerate(rewards[start:])) for start in range(len(rewards))
    ]
    assert expectiles.returns(rewards, gamma=gamma) == pytest.approx(written_out)


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    difference = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: expectiles.expectile_loss(x, expectile=0.7), difference)
    assert torch.autograd.gradcheck(lambda x: expectiles.advantage_weights(x, sharpness=1.5, largest=100.0), difference)


def test_what_was_left_at_once_ends_there_and_what_was_worked_leads_on(found: list[Deal]) -> None:
    ends = [deal.after is None for deal in found]
    assert sum(ends) == 8
    assert [deal.to_go for deal in found[-4:]] == [0.0] * 4
    assert found[0].to_go == pytest.approx(0.99 ** (_steps_of(found, found[0].sample) - 1))


def test_eight_deals_are_memorised_the_paid_ones_and_not_the_others(found: list[Deal]) -> None:
    paid = [replace(deal, reward=1.0, after=None) for deal in _first_pages(found)[:4]]
    eight = [*paid, *found[-4:]]  # each first page twice: what was done there paid, leaving it did not
    network, recipe = bc.fresh(MIDDLE, seed=1), Recipe(sharpness=10.0)
    critic, told = Critic(SMALL), []
    optimizer = torch.optim.AdamW([*network.parameters(), *critic.parameters()], lr=5e-3)
    with Reader(critic.trunk) as reader:
        for _ in range(60):
            told.append(offline.criticise(critic, reader, optimizer, eight, recipe)["critic"])
        weights = offline.weighed(critic, reader, eight, recipe)
    for step in range(50):
        offline.imitate(network, optimizer, eight, weights, recipe, step=step)
    assert told[-1] < 0.2 * told[0]
    assert weights[:4].min() > 5 * weights[4:].max()
    worked = [deal.sample for deal in eight[:4]]
    assert bc.accuracy(network, worked) == {"hand/change-quota": (4, 4)}


def test_the_same_seed_twice_gives_equal_weights_also_through_a_stop(found: list[Deal], tmp_path: Path) -> None:
    recipe = Recipe(critic_steps=3, steps=3, batch=4, seed=3)
    once = _trained(found, recipe, tmp_path / "a")
    asked = iter([False] * 4 + [True] * 9)
    with pytest.raises(Stopped, match="step 4 of 6"):
        _trained(found, recipe, tmp_path / "b", should_stop=lambda: next(asked))
    assert _equal(once, _trained(found, recipe, tmp_path / "b"))
    assert not _equal(once, _trained(found, Recipe(critic_steps=3, steps=3, batch=4, seed=4), tmp_path / "c"))


def test_one_that_was_done_says_the_same_when_it_is_started_again(found: list[Deal], tmp_path: Path) -> None:
    recipe = Recipe(critic_steps=2, steps=2, batch=4, seed=3)
    done, again = (offline.train(found, bc.fresh(SMALL, seed=3), recipe, work=tmp_path).values for _ in range(2))
    assert done == again
    assert {"critic", "policy", "critic_steps"} <= done.keys()


@pytest.mark.parametrize("method", ["bc", "awr", "iql"])
def test_each_method_learns_its_policy(found: list[Deal], tmp_path: Path, method: offline.Method) -> None:
    before, recipe = bc.fresh(SMALL, seed=3), Recipe(method=method, critic_steps=2, steps=2, batch=4)
    assert not _equal(before, _trained(found, recipe, tmp_path))


def test_rewards_are_found_again_by_playing_again() -> None:
    simulator = registry.find_environment("cloud").simulator()
    worked = play(env.player("cloud"), Episode("cloud/suspend-user", 3, "train", "demonstrate"), None)
    rewards, spec = pricing.earned(worked, simulator), default()
    assert len(rewards) == len(worked.steps)
    assert rewards[-1] == pytest.approx(
        spec.success + spec.step - spec.progress
    )  # what was done is paid back at the end
    assert max(rewards[:-1]) > 0.4  # the step that suspended the user
    assert max(pricing.earned(worked)[:-1]) < 0.1  # without the world nobody knows


def test_what_cannot_be_priced_is_left_out_and_counted() -> None:
    simulator = registry.find_environment("cloud").simulator()
    worked = play(env.player("cloud"), Episode("cloud/suspend-user", 3, "train", "demonstrate"), None)
    empty = structs.replace(worked, steps=())
    outgrown = structs.replace(worked, task=structs.replace(worked.task, goal=Goal("Suspend somebody.")))
    found, left_out = pricing.priced([empty, worked, outgrown], lambda each: pricing.earned(each, simulator))
    assert {each.sample.trajectory for each in found} == {worked.id}
    assert left_out == 2


@pytest.mark.slow
def test_the_command_line_makes_a_policy_of_stored_work(tmp_path: Path) -> None:
    gym, files = env.player("cloud"), []
    for seed in range(2):
        worked = play(gym, Episode("cloud/suspend-user", seed, "train", "demonstrate"), None)
        files.append(tmp_path / f"{seed}.belay")
        files[-1].write_bytes(storage.pack(worked))
    asked = ["--out", str(tmp_path / "out"), "--work", str(tmp_path / "work"), "--steps", "2", *map(str, files)]
    assert offline.main(asked) == 0
    receipt = json.loads((tmp_path / "out" / "receipt.json").read_text())
    assert (receipt["algorithm"], receipt["trajectories"], receipt["parent"]) == ("iql", 2, None)
    assert isinstance(proved(tmp_path / "out", name="offline"), NetworkPolicy)


def _first_pages(found: list[Deal]) -> list[Deal]:
    names = [deal.sample.trajectory for deal in found]
    return [deal for index, deal in enumerate(found) if names.index(deal.sample.trajectory) == index]


def _steps_of(found: list[Deal], sample: Sample) -> int:
    return sum(deal.sample.trajectory == sample.trajectory for deal in found)


def _trained(
    found: list[Deal], recipe: Recipe, work: Path, *, should_stop: Callable[[], bool] = lambda: False
) -> ElementSetPolicy:
    return offline.train(found, bc.fresh(SMALL, seed=3), recipe, work=work, should_stop=should_stop).network


def _equal(one: ElementSetPolicy, other: ElementSetPolicy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_a_loss_that_is_no_number_ends_the_training(found: list[Deal], tmp_path: Path) -> None:
    broken = bc.fresh(SMALL, seed=1)
    torch.nn.init.constant_(broken.norm.weight, float("nan"))
    with pytest.raises(Diverged, match="diverged at step 1: policy is nan"):
        offline.train(found, broken, Recipe("bc", steps=3, batch=4), work=tmp_path)


def test_weighing_that_takes_all_the_time_leaves_the_policy_its_share(
    found: list[Deal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def second(*_: object, **__: object) -> dict[str, float]:
        now[0] += 1
        return {}

    def slowly(*_: object) -> torch.Tensor:
        now[0] += 500
        return torch.ones(len(found))

    monkeypatch.setattr(offline, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(offline, "criticise", second)
    monkeypatch.setattr(offline, "imitate", second)
    monkeypatch.setattr(offline, "weighed", slowly)
    recipe = Recipe(critic_steps=800, steps=1000, batch=4)
    learnt = offline.train(found, bc.fresh(SMALL, seed=1), recipe, work=tmp_path, budget_s=90)
    assert learnt.values["policy_steps"] == pytest.approx(50, abs=1)  # 1000 of 1800 parts of 90 s
    assert 0 < learnt.values["critic_steps"] < 40  # room was left for the weighing
    assert learnt.steps == sum(learnt.values[name] for name in ("policy_steps", "critic_steps"))
