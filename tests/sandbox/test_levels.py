"""Levels: replay follows score and staleness; a deck deals cold variants first, and the same seed deals the same."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.levels import Course, Deck, Level, Replay
from sandbox.registry import Registered
from sandbox.variants import VariantGenerator, parse
from tests.sandbox.tiny import DIMENSIONS, REGISTERED, TEMPLATE, Count

LEVELS = [Level("tiny", TEMPLATE.id, seed) for seed in range(6)]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(LEVELS), st.floats(-5, 5), min_size=1), st.integers(0, 30))
def test_probabilities_are_some_for_each_and_follow_the_ranks(scores: dict[Level, float], draws: int) -> None:
    replay, rng = Replay(staleness=0.0), random.Random(0)
    for level, score in scores.items():
        replay.record(level, score)
    for _ in range(draws):
        assert replay.draw(rng) in scores
    probabilities = replay.probabilities()
    assert sum(probabilities.values()) == pytest.approx(1.0)
    assert min(probabilities.values()) > 0
    by_score = sorted(scores, key=lambda level: -scores[level])
    assert probabilities[by_score[0]] == max(probabilities.values())


def test_what_was_not_played_for_long_comes_back() -> None:
    replay, rng = Replay(temperature=0.1, staleness=0.5), random.Random(0)
    for level, score in zip(LEVELS, (9.0, 1.0, 1.0, 1.0, 1.0, 1.0), strict=True):
        replay.record(level, score)
    drawn = [replay.draw(rng) for _ in range(300)]
    assert set(drawn) == set(LEVELS)
    assert drawn.count(LEVELS[0]) > 120


def test_the_weakest_makes_room_and_a_weaker_one_is_not_kept() -> None:
    replay = Replay(capacity=2)
    assert replay.record(LEVELS[0], 1.0)
    assert replay.record(LEVELS[1], 2.0)
    assert not replay.record(LEVELS[2], 0.5)
    assert replay.record(LEVELS[3], 3.0)
    assert set(replay.probabilities()) == {LEVELS[1], LEVELS[3]}
    assert replay.metrics()["levels_best_score"] == 3.0


def test_nothing_known_is_told_and_no_number_is_no_score() -> None:
    with pytest.raises(LookupError, match="no level has a score yet"):
        Replay().draw(random.Random(0))
    with pytest.raises(ValueError, match="expected a number as score"):
        Replay().record(LEVELS[0], float("nan"))


def test_the_same_seed_deals_the_same_levels_and_tasks() -> None:
    first, second = (Deck.of([REGISTERED], seed=4) for _ in range(2))
    levels = [first.deal() for _ in range(20)]
    assert levels == [second.deal() for _ in range(20)]
    assert [first.task(level) for level in levels] == [second.task(level) for level in levels]
    task = first.task(levels[0])
    assert (task.environment, task.seed) == (levels[0].environment, levels[0].seed)


def test_every_variant_is_met_before_one_is_met_often() -> None:
    deck = Deck.of([REGISTERED], seed=1)
    counts: dict[str, int] = {}
    for _ in range(490):
        level = deck.deal()
        counts[level.environment] = counts.get(level.environment, 0) + 1
    assert len(counts) == 49
    assert max(counts.values()) <= 15


def test_a_test_deck_deals_held_out_variants_only() -> None:
    deck = Deck.of([REGISTERED], seed=1, split="test")
    assert {deck.deal().environment for _ in range(9)} == {"tiny?tone=t49"}


def test_known_levels_are_dealt_again_as_often_as_asked() -> None:
    deck = Deck([Course(VariantGenerator("tiny", DIMENSIONS), {TEMPLATE.id: Count()})], seed=2, replay=0.5)
    deck.known.record(LEVELS[0], 1.0)
    dealt = [deck.deal() for _ in range(200)]
    assert 60 < dealt.count(LEVELS[0]) < 140
    assert deck.metrics()["levels_replayed"] == dealt.count(LEVELS[0])


def test_a_deck_without_templates_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one environment with templates"):
        Deck.of([Registered(REGISTERED.environment, {})], seed=0)


def test_the_recipe_of_a_level_is_the_recipe_of_its_task() -> None:
    deck = Deck.of([REGISTERED], seed=9)
    level = deck.deal()
    assert parse(deck.task(level).environment) == parse(level.environment)
