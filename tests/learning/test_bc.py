"""Behaviour cloning learns, repeats itself, and goes on where it was stopped."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from learning import bc
from learning.bc import Recipe
from learning.losses import Diverged
from learning.networks import ElementSetPolicy, Shape
from learning.progress import Progress, Stopped
from learning.samples import Sample, lessons
from tests.learning.pages import a_demonstration

SMALL = Shape(width=32, layers=1, heads=2, word_width=8)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Every step of some demonstrations."""
    torch.set_num_threads(1)
    return lessons(a_demonstration(seed) for seed in range(6)).samples


def _train(
    samples: list[Sample],
    work: Path,
    recipe: Recipe,
    *,
    report: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> ElementSetPolicy:
    network = bc.fresh(SMALL, seed=recipe.seed)
    bc.train(samples, network, recipe, work=work, budget_s=600, report=report, should_stop=should_stop)
    return network


def _equal(one: ElementSetPolicy, other: ElementSetPolicy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_eight_examples_are_memorised(samples: list[Sample]) -> None:
    eight = samples[:8]
    network = bc.fresh(Shape(), seed=1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    losses = [bc.update(network, optimizer, eight, Recipe(), step=step) for step in range(60)]
    assert losses[-1] < 0.05
    assert bc.accuracy(network, eight) == {"hand/change-quota": (8, 8)}


def test_the_same_seed_twice_gives_equal_weights(samples: list[Sample], tmp_path: Path) -> None:
    recipe = Recipe(steps=12, batch=4, seed=5)
    assert _equal(_train(samples, tmp_path / "a", recipe), _train(samples, tmp_path / "b", recipe))


def test_another_seed_gives_other_weights(samples: list[Sample], tmp_path: Path) -> None:
    one = _train(samples, tmp_path / "a", Recipe(steps=3, batch=4, seed=5))
    other = _train(samples, tmp_path / "b", Recipe(steps=3, batch=4, seed=6))
    assert not _equal(one, other)


def test_stopped_and_resumed_is_bit_for_bit_the_same(samples: list[Sample], tmp_path: Path) -> None:
    recipe = Recipe(steps=12, batch=4, seed=5)
    asked = iter([False] * 7 + [True] * 100)
    with pytest.raises(Stopped, match="step 7 of 12"):
        _train(samples, tmp_path / "a", recipe, should_stop=lambda: next(asked))
    resumed = _train(samples, tmp_path / "a", recipe)
    assert _equal(resumed, _train(samples, tmp_path / "b", recipe))


def test_a_checkpoint_of_another_recipe_is_not_gone_on_from(samples: list[Sample], tmp_path: Path) -> None:
    _train(samples, tmp_path / "a", Recipe(steps=3, batch=4, seed=5))
    again = _train(samples, tmp_path / "a", Recipe(steps=4, batch=4, seed=5))
    assert _equal(again, _train(samples, tmp_path / "b", Recipe(steps=4, batch=4, seed=5)))


def test_it_says_how_far_it_is(samples: list[Sample], tmp_path: Path) -> None:
    heard: list[Progress] = []
    _train(samples, tmp_path, Recipe(steps=4, batch=4, held_out_one_in=2, judge_every=2), report=heard.append)
    assert [each.phase for each in heard] == ["train", "train", "judge"]
    assert (heard[0].step, list(heard[0].values)) == (1, ["loss"])  # a curve even of a run that is soon over
    assert heard[-1].progress == 1.0
    assert 0.0 <= heard[-1].values["held_out_accuracy"] <= 1.0


def test_templates_are_drawn_alike_and_sessions_get_their_share(samples: list[Sample]) -> None:
    many = [_as(sample, "old", session=False) for sample in samples[:20]]
    few = [_as(sample, "rare", session=False) for sample in samples[:2]]
    real = [_as(sample, "new", session=True) for sample in samples[:3]]
    chances = bc.probabilities([*many, *few, *real], session_share=0.5)
    assert chances[:20].sum() == pytest.approx(0.25)
    assert chances[20:22].sum() == pytest.approx(0.25)
    assert chances[22:].sum() == pytest.approx(0.5)


def test_free_play_shares_with_demonstrations_what_sessions_leave(samples: list[Sample]) -> None:
    shown = [_as(sample, "old", session=False) for sample in samples[:4]]
    free = [replace(_as(sample, name, session=False), free=True) for sample in samples[:5] for name in ("old", "rare")]
    real = [_as(sample, "new", session=True) for sample in samples[:3]]
    alone = bc.probabilities([*shown, *free], session_share=0.5)
    assert (alone[:4].sum(), alone[4:].sum()) == (pytest.approx(0.5), pytest.approx(0.5))
    chances = bc.probabilities([*shown, *free, *real], session_share=0.6)
    assert chances[:4].sum() == pytest.approx(0.2)
    assert chances[4:14:2].sum() == pytest.approx(0.1)
    assert chances[14:].sum() == pytest.approx(0.6)


def _as(sample: Sample, template: str, *, session: bool) -> Sample:
    return Sample(sample.arrays, sample.label, 1.0, template, "t", session, sample.succeeded, sample.changed)


def test_a_flat_list_of_actions_is_learnt_by_the_same_training(samples: list[Sample]) -> None:
    eight = samples[:8]
    network = bc.fresh(SMALL, seed=1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=5e-3)
    losses = [bc.update(network, optimizer, eight, Recipe(flat=True), step=step) for step in range(40)]
    assert losses[-1] < 0.2 * losses[0]


def test_a_loss_that_is_no_number_ends_the_training(samples: list[Sample], tmp_path: Path) -> None:
    broken = bc.fresh(SMALL, seed=1)
    torch.nn.init.constant_(broken.norm.weight, float("nan"))
    quiet = {"budget_s": 600, "report": lambda _: None, "should_stop": lambda: False}
    with pytest.raises(Diverged, match=r"diverged at step 1: loss is nan\. Train again with another seed"):
        bc.train(samples, broken, Recipe(steps=3, batch=4), work=tmp_path, **quiet)  # type: ignore[arg-type]  # as named
