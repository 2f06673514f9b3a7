"""The console without a browser shows and does what the console in Chromium shows and does."""

import random
from collections.abc import Iterator

import pytest

from sandbox import registry
from sandbox.contracts.actions import Action, Click, Navigate, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.tasks import Split, Task
from sandbox.env import Gym
from sandbox.tasks import bind
from sandbox.variants import VariantGenerator, parse
from sandbox.worlds.console.variant import DIMENSIONS
from tests.sandbox.console.faces import Faces, walk

VARIANTS = VariantGenerator("cloud", DIMENSIONS)
TEMPLATES = tuple(registry.find_environment("cloud").templates)


def a_task(seed: int, *, variant: str) -> Task:
    """A random task of a variant."""
    spec = registry.find_template(TEMPLATES[seed * 37 % len(TEMPLATES)])
    split: Split = VARIANTS.split_of(variant)
    return bind(spec.template, spec.sample(seed, split), seed=seed, recipe=parse(variant)[1])


def any_variant(seed: int) -> str:
    """A variant with a few dimensions off their plain values."""
    rng = random.Random(f"faces:{seed}")
    split = ("train", "validation", "test")[seed % 3]
    return VARIANTS.draw(rng, split, changed=6)  # type: ignore[arg-type]  # one of the splits


def clumsy(faces: Faces, seed: int, steps: int) -> Iterator[Action]:
    """So many random actions."""
    rng = random.Random(seed)
    return (faces.random_action(rng) for _ in range(steps))


def taught(faces: Faces, task: Task) -> Iterator[Action]:
    """What the oracle does, told by the tree."""
    oracle = registry.find_template(task.template).oracle(task)
    for _ in range(60):
        yield oracle.act(faces.leaf, task.goal, faces.history).action


def differences(faces: Faces, actions: Iterator[Action]) -> list[str]:
    """The first difference, with all that led to it; empty where there is none."""
    return compared(faces, actions)[1]


def compared(faces: Faces, actions: Iterator[Action]) -> tuple[int, list[str]]:
    """How many steps were the same, and the first difference with what led to it."""
    done: list[str] = []
    for action, difference in walk(faces, actions):
        done.append(repr(action))
        if difference:
            return len(done) - 1, [*done[-6:], difference]
    return len(done), []


@pytest.mark.parametrize("seed", range(5))
def test_random_actions_come_to_the_same_in_both_faces(cloud: Gym, seed: int) -> None:
    faces = Faces(cloud, a_task(seed, variant=any_variant(seed)))
    assert faces.difference() == ""
    assert differences(faces, clumsy(faces, seed, 25)) == []


@pytest.mark.parametrize("seed", range(100, 103))
def test_the_oracle_sees_the_same_in_both_faces(cloud: Gym, seed: int) -> None:
    task = a_task(seed, variant=any_variant(seed))
    faces = Faces(cloud, task)
    assert differences(faces, taught(faces, task)) == []
    assert cloud.verify("").checks == faces.tree.verify("").checks


PLACED = ("cloud?list=cards&nav=top", "cloud?locale=zh&form=drawer&words=first", "cloud?locale=de&theme=dark")


@pytest.mark.parametrize("variant", PLACED)
def test_things_lie_as_high_in_chromium_as_the_tree_says(cloud: Gym, variant: str) -> None:
    faces = Faces(cloud, a_task(1, variant=variant))
    group = faces.tree.world.of_kind("security_group")[0]
    for address in ("/", "/instances", f"/security-groups/{group.id}?tab=rules", "/instances/new"):
        faces.step(Navigate(address))
        assert misplaced(faces) == []
    faces.step(Type(first(faces, "textbox").ref, "Not_a_name"))
    faces.step(Click(first(faces, "button", last=True).ref))
    assert "invalid" in first(faces, "textbox").states
    assert misplaced(faces) == []  # a complaint of two lines
    faces.step(Navigate(f"/security-groups/{group.id}"))
    faces.step(Click(first(faces, "button", last=True).ref))
    assert faces.leaf.dialogs
    assert misplaced(faces) == []


def first(faces: Faces, role: str, *, last: bool = False) -> Element:
    """The first (or last) of this role on the page itself that can be used."""
    found = [each for each in faces.leaf.elements if each.role == role and each.region == "main" and each.actionable]
    return found[-1 if last else 0]


def misplaced(faces: Faces) -> list[str]:
    """What lies more than two pixels higher or lower than the tree says."""
    pairs = zip(faces.page.elements, faces.leaf.elements, strict=True)
    placed = [(one, other) for one, other in pairs if one.region in ("main", "dialog", "nav")]
    return [one.name for one, other in placed if abs(middle(one) - middle(other)) > 2]


def middle(element: Element) -> float:
    """How high the middle of an element lies, in pixels."""
    return element.box.y + element.box.height / 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_transitions_are_the_same_in_both_faces(cloud: Gym) -> None:
    same, found = 0, list[list[str]]()
    for seed in range(1000, 1200):
        task = a_task(seed, variant=any_variant(seed))
        faces = Faces(cloud, task)
        steps, lines = compared(faces, taught(faces, task) if seed % 4 == 0 else clumsy(faces, seed, 65))
        same += steps
        found += [[task.environment, task.template, *lines] for _ in lines[:1]]
    assert found == []
    assert same >= 10_000
