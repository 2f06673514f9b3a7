"""Whole episodes from players to the learner: the same twice, and gone on with."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from learning import acting, collecting, ppo
from learning.acting import Acting
from learning.arrays import Arrays
from learning.collecting import SegmentCollector, World, advantages_of, consistency, measured
from learning.curriculum import Curriculum
from learning.curriculum import Path as Way
from learning.features import scene
from learning.networks import ElementSetPolicy, Shape, sizes
from learning.phases import Phase
from learning.ppo import Recipe
from learning.progress import Stopped
from learning.segments import Order, Segment, SegmentPlayer
from sandbox.contracts.actions import Action, Finish, Wait
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Goal
from sandbox.levels import Level

SMALL = Shape(width=32, layers=1, heads=2, word_width=8)
TEMPLATES = ("cloud/start-instance", "cloud/stop-instance", "cloud/find-disk-fact")
RECIPE = Recipe(batch=32, updates=4, seed=3)
ORDER = Order(TEMPLATES, 60, (1, 0), slots=4, changed=2)
WORLD = World(TEMPLATES, decisions=60, slots=4, phases=(Phase("explore", (), most=9, even=0.1, changed=2, starts=0.3),))


def test_a_level_that_was_done_nobody_knows_how_is_no_way() -> None:
    curriculum = Curriculum()
    curriculum.record(Level("a", "a/b", 1), verified=True, score=0.0, actions=())
    assert (curriculum.paths, curriculum.success("a/b")) == ({}, 1.0)


def test_the_same_order_and_weights_give_the_same_episodes() -> None:
    (one, met), (two, again) = (_player().play(ORDER) for _ in range(2))
    assert met == again
    assert [(each.level, each.done, each.end) for each in one] == [(each.level, each.done, each.end) for each in two]
    assert np.array_equal(np.concatenate([each.log_prob for each in one]), np.concatenate([e.log_prob for e in two]))


def test_one_who_answers_for_all_needs_players_that_are_actors() -> None:
    with pytest.raises(ValueError, match="ask for workers, or leave central out"):
        SegmentCollector(replace(WORLD, central=True), RECIPE)


def test_every_episode_is_whole_and_every_decision_has_what_came_of_it() -> None:
    segments, _ = _player().play(ORDER)
    assert sum(len(each.pages) for each in segments) >= ORDER.decisions
    for each in segments:
        assert len(each.pages) == len(each.log_prob) == len(each.value) == len(each.rewards) == len(each.done)
        assert each.end in ("finish", "give_up", "danger", "steps")
        assert each.terminated == (each.end != "steps")
        assert (each.next_value != 0.0) == (each.end == "steps")


def test_what_was_drawn_is_as_likely_as_the_learner_finds_it() -> None:
    segments, _ = _player().play(ORDER)
    rows = collecting.pages_of(segments, ("cloud",))
    played = torch.from_numpy(np.concatenate([each.log_prob for each in segments]))
    assert torch.allclose(ppo.log_probs(_network(), rows), played, atol=1e-4)


def test_a_start_is_taken_before_the_policy_is_asked() -> None:
    level = Level("cloud?locale=zh", "cloud/start-instance", 5)
    order = Order(TEMPLATES, 10, (2,), slots=1, given=((level, (Wait(), Wait())),), given_share=1.0)
    first = _player().play(order)[0][0]
    assert first.level == level
    assert first.done[:2] == (Wait(), Wait())
    assert len(first.pages) == len(first.done) - 2
    assert first.pages[0].history_kinds[:, 0].astype(bool).sum() == 2  # the policy remembers what was done


def test_advantages_are_of_each_episode_by_itself() -> None:
    done = _segment(rewards=[0.0, 1.0], value=[0.5, 0.5], terminated=True)
    cut = _segment(rewards=[0.0], value=[2.0], terminated=False, next_value=4.0)
    found = advantages_of([done, cut], Recipe(gamma=0.5, lam=0.5))
    # the second 1 - .5; the first .5 * .5 - .5 + .25 * .5; the cut one .5 * 4 - 2
    assert found.tolist() == pytest.approx([-0.125, 0.5, 0.0])


def test_curves_are_of_episodes_and_decisions() -> None:
    found = measured([_segment(rewards=[0.0, 1.0], verified=True), _segment(rewards=[-1.0], useless=1)])
    assert (found["decisions"], found["episodes"], found["length"]) == (3.0, 2.0, 1.5)
    assert (found["reward"], found["success"], found["success/a/b"]) == (0.0, 0.5, 0.5)
    assert found["useless_share"] == pytest.approx(1 / 3)


def test_consistency_is_the_share_of_pairs_that_end_alike() -> None:
    ends = [_segment(rewards=[0.0], verified=verified) for verified in (True, True, False)]
    assert consistency(ends) == pytest.approx(1 / 3)
    assert consistency(ends[:2]) == 1.0
    assert consistency(ends[:1]) == 0.0


def test_rewards_that_discount_otherwise_than_the_recipe_are_refused() -> None:
    with pytest.raises(ValueError, match=r"discounts by 0.99 and the recipe by 0.5: make them equal"):
        SegmentCollector(WORLD, Recipe(gamma=0.5))


def test_killed_and_gone_on_with_is_bit_for_bit_the_same(tmp_path: Path) -> None:
    asked = iter([False, True])
    with pytest.raises(Stopped, match="update 2 of 4"):
        _trained(tmp_path / "a", should_stop=lambda: next(asked))
    resumed, whole = _trained(tmp_path / "a"), _trained(tmp_path / "b")
    assert all(torch.equal(each, whole[name]) for name, each in resumed.items())


def test_success_is_recorded_and_its_way_remembered() -> None:
    curriculum = Curriculum(rate=0.5)
    level = Level("cloud", "cloud/a", 1)
    curriculum.record(level, verified=True, score=0.1, actions=[Wait(), Wait(), Finish()])
    curriculum.record(level, verified=True, score=0.3, actions=[Wait(), Finish()])
    curriculum.record(level, verified=True, score=0.2, actions=[Wait(), Wait(), Wait(), Finish()])
    curriculum.record(level, verified=False, score=0.2, actions=[Finish()])
    assert curriculum.success("cloud/a") == 0.5
    assert curriculum.paths[level].actions == (Wait(), Finish())
    assert curriculum.scores == {level: 0.2}


@pytest.mark.parametrize(
    ("verified", "teaches"), [((0,) * 30, False), ((1,) * 30, False), ((0, 1) * 15, True), ((1,), True)]
)
def test_what_is_never_or_always_done_teaches_nothing(verified: tuple[int, ...], teaches: bool) -> None:
    curriculum = Curriculum()
    for number, each in enumerate(verified):
        curriculum.record(Level("cloud", "cloud/a", number), verified=bool(each), score=0.0, actions=[Finish()])
    assert curriculum.teaches("cloud/a") == teaches


def test_some_of_what_teaches_nothing_is_played_all_the_same() -> None:
    curriculum = Curriculum()
    names = [f"cloud/{n}" for n in range(200)]
    for name in names[:100]:
        for seed in range(9):
            curriculum.record(Level("cloud", name, seed), verified=False, score=0.0, actions=[])
    found = curriculum.chosen(names, np.random.default_rng(0))
    assert found[-100:] == names[100:]
    assert 5 < len(found) - 100 < 40


def test_starts_are_nearer_the_end_the_rarer_a_success() -> None:
    rare, often = Curriculum(), Curriculum()
    way = Way(Level("cloud", "cloud/a", 0), (*(Wait(),) * 20, Finish()))
    for curriculum, verified in ((rare, False), (often, True)):
        curriculum.learn(way)
        for seed in range(1, 20):
            curriculum.record(Level("cloud", "cloud/a", seed), verified=verified, score=0.0, actions=way.actions)
    rng = np.random.default_rng(0)
    taken = [
        [at for _ in range(40) for _, at in curriculum.starts(["cloud/a"], 1, rng)] for curriculum in (rare, often)
    ]
    assert max(taken[0]) > 15
    assert max(taken[1]) == 0
    assert rare.starts(["cloud/other"], 3, rng) == []


def test_a_curriculum_goes_on_from_what_it_noted() -> None:
    curriculum = Curriculum()
    curriculum.record(Level("cloud", "cloud/a", 1), verified=True, score=0.5, actions=[Wait(), Finish("12")])
    other = Curriculum()
    other.recall(curriculum.noted())
    assert (other.standings, other.scores, other.paths) == (curriculum.standings, curriculum.scores, curriculum.paths)


def _page() -> Arrays:
    """A page with nothing on it."""
    return scene(Observation("http://127.0.0.1/", "empty", ()), Goal("do it"), ()).arrays


def _network() -> Acting:
    torch.set_num_threads(1)
    torch.manual_seed(4)
    return Acting(ElementSetPolicy(SMALL))


def _player() -> SegmentPlayer:
    player = SegmentPlayer(sizes(SMALL), ("cloud",))
    player.take_weights(1, {name: each.numpy() for name, each in _network().state_dict().items()})
    return player


def _trained(work: Path, *, should_stop: Callable[[], bool] = lambda: False) -> dict[str, Tensor]:
    network = _network()
    ppo.train(
        network,
        SegmentCollector(WORLD, RECIPE),
        RECIPE,
        work=work,
        budget_s=math.inf,
        report=lambda _: None,
        should_stop=should_stop,
        reference=_network(),
    )
    return network.state_dict()


def _segment(
    *,
    rewards: list[float],
    value: list[float] | None = None,
    terminated: bool = True,
    next_value: float = 0.0,
    verified: bool = False,
    useless: int = 0,
) -> Segment:
    actions: tuple[Action, ...] = (Wait(),) * len(rewards)
    count = len(rewards)
    return Segment(
        level=Level("a", "a/b", 1),
        pages=[_page()] * count,
        actions={name: np.zeros(count, np.int64) for name in acting.NAMES},
        log_prob=np.zeros(count, np.float32),
        value=np.array(value or [0.0] * count, np.float32),
        rewards=np.array(rewards, np.float32),
        terminated=terminated,
        next_value=next_value,
        end="finish",
        verified=verified,
        done=actions,
        useless=useless,
    )
