"""Self-imitation learns from verified play alone, the short before the long, where playing teaches something."""

import pytest

from learning import bc, imitate
from learning.imitate import Plan
from learning.networks import Shape
from sandbox.contracts.actions import ActOutcome, ActResult, Click
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory

STEP = Step(
    Observation("", "", ()), None, "policy", None, None, Risk.READ, Click(1), ActResult(ActOutcome.DONE)
)  # fmt: skip


def _played(name: str, steps: int, outcome: Outcome = Outcome.VERIFIED, *, goal: str = "Do it now.") -> Trajectory:
    return Trajectory(name, Task("miniwob", "miniwob/x", Goal(goal), 0), (STEP,) * steps, Verification(outcome))


def _names(found: list[Trajectory]) -> list[str]:
    return [each.id for each in found]


def test_only_what_was_verified_is_kept_and_the_shortest_first() -> None:
    played = [_played("long", 9), _played("failed", 1, Outcome.FAILED), _played("short", 2)]
    assert _names(imitate.best(played, limit=5)) == ["short", "long"]
    assert _names(imitate.best(played, limit=1)) == ["short"]


def test_a_goal_of_many_parts_may_take_more_steps() -> None:
    many = _played("many", 6, goal="Select a, b, c, d, e, f, g, h, i, j, k and then click on the button below.")
    assert _names(imitate.best([_played("few", 4), many], limit=2)) == ["many", "few"]


def test_shares_of_success() -> None:
    assert imitate.share([]) == 0.0
    assert imitate.share([_played("a", 1), _played("b", 1, Outcome.FAILED)]) == pytest.approx(0.5)


def test_a_round_plays_every_task_and_more_of_what_is_neither_solved_nor_hopeless() -> None:
    network = bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4, sentences=1), seed=1)
    heard: list[Trajectory] = []
    plan = Plan(episodes=8, more=3, kept=2)
    found = imitate.practise(network, ["click-test", "choose-date", "click-test-2"], plan, heard=heard.append)
    count = {name: sum(each.task.template == f"miniwob/{name}" for each in heard) for name in found.shares}
    assert count["click-test"] == 8  # solved already
    assert count["choose-date"] == 8  # hopeless yet
    assert count["click-test-2"] == 11
    assert found.episodes == len(heard) == 27
    assert all(each.verification.outcome is Outcome.VERIFIED for each in found.successes)
    assert len({each.task.seed for each in heard if each.task.template == "miniwob/click-test-2"}) == 11
