"""MiniWoB++ pages behind the contracts."""

import sys
from collections.abc import Iterator

import pytest

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Outcome, Task
from sandbox.env import Gym
from sandbox.registry import NoOracle
from sandbox.worlds.miniwob.catalogue import names, published
from sandbox.worlds.miniwob.tasks import goal

NESTED = 3  # a seed whose menu has the asked-for item two menus down


@pytest.fixture(scope="module")
def gym() -> Iterator[Gym]:
    gym = Gym("miniwob")
    yield gym
    gym.close()


def task(name: str, seed: int = 3) -> Task:
    return sessions.sample(f"miniwob/{name}", seed=seed, split="train")


def only(observation: Observation, role: str, name: str) -> Element:
    (found,) = [each for each in observation.elements if each.role == role and each.name == name]
    return found


def test_the_package_carries_every_published_task_and_is_not_imported_for_it() -> None:
    assert set(published()) <= set(names())
    assert len(published()) == 56
    assert len(names()) > 100
    assert "miniwob" not in sys.modules


def test_the_page_tells_the_goal_and_quoted_texts_are_its_fields(gym: Gym) -> None:
    gym.reset(task("login-user"))
    name, password = (text for _, text in gym.task.goal.fields)
    assert f'"{name}"' in gym.task.goal.text
    assert f'"{password}"' in gym.task.goal.text
    assert goal('Type "a b" twice.').fields == (("quoted 1", "a b"),)


def test_a_page_that_names_its_fields_is_believed(gym: Gym) -> None:
    gym.reset(task("email-inbox-forward-nl", 1))
    told = dict(gym.task.goal.fields)
    assert {"by", "to"} <= set(told)
    assert all(told[name] in gym.task.goal.text for name in ("by", "to"))


def test_the_same_seed_gives_the_same_first_screen_and_another_seed_another(gym: Gym) -> None:
    first, again, other = (gym.reset(task("click-button", seed)).fingerprint for seed in (3, 3, 4))
    assert first == again
    urls = {gym.reset(sessions.sample("miniwob/click-button", seed=3, split=split)).url for split in ("train", "test")}
    assert len(urls) == 2
    assert first != other


def test_doing_what_is_asked_is_verified_by_the_pages_server_and_doing_nothing_is_not(gym: Gym) -> None:
    page = gym.reset(task("login-user"))
    name, password = (text for _, text in gym.task.goal.fields)
    assert gym.verify("").outcome is Outcome.FAILED
    gym.act(Type(only(page, "textbox", "Username").ref, name))
    gym.act(Type(only(page, "textbox", "Password").ref, password))
    _, after = gym.act(Click(only(page, "button", "Login").ref))
    assert gym.verify("").outcome is Outcome.VERIFIED
    assert only(after, "status", "The task has ended.")
    gym.reset(task("login-user"))
    assert gym.verify("").outcome is Outcome.FAILED


def test_a_wrong_step_ends_the_episode_without_success(gym: Gym) -> None:
    page = gym.reset(task("click-button"))
    wanted = gym.task.goal.fields[0][1]
    wrong = next(each for each in page.elements if each.role == "button" and each.name != wanted)
    gym.act(Click(wrong.ref))
    found = gym.verify("")
    assert [check.holds for check in found.checks] == [True, False]
    assert found.outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("name", "usable"),
    [
        ("social-media", "like"),  # an icon that shows no pointer
        ("grid-coordinate", "(-2,1)"),  # a drawn circle
        ("click-color", "color pink"),  # a box without a word
        ("email-inbox", "trash"),  # an icon in a row that is usable itself
    ],
)
def test_what_listens_for_clicks_can_be_used_and_keeps_its_name_when_clicked(gym: Gym, name: str, usable: str) -> None:
    page = gym.reset(task(name, 1))
    target = next(each for each in page.elements if each.name == usable)
    assert target.actionable
    _, after = gym.act(Click(target.ref))
    assert {each.name for each in after.elements if each.ref == target.ref} <= {usable}


def test_a_menu_opens_under_the_pointer_and_only_what_opens_nothing_is_chosen(gym: Gym) -> None:
    page = gym.reset(task("click-menu", NESTED))
    path = gym.task.goal.text.removeprefix("Select ").split(">")
    assert len(path) == 3
    for name in path:
        assert gym.verify("").outcome is Outcome.FAILED
        result, page = gym.act(Click(only(page, "menuitem", name).ref))
        assert result.outcome is ActOutcome.DONE
    assert gym.verify("").outcome is Outcome.VERIFIED


def test_what_is_drawn_in_an_elements_place_is_called_by_its_file(gym: Gym) -> None:
    page = gym.reset(task("tic-tac-toe"))
    free = next(each for each in page.elements if each.name == "index 4")
    _, after = gym.act(Click(free.ref))
    marks = {each.name.partition(" index ")[0] for each in after.elements if " index " in each.name}
    assert marks == {"x", "o"}
    assert only(after, "button", "x index 4").ref == free.ref


def test_there_is_no_oracle_and_it_says_why() -> None:
    with pytest.raises(NoOracle, match="demonstrations"):
        sessions.oracle(task("click-button"))


def test_no_ticket_can_be_filed_for_it() -> None:
    assert "miniwob" not in {each.id for each in sessions.environments()}


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_page_begins_with_a_goal_and_something_to_see(gym: Gym, name: str) -> None:
    page = gym.reset(task(name))
    assert gym.task.goal.text
    assert page.elements
