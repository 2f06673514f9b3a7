"""Failures of one kind come into one cluster, which has the name of its cause."""

import random

import pytest

from sandbox.failures import clusters
from tests.sandbox.semantics.pages import DONE, SAVE, failures, page, played

KINDS = ("refused_input", "loop", "gave_up", "time_out", "blocked_by_policy", "not_found", "wrong_target")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_known_by_itself(kind: str) -> None:
    found = clusters(failures(kind, 6))
    assert {each.cause for each in found} == {kind}
    assert sum(each.share for each in found) == pytest.approx(1.0)


def test_mixed_failures_are_told_apart() -> None:
    mixed = [each for kind in KINDS for each in failures(kind, 9)]
    random.Random(1).shuffle(mixed)
    found = clusters(mixed)
    rightly = [id.startswith(each.cause) for each in found for id in each.trajectories]
    assert len(rightly) == len(mixed)
    assert sum(rightly) / len(rightly) >= 0.9
    assert len(found) <= 2 * len(KINDS)
    refused = next(each for each in found if each.cause == "refused_input")
    assert "REFUSED_INPUT" in refused.marks


def test_what_succeeded_is_no_failure() -> None:
    assert clusters([played([(page(), SAVE, DONE)], held=True)]) == ()


def test_many_failures_join_the_clusters_of_some() -> None:
    many = [*failures("loop", 200), *failures("gave_up", 150)]
    found = clusters(many)
    assert sum(len(each.trajectories) for each in found) == 350
    assert {each.cause for each in found} == {"loop", "gave_up"}
