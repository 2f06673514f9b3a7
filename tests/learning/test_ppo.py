"""PPO: its mathematics by hand and by finite differences, toys it must solve, equal bits twice, broken ones caught."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from learning import ppo, surrogate
from learning.losses import Diverged
from learning.ppo import Recipe, Rollout
from learning.progress import Progress, Stopped
from learning.rows import Stacked, bucketed
from learning.toys import Doors, Identity
from learning.vectors import Several, SmallActorCritic, VectorCollector

TOY = Recipe(clip=0.2, stop_kl=0.1, epochs=6, batch=128, learning_rate=4e-3, entropy_share=0.005, updates=25, lam=0.9)


def test_within_the_clip_the_loss_is_minus_ratio_times_advantage() -> None:
    loss = surrogate.clipped(_log(0.55, 0.45), _log(0.5, 0.5), torch.tensor([2.0, -1.0]), 0.2)
    assert loss.tolist() == pytest.approx([-2.2, 0.9])


def test_beyond_the_clip_nothing_is_gained_but_what_got_worse_still_counts() -> None:
    log_prob = _log(0.9, 0.1, 0.1, 0.9).requires_grad_()
    loss = surrogate.clipped(log_prob, _log(0.5, 0.5, 0.5, 0.5), torch.tensor([1.0, -1.0, 1.0, -1.0]), 0.2)
    assert loss.tolist() == pytest.approx([-1.2, 0.8, -0.2, 1.8])
    loss.sum().backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    assert log_prob.grad is not None
    assert log_prob.grad.tolist() == pytest.approx([0.0, 0.0, -0.2, 1.8])


def test_the_critic_errs_in_deviations_of_its_environment() -> None:
    found = surrogate.squared(_t(3.0, 30.0), _t(0.0, 0.0), _t(1.0, 10.0), _t(1.0, 10.0), 0.0)
    assert found.tolist() == pytest.approx([2.0, 2.0])


def test_a_clipped_critic_gains_nothing_by_a_leap() -> None:
    assert surrogate.squared(_t(1.0), _t(0.0), _t(1.0), _t(1.0), 0.2).tolist() == pytest.approx([0.5 * 0.8**2])


def test_divergence_is_the_kl_on_average() -> None:
    one, other = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.2, 0.6])
    found = (one * surrogate.divergence(one.log(), other.log())).sum()
    assert found.item() == pytest.approx((one * (one / other).log()).sum().item(), rel=1e-5)
    assert surrogate.divergence(one.log(), one.log()).tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_the_leash_is_pulled_and_let_go() -> None:
    assert [surrogate.pulled(0.2, found, 0.015) for found in (0.1, 0.015, 0.001)] == [0.4, 0.2, 0.1]


def test_gradients_agree_with_finite_differences() -> None:
    torch.manual_seed(0)
    log_prob = (-torch.rand(6, dtype=torch.float64)).requires_grad_()
    other, advantage = -torch.rand(6, dtype=torch.float64), torch.randn(6, dtype=torch.float64)
    value, returns = torch.randn(6, dtype=torch.float64), torch.randn(6, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: surrogate.clipped(x, other, advantage, 0.08), log_prob)
    assert torch.autograd.gradcheck(lambda x: surrogate.divergence(x, other), log_prob)
    assert torch.autograd.gradcheck(lambda x: surrogate.squared(x, value, returns, torch.ones(6), 0.2), log_prob)


def test_the_gradient_of_a_whole_minibatch_agrees_with_finite_differences() -> None:
    network, rollout = _doubled(24)
    learnt = ppo.lesson(network, rollout, _network(4, 3, seed=9).double())
    recipe, chosen = Recipe(entropy_share=0.1), np.arange(24)

    def loss() -> Tensor:
        return ppo.objective(network, learnt, chosen, recipe, 0.3)[0]

    loss().backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    for parameter in network.parameters():
        assert parameter.grad is not None
        at = int(parameter.grad.abs().argmax())
        assert parameter.grad.flatten()[at].item() == pytest.approx(_slope(loss, parameter, at), rel=1e-4)


def test_eight_decisions_are_learnt_by_heart() -> None:
    network, seen = _network(8, 4), torch.eye(8)
    wanted = torch.arange(8) % 4
    optimizer = ppo.adam(network, TOY)
    for number in range(60):
        rows = Stacked(_inputs(seen.repeat(4, 1), 4), {"action": torch.arange(32) // 8})
        with torch.no_grad():
            said = network(*rows.take(np.arange(32)))
        good = (rows.actions["action"] == wanted.repeat(4)).float()
        rollout = Rollout(rows, torch.zeros(32, dtype=torch.long), said.log_prob, torch.zeros(32), good)
        ppo.update(network, optimizer, rollout, TOY, number=number)
    assert network.logits(_inputs(seen, 4)).softmax(-1).gather(1, wanted[:, None]).min() > 0.95


@pytest.mark.parametrize(("make", "best"), [(Identity, 20), (Doors, 8)])
def test_toys_with_a_known_optimum_are_solved(
    make: Callable[[], Identity | Doors], best: float, tmp_path: Path
) -> None:
    assert _learnt(make, tmp_path, updates=35) > 0.9 * best


def test_the_critic_comes_to_know_what_an_endless_task_is_worth(tmp_path: Path) -> None:
    """Right presses earn 1 for ever, though every episode is cut after five: 1 / (1 - gamma), not 5."""
    network = _trained(lambda: Identity(3, 5), tmp_path, replace(TOY, gamma=0.9, updates=40))
    value = network.value(_inputs(torch.eye(3), 3)).mean().item()
    assert value == pytest.approx(10, abs=2.5)


@pytest.mark.parametrize(
    ("part", "broken"),
    [
        ("clipped", lambda log_prob, played, advantage, clip: advantage * (log_prob - played).exp()),
        ("standardised", lambda advantages: torch.zeros_like(advantages)),
    ],
)
def test_a_broken_one_does_not_solve_them(
    part: str, broken: Callable[..., Tensor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ppo, part, broken)
    assert _learnt(Identity, tmp_path, updates=15) < 0.5 * 20


def test_without_the_clip_one_rollout_takes_the_policy_further_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = replace(TOY, epochs=20, stop_kl=math.inf, clip=0.05)
    within = _moved(recipe)
    monkeypatch.setattr(ppo, "clipped", lambda log_prob, played, advantage, _: -(log_prob - played).exp() * advantage)
    assert _moved(recipe) > 5 * within


def test_the_leash_keeps_a_policy_near(tmp_path: Path) -> None:
    reference = _network(6, 6, seed=0)
    kept = _trained(Identity, tmp_path / "a", replace(TOY, updates=8, leash=50.0), reference=reference)
    free = _trained(Identity, tmp_path / "b", replace(TOY, updates=8))
    assert _away(kept, reference) < 0.1 * _away(free, reference)


def test_successes_are_imitated_again() -> None:
    network, rollout = _played_once()
    successes = Stacked(_inputs(torch.eye(6), 6), {"action": torch.arange(6)})
    recipe = replace(TOY, imitation_share=1.0)
    optimizer = ppo.adam(network, recipe)
    before = ppo.log_probs(network, successes).mean()
    for number in range(10):
        ppo.update(network, optimizer, rollout, recipe, number=number, successes=successes)
    assert ppo.log_probs(network, successes).mean() > before + 1.0


def test_at_first_only_the_critic_learns() -> None:
    network, rollout = _played_once()
    before = {name: each.clone() for name, each in network.state_dict().items()}
    ppo.update(network, ppo.adam(network, TOY), replace(rollout, critic_only=True), TOY)
    moved = {name for name, each in network.state_dict().items() if not torch.equal(each, before[name])}
    assert moved
    assert all(name.startswith("critic.") for name in moved)


def test_an_update_that_goes_too_far_is_cut_short() -> None:
    network, rollout = _played_once()
    points = ppo.update(network, ppo.adam(network, TOY), rollout, replace(TOY, epochs=50, stop_kl=0.005))
    assert points["steps_of_descent"] < 50 * len(rollout.value) / TOY.batch


def test_a_loss_that_is_no_number_ends_the_update() -> None:
    network, rollout = _played_once()
    broken = replace(rollout, log_prob=torch.full_like(rollout.log_prob, float("nan")))
    with pytest.raises(Diverged, match="diverged at step 7: policy_loss is nan"):
        ppo.update(network, ppo.adam(network, TOY), broken, TOY, number=7)


def test_the_same_seed_twice_gives_equal_weights(tmp_path: Path) -> None:
    recipe = replace(TOY, updates=3)
    one, two = (_trained(Doors, tmp_path / name, recipe) for name in "ab")
    assert _equal(one, two)
    assert not _equal(one, _trained(Doors, tmp_path / "c", replace(recipe, seed=1)))


def test_what_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    asked = iter([False, True])
    heard: list[Progress] = []
    with pytest.raises(Stopped, match="update 2 of 25"):
        _trained(Identity, tmp_path, TOY, should_stop=lambda: next(asked))
    _trained(Identity, tmp_path, TOY, report=heard.append)
    assert [each.step for each in heard] == list(range(3, 26))
    assert {"return", "policy_loss", "value_loss", "kl", "clipped_share", "entropy", "explained"} <= heard[
        0
    ].values.keys()


def test_the_weights_that_did_best_are_kept_and_no_gain_ends_it(tmp_path: Path) -> None:
    trials = iter([0.4, 0.5, 0.9, 0.8, 0.7, 0.6])
    kept: list[dict[str, Tensor]] = []
    network = _network(6, 6)

    def judge() -> float:
        kept.append({name: each.clone() for name, each in network.state_dict().items()})
        return next(trials)

    recipe = replace(TOY, judge_every=2, patience=3)
    ended = _train(network, Identity, tmp_path, recipe, judge=judge)
    assert (ended.updates, ended.best, ended.ended, ended.kept) == (10, 0.9, "patience", 4)
    assert all(torch.equal(each, kept[2][name]) for name, each in network.state_dict().items())


def test_a_training_that_ended_does_not_learn_on_unless_it_is_given_more_time(tmp_path: Path) -> None:
    recipe = replace(TOY, judge_every=1, patience=1)
    ended = _train(_network(6, 6), Identity, tmp_path / "judged", recipe, judge=lambda: 0.5)
    again = _train(_network(6, 6), Identity, tmp_path / "judged", recipe, judge=lambda: pytest.fail("judged again"))
    assert (again.updates, again.ended, again.kept) == (ended.updates, "patience", 0)

    recipe = replace(TOY, updates=4)
    spent = _train(_network(6, 6), Identity, tmp_path / "timed", recipe, budget_s=1e-9)
    still = _train(_network(6, 6), Identity, tmp_path / "timed", recipe, budget_s=1e-9)
    more = _train(_network(6, 6), Identity, tmp_path / "timed", recipe)
    assert (spent.updates, still.updates, still.ended, more.updates) == (1, 1, "time", 4)


def test_time_that_is_up_ends_it(tmp_path: Path) -> None:
    assert _train(_network(6, 6), Identity, tmp_path, TOY, budget_s=1e-9).ended == "time"


def test_batches_hold_every_row_once_and_rows_of_like_length() -> None:
    lengths = np.random.default_rng(0).integers(5, 97, 1000)
    batches = list(bucketed(lengths, 64, np.random.default_rng(1)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert {len(each) for each in batches} <= {66, 67}
    padded = sum(len(batch) * int(lengths[batch].max()) for batch in batches)
    assert 1.0 - lengths.sum() / padded < 0.06
    assert [len(each) for each in bucketed(lengths[:3], 64, np.random.default_rng(1))] == [3]


def _t(*numbers: float) -> Tensor:
    return torch.tensor(numbers)


def _log(*chances: float) -> Tensor:
    return torch.tensor(chances).log()


def _network(features: int, actions: int, *, seed: int = 0) -> SmallActorCritic:
    torch.set_num_threads(1)
    return SmallActorCritic(features, actions, seed=seed)


def _inputs(seen: Tensor, actions: int) -> dict[str, Tensor]:
    can = torch.ones(len(seen), actions, dtype=torch.bool)
    return {"seen": seen, "can": can, "environment": torch.zeros(len(seen), dtype=torch.long)}


def _doubled(count: int) -> tuple[SmallActorCritic, Rollout]:
    """A network and a rollout in double precision, as finite differences need it."""
    network = _network(4, 3).double()
    inputs = _inputs(torch.randn(count, 4, dtype=torch.float64), 3)
    rows = Stacked(inputs, {"action": torch.randint(3, (count,))})
    played = -torch.rand(count, dtype=torch.float64) - 0.5
    value, advantage = torch.randn(2, count, dtype=torch.float64)
    return network, Rollout(rows, inputs["environment"], played, value, advantage)


def _slope(loss: Callable[[], Tensor], parameter: Tensor, at: int, *, by: float = 1e-5) -> float:
    found = []
    for step in (by, -by):
        with torch.no_grad():
            parameter.view(-1)[at] += step
            found.append(loss().item())
            parameter.view(-1)[at] -= step
    return (found[0] - found[1]) / (2 * by)


def _played_once() -> tuple[SmallActorCritic, Rollout]:
    network = _network(6, 6)
    return network, VectorCollector(Several(Identity, 16, seed=0), TOY, steps=32)(network, 0)


def _moved(recipe: Recipe) -> float:
    network, rollout = _played_once()
    ppo.update(network, ppo.adam(network, recipe), rollout, recipe)
    return surrogate.divergence(rollout.log_prob, ppo.log_probs(network, rollout.rows)).mean().item()


def _train(
    network: SmallActorCritic,
    make: Callable[[], Identity | Doors],
    work: Path,
    recipe: Recipe,
    *,
    budget_s: float = math.inf,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
    reference: SmallActorCritic | None = None,
    judge: Callable[[], float] | None = None,
) -> ppo.Trained:
    return ppo.train(
        network,
        VectorCollector(Several(make, 16, seed=recipe.seed), recipe, steps=32),
        recipe,
        work=work,
        budget_s=budget_s,
        report=report,
        should_stop=should_stop,
        reference=reference,
        judge=judge,
    )


def _trained(
    make: Callable[[], Identity | Doors],
    work: Path,
    recipe: Recipe,
    *,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
    reference: SmallActorCritic | None = None,
) -> SmallActorCritic:
    size = Several(make, 1, seed=0).actions  # both toys show as many numbers as they have actions
    network = _network(size, size, seed=recipe.seed)
    _train(network, make, work, recipe, report=report, should_stop=should_stop, reference=reference)
    return network


def _learnt(make: Callable[[], Identity | Doors], work: Path, *, updates: int) -> float:
    """Mean return of the last episodes."""
    heard: list[Progress] = []
    _trained(make, work, replace(TOY, updates=updates), report=heard.append)
    return heard[-1].values["return"]


def _away(network: SmallActorCritic, reference: SmallActorCritic) -> float:
    rows = Stacked(_inputs(torch.eye(6).repeat(6, 1), 6), {"action": torch.arange(36) // 6})
    chances = ppo.log_probs(network, rows)
    return float((chances.exp() * (chances - ppo.log_probs(reference, rows))).sum() / 6)


def _equal(one: SmallActorCritic, other: SmallActorCritic) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
