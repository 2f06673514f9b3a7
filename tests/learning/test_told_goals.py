"""Pages that tell their goal themselves, played by a policy."""

from collections.abc import Sequence

from learning.rollouts import Episode, play
from sandbox.contracts.actions import GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.env import Gym


class Remembers:
    """A policy that gives up and remembers what it was asked."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        self.goal = goal
        return Proposal(GiveUp("seen enough"), 1.0)


def test_where_a_page_tells_its_goal_itself_the_policy_hears_that_one() -> None:
    gym, policy = Gym("miniwob"), Remembers()
    try:
        played = play(gym, Episode("miniwob/click-button", 3, "train", "try"), policy)
    finally:
        gym.close()
    assert policy.goal == played.task.goal
    assert policy.goal.text.startswith("Click on the")
