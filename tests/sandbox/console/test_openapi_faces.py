"""A console made from a document is an environment like any other: found by its id, played in Chromium and without."""

import importlib
from collections.abc import Iterator

import pytest

import sandbox.worlds.generated
from sandbox.contracts.tasks import Goal, Outcome, Task
from sandbox.env import Gym
from sandbox.registry import find_environment, find_template
from sandbox.tasks import bind
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import save
from sandbox.worlds.console.simulator import ConsoleSimulator
from tests.sandbox.console.documents import DOCUMENTS
from tests.sandbox.console.faces import Faces
from tests.sandbox.console.test_faces import clumsy, differences, taught

PLAYED = ("create-sprinkler", "edit-orchard", "add-buyer-order", "stop-sprinkler", "delete-orchard", "find-tree-fact")


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gym]:
    """A console made from a document, running."""
    folder = tmp_path_factory.mktemp("consoles")
    save(console_from(DOCUMENTS / "orchard.yaml")[0], folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BELAY_CONSOLES", str(folder))
        importlib.reload(sandbox.worlds.generated)
        gym = Gym("orchard-api")
        yield gym
        gym.close()


@pytest.mark.parametrize("name", PLAYED)
def test_the_teacher_solves_it_in_chromium_and_sees_the_same_without(orchard: Gym, name: str) -> None:
    spec = find_template(f"orchard-api/{name}")
    task = bind(spec.template, spec.sample(3, "test"), seed=3, recipe={"locale": "zh", "form": "drawer"})
    faces = Faces(orchard, task)
    assert orchard.verify("").outcome is Outcome.FAILED
    assert differences(faces, taught(faces, task)) == []
    answer = spec.oracle(task).act(faces.leaf, task.goal, faces.history).action
    assert orchard.verify(getattr(answer, "answer", "")).outcome is Outcome.VERIFIED


@pytest.mark.parametrize("seed", range(2))
def test_random_actions_come_to_the_same_in_both_faces(orchard: Gym, seed: int) -> None:
    spec = find_template("orchard-api/create-tree")
    faces = Faces(orchard, bind(spec.template, spec.sample(seed, "train"), seed=seed))
    assert differences(faces, clumsy(faces, seed, 25)) == []


def test_it_is_there_to_practise_in_and_its_writes_have_rules(orchard: Gym) -> None:
    found = find_environment("orchard-api?theme=dark")
    assert found.environment.practice
    assert not found.environment.real
    paths = [rule.path for rule in orchard.world.request_rules if rule.method == "DELETE"]
    assert "/api/trees/[a-z0-9-]+" in paths


@pytest.mark.usefixtures("orchard")
def test_free_text_opens_this_console_and_no_other() -> None:
    page = ConsoleSimulator().reset(Task("orchard-api", "", Goal("Look around."), seed=1))
    assert "Sprinklers" in [each.name for each in page.elements]
