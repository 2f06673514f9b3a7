"""A policy at work: right on fresh names, honest about its chances, never in a circle."""

from pathlib import Path

import pytest

from learning import jobs
from learning.policy import leads_nowhere
from sandbox.contracts.actions import Action, ActOutcome, Click, Finish, Press, Type, Wait
from sandbox.contracts.policies import Policy
from tests.learning.pages import a_form, a_goal, a_list, remembered


@pytest.fixture(scope="module")
def policy(folder: Path) -> Policy:
    """The one that learnt the hand-drawn console."""
    return jobs.load_policy(folder, name="v7")


def test_it_finds_the_button_in_the_row_of_a_name_it_has_never_seen(policy: Policy) -> None:
    page = a_list("web-1", "xylophone-88", "xylophone-881")
    proposal = policy.act(page, a_goal("xylophone-88"), ())
    assert proposal.action == Click(22)
    assert proposal.policy == "v7"
    assert proposal.why == 'button "Quota" stands in the row of the goal\'s bucket "xylophone-88"'


def test_it_types_an_amount_it_has_never_seen(policy: Policy) -> None:
    proposal = policy.act(a_form(), a_goal("xylophone-88", "7351"), ())
    assert proposal.action == Type(71, "7351")
    assert "7351" in proposal.why


def test_what_is_filled_in_is_not_filled_in_again(policy: Policy) -> None:
    assert policy.act(a_form("7351", "GB"), a_goal("xylophone-88", "7351"), ()).action == Click(73)


def test_chances_are_sorted_and_no_more_than_all(policy: Policy) -> None:
    proposal = policy.act(a_list("web-1", "logs-3"), a_goal(), ())
    chances = [proposal.probability, *(each.probability for each in proposal.alternatives)]
    assert chances == sorted(chances, reverse=True)
    assert 0.0 < sum(chances) <= 1.0 + 1e-6
    assert len(proposal.alternatives) == 3
    assert proposal.action not in [each.action for each in proposal.alternatives]
    assert 0.0 <= proposal.value <= 1.0


def test_the_same_state_gives_the_same_proposal(policy: Policy) -> None:
    page = a_list("web-1", "logs-3")
    assert policy.act(page, a_goal(), ()) == policy.act(page, a_goal(), ())


def test_what_twice_had_no_effect_is_not_proposed_a_third_time(policy: Policy) -> None:
    page = a_list("web-1", "logs-3")
    first = policy.act(page, a_goal(), ()).action
    history = (remembered(page, first, ActOutcome.NO_EFFECT),) * 2
    assert policy.act(page, a_goal(), history).action != first


def test_a_page_with_nothing_on_it_is_waited_on_or_left(policy: Policy) -> None:
    assert not isinstance(policy.act(a_list(), a_goal(), ()).action, Type)


@pytest.mark.parametrize(
    ("action", "times", "outcome", "nowhere"),
    [
        (Click(12), 1, ActOutcome.NO_EFFECT, False),
        (Click(12), 2, ActOutcome.COVERED, True),
        (Click(12), 2, ActOutcome.DONE, False),
        (Click(12), 4, ActOutcome.DONE, True),
        (Press("Enter"), 2, ActOutcome.NO_EFFECT, True),
        (Wait(), 5, ActOutcome.NO_EFFECT, False),
        (Wait(), 12, ActOutcome.DONE, True),
        (Finish(), 9, ActOutcome.NO_EFFECT, False),
    ],
)
def test_the_loop_guard(action: Action, times: int, outcome: ActOutcome, nowhere: bool) -> None:
    page = a_list("logs-3")
    assert leads_nowhere(action, page, (remembered(page, action, outcome),) * times) is nowhere


def test_another_text_in_the_same_field_is_another_action() -> None:
    page = a_form()
    history = (remembered(page, Type(71, "5"), ActOutcome.NO_EFFECT),) * 2
    assert not leads_nowhere(Type(71, "6"), page, history)
