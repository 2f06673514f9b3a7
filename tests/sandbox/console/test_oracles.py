"""Oracles in Chromium: they solve every template, nothing solves none, and they find back after wrong steps."""

import random
from pathlib import Path

import pytest

from sandbox import sessions
from sandbox.contracts.actions import Action, ActOutcome, Click, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Risk, Task, Verification
from sandbox.env import Gym
from sandbox.worlds.console.cloud import CLOUD

TEMPLATES = [template.id for template in sessions.templates("cloud")]
FORM_BUTTONS = {kind.create_title for kind in CLOUD.kinds} | {
    f"{verb.title} {kind.title.lower()}" for kind in CLOUD.kinds for verb in kind.verbs
}
LIMIT = 80


def play(gym: Gym, task: Task, *, noise: float = 0.0) -> tuple[Verification, list[Past]]:
    """An episode by the oracle, with this share of harmless wrong steps in its first half."""
    rng = random.Random(task.seed)
    oracle = sessions.oracle(task)
    observation = gym.reset(task)
    history: list[Past] = []
    while len(history) < LIMIT:
        action = oracle.act(observation, task.goal, history).action
        wrong = rng.random() < noise and len(history) < LIMIT // 2
        action = wrong_step(observation, rng) if wrong else action
        match action:
            case Finish(said):
                return gym.verify(said), history
            case GiveUp():
                break
        result, after = gym.act(action)
        history.append(past(observation, action, result))
        observation = after
    return gym.verify(""), history


def wrong_step(observation: Observation, rng: random.Random) -> Action:
    """Something that changes only the page: no form is sent."""
    enabled = [each for each in observation.elements if each.actionable and "disabled" not in each.states]
    usable = [each for each in enabled if each.role != "button" or each.name not in FORM_BUTTONS]
    element = rng.choice(usable)
    match element.role:
        case "textbox":
            return Type(element.ref, rng.choice(["zzz", "web", "12", ""]))
        case "combobox":
            return Select(element.ref, rng.choice(element.options))
        case _:
            return Click(element.ref)


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_oracle_solves_it(cloud: Gym, template_id: str) -> None:
    for seed in range(2):
        task = sessions.sample(template_id, seed=seed, split="test")
        found, history = play(cloud, task)
        assert found.outcome is Outcome.VERIFIED, (task.goal, found, history)
        assert len(history) < task.max_steps


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_oracle_solves_it_on_fifty_seeds_and_nothing_on_none(cloud: Gym, template_id: str) -> None:
    for seed in range(50):
        task = sessions.sample(template_id, seed=seed, split="train")
        cloud.reset(task)
        assert cloud.verify("").outcome is Outcome.FAILED
        found, history = play(cloud, task)
        assert found.outcome is Outcome.VERIFIED, (task.goal, found, history)


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_doing_nothing_solves_nothing(cloud: Gym, template_id: str) -> None:
    cloud.reset(sessions.sample(template_id, seed=7, split="test"))
    assert cloud.verify("").outcome is Outcome.FAILED


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_oracle_finds_back_after_wrong_steps(cloud: Gym, template_id: str) -> None:
    task = sessions.sample(template_id, seed=11, split="train")
    found, history = play(cloud, task, noise=0.35)
    assert found.outcome is Outcome.VERIFIED, (task.goal, found, history)


@pytest.mark.parametrize("template_id", TEMPLATES)
def test_the_same_task_shows_the_same_first_screen(cloud: Gym, template_id: str) -> None:
    task = sessions.sample(template_id, seed=13, split="validation")
    first = cloud.reset(task)
    sections = [each for each in first.elements if each.region == "nav" and each.role == "link"]
    cloud.act(Click(sections[-1].ref))
    assert cloud.reset(task).fingerprint == first.fingerprint


def test_an_oracle_gives_up_on_what_is_not_there(cloud: Gym) -> None:
    shown = sessions.sample("cloud/stop-instance", seed=1, split="train")
    other = sessions.sample("cloud/stop-instance", seed=2, split="test")
    observation = cloud.reset(shown)
    oracle = sessions.oracle(other)
    history: list[Past] = []
    for _ in range(3):
        action = oracle.act(observation, other.goal, history).action
        result, after = cloud.act(action)
        history.append(past(observation, action, result))
        observation = after
    assert isinstance(oracle.act(observation, other.goal, history).action, GiveUp)


async def test_in_a_live_session_requests_are_no_riskier_than_permitted(tmp_path: Path) -> None:
    task = sessions.sample("cloud/create-instance", seed=3, split="test")
    session = await sessions.open_session(task, folder=tmp_path / "session")
    oracle = sessions.oracle(task)
    history: list[Past] = []
    try:
        observation = await session.observe()
        while not isinstance(action := oracle.act(observation, task.goal, history).action, Finish | GiveUp):
            # Never more than reversible at first: the console must not hear of the create.
            permit = (Risk.REVERSIBLE, Risk.COST)[bool(blocked(history))]
            history.append(past(observation, action, await session.act(action, permit=permit)))
            observation = await session.observe()
        assert blocked(history)[0].name == "Create instance"
        assert (await session.verify("")).outcome is Outcome.VERIFIED
    finally:
        await session.close()


@pytest.mark.parametrize("name", ["create-instance", "enlarge-disk", "terminate-instance"])
async def test_what_the_page_shows_tells_enough_to_permit_the_request(tmp_path: Path, name: str) -> None:
    task = sessions.sample(f"cloud/{name}", seed=4, split="test")
    session = await sessions.open_session(task, folder=tmp_path / "session")
    oracle = sessions.oracle(task)
    history: list[Past] = []
    try:
        observation = await session.observe()
        while not isinstance(action := oracle.act(observation, task.goal, history).action, Finish | GiveUp):
            permit = session.risk(action, observation)
            assert permit is not Risk.UNKNOWN
            history.append(past(observation, action, await session.act(action, permit=permit)))
            observation = await session.observe()
        assert blocked(history) == []
        assert (await session.verify("")).outcome is Outcome.VERIFIED
    finally:
        await session.close()


def blocked(history: list[Past]) -> list[Past]:
    """Steps whose request was stopped at the proxy."""
    return [each for each in history if each.result.outcome is ActOutcome.BLOCKED_REQUEST]
