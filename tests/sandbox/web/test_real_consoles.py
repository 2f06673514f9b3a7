"""The shipped files on the real consoles in Chromium: signed in, reset, played and verified."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click
from sandbox.contracts.storage import to_json
from sandbox.contracts.tasks import Outcome, Risk
from sandbox.env import Gym
from sandbox.registry import find_environment
from sandbox.worlds.web.world import WebConsole
from tests.sandbox.objectstore.conftest import Play

SUPERVISOR = [each.template.id for each in find_environment("supervisor").templates.values()]
SEAWEEDFS = [each.template.id for each in find_environment("seaweedfs").templates.values()]


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Gym]:
    gym = Gym("supervisor")
    yield gym
    gym.close()


@pytest.fixture(scope="module")
def seaweedfs() -> Iterator[Gym]:
    gym = Gym("seaweedfs")
    yield gym
    gym.close()


def scores(gym: Gym, template: str, seeds: range) -> tuple[list[int], list[int]]:
    """The seeds that the oracle misses, and those that are verified when nothing was done."""
    missed, passed = [], []
    for seed in seeds:
        play = Play(gym, sessions.sample(template, seed=seed, split="test"))
        passed += [seed] * (gym.verify("").outcome is Outcome.VERIFIED)
        missed += [seed] * (play.finish().outcome is not Outcome.VERIFIED)
    return missed, passed


@pytest.mark.parametrize("template", SUPERVISOR)
def test_on_supervisor_the_oracle_scores_one_and_nothing_scores_zero(supervisor: Gym, template: str) -> None:
    assert scores(supervisor, template, range(1)) == ([], [])


@pytest.mark.parametrize("template", SEAWEEDFS)
def test_on_seaweedfs_the_oracle_scores_one_and_nothing_scores_zero(seaweedfs: Gym, template: str) -> None:
    assert scores(seaweedfs, template, range(1)) == ([], [])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("template", SUPERVISOR)
def test_on_supervisor_fifty_seeds_each(supervisor: Gym, template: str) -> None:
    assert scores(supervisor, template, range(50)) == ([], [])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("template", SEAWEEDFS)
def test_on_seaweedfs_fifty_seeds_each(seaweedfs: Gym, template: str) -> None:
    assert scores(seaweedfs, template, range(50)) == ([], [])


def test_the_wrong_program_restarted_fails(supervisor: Gym) -> None:
    task = sessions.sample("supervisor/restart-program", seed=3, split="test")
    play = Play(supervisor, task)
    program = sessions.parameters_of(task)["program"]
    play.act(Click(play.find("link", "Restart", f"{program}-old").ref))
    found = play.finish()
    assert found.outcome is Outcome.FAILED
    assert [check.name for check in found.checks if not check.holds] == [f"{program}-old was left alone"]


def test_no_credential_is_seen(supervisor: Gym) -> None:
    play = Play(supervisor, sessions.sample("supervisor/stop-program", seed=1, split="test"))
    assert play.finish().outcome is Outcome.VERIFIED
    assert isinstance(supervisor.world, WebConsole)
    texts = [to_json(seen) for seen in play.seen] + [to_json(past) for past in play.history]
    assert [text for text in texts for secret in supervisor.world.secrets if secret in text] == []


async def test_in_a_session_a_request_that_changes_something_by_get_is_held_back(tmp_path: Path) -> None:
    task = sessions.sample("supervisor/stop-program", seed=1, split="test")
    session = await sessions.open_session(task, folder=tmp_path / "session")
    try:
        seen = await session.observe()
        stop = next(each for each in seen.elements if each.name == "Stop")
        held = await session.act(Click(stop.ref), permit=Risk.READ)
        assert held.outcome is ActOutcome.BLOCKED_REQUEST
        assert held.detail.endswith("is cost; permitted was read")
        assert (await session.verify("")).outcome is Outcome.FAILED
    finally:
        await session.close()
    assert not (tmp_path / "session").exists()
