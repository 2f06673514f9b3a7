"""As many corrected sessions and variants as are asked for, or an error that says how many there were."""

from collections.abc import Sequence

import pytest

from benchmarks import one_correction
from benchmarks.one_correction import Moment
from learning.rollouts import Episode, play
from sandbox import env
from sandbox.contracts.actions import Click, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.contracts.trajectories import Trajectory
from sandbox.worlds.console.simulator import ConsoleSimulator

TEMPLATE = "cloud/create-disk"


class Lost:
    """Always wrong."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        return Proposal(GiveUp("I do not know."), 1.0)


def _first_moment() -> Moment:
    worked = play(env.player("cloud"), Episode(TEMPLATE, 3, "train", "demonstrate"), None)
    return one_correction._moments(worked)[0]


def test_looking_for_variants_ends_when_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Episode] = []
    closed: list[ConsoleSimulator] = []

    def counted(gym: ConsoleSimulator, episode: Episode, policy: None) -> Trajectory:
        played.append(episode)
        return play(gym, episode, policy)

    moment = _first_moment()
    monkeypatch.setattr(one_correction, "play", counted)
    monkeypatch.setattr(ConsoleSimulator, "close", lambda gym: closed.append(gym))
    assert [each.kind() for each in one_correction._others(TEMPLATE, moment, 1)] == [moment.kind()]
    assert ([each.seed for each in played], len(closed)) == ([0], 1)


def test_too_few_variants_are_named() -> None:
    first = _first_moment()
    elsewhere = Moment(first.page, first.goal, (), Click(10**6))
    with pytest.raises(RuntimeError, match=r"cloud/create-disk: 0 variants of step 1: expected 1"):
        one_correction._others(TEMPLATE, elsewhere, 1)


def test_too_few_sessions_with_one_correction_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_correction, "TEMPLATES", (TEMPLATE,))
    with pytest.raises(RuntimeError, match="0 sessions with just one correction: expected 1"):
        one_correction._corrected(Lost(), 1)
