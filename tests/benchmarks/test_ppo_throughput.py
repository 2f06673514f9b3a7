"""Who is compared in learning takes turns, and nobody has work done beforehand or more of it than the pages ask for."""

from collections.abc import Callable
from functools import partial

import pytest
import torch

from benchmarks import ppo_throughput
from benchmarks.ppo_throughput import Told
from learning import packing
from learning.arrays import MAX_ELEMENTS, MAX_OPTIONS
from learning.samples import lessons
from tests.learning.pages import a_demonstration


@pytest.fixture(scope="module")
def told() -> Told:
    torch.set_num_threads(1)
    return ppo_throughput.telling(lessons([a_demonstration(seed) for seed in range(2)]).samples)


def test_everybody_has_a_round_before_anybody_has_the_next() -> None:
    had: list[str] = []

    def turn(who: str) -> float:
        had.append(who)
        return float(len(had))

    turns: dict[str, Callable[[], float]] = {who: partial(turn, who) for who in ("ours", "loop", "SB3")}
    assert ppo_throughput.in_turn(turns, 2) == {"ours": [1.0, 4.0], "loop": [2.0, 5.0], "SB3": [3.0, 6.0]}
    assert had == ["ours", "loop", "SB3"] * 2


def test_every_round_of_ours_packs_its_pages_itself(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[int] = []

    def counted(*given: object) -> packing.Shelf:
        packed.append(1)
        return shelved(told.pages.arrays)

    shelved = packing.shelved
    monkeypatch.setattr(packing, "shelved", counted)
    ppo_throughput._ours(told)
    ppo_throughput._ours(told)
    assert packed == [1, 1]


def test_a_padded_buffer_is_as_wide_as_the_longest_page_of_the_rollout(told: Told) -> None:
    elements = max(len(each.element_kinds) for each in told.pages.arrays)
    options = max(len(each.option_parents) for each in told.pages.arrays)
    assert told.inputs["element_there"].shape[1] == elements
    assert told.inputs["option_there"].shape[1] == options
    assert elements < MAX_ELEMENTS
    assert options < MAX_OPTIONS
