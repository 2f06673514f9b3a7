"""What must not matter to a trained policy: order, numbers of elements, places, and the language of the console."""

import lzma
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from msgspec import structs

from learning import bc, jobs
from learning.bc import Recipe
from learning.networks import Shape
from learning.policy import NetworkPolicy
from learning.samples import lessons
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal
from sandbox.contracts.trajectories import Trajectory
from tests.learning.pages import a_demonstration

STATES = 40
Situation = tuple[Observation, Goal, tuple[Past, ...]]


@pytest.fixture(scope="module")
def starter() -> NetworkPolicy:
    """The policy that newcomers get."""
    return NetworkPolicy(jobs.STARTER, name="starter")


@pytest.fixture(scope="module")
def situations() -> list[Situation]:
    """States of the demonstrations that it comes with, from many templates."""

    bodies = msgspec.msgpack.decode(
        lzma.decompress((jobs.STARTER / jobs.DEMONSTRATIONS).read_bytes()), type=list[bytes]
    )
    found = []
    for number, body in enumerate(bodies[:: len(bodies) // STATES][:STATES]):
        trajectory = msgspec.msgpack.decode(body, type=Trajectory)
        at = number % len(trajectory.steps)
        remembered = tuple(past(step.observation, step.action, step.result) for step in trajectory.steps[:at])
        found.append((trajectory.steps[at].observation, trajectory.task.goal, remembered))
    return found


def _agreement(
    policy: NetworkPolicy,
    situations: list[Situation],
    change: Callable[[Observation], tuple[Observation, dict[int, int]]],
) -> float:
    """The share of states in which the changed page gets the same action, whatever its elements are numbered."""
    same = 0
    for page, goal, history in situations:
        changed, refs = change(page)
        moved = tuple(structs.replace(step, action=_renumbered(step.action, refs)) for step in history)
        one, other = policy.act(page, goal, history).action, policy.act(changed, goal, moved).action
        same += _renumbered(one, refs) == other
    return same / len(situations)


def _renumbered(action: Action, refs: dict[int, int]) -> Action:
    ref = getattr(action, "element", None)
    return action if ref is None else structs.replace(action, element=refs.get(ref, ref))


def _kept(page: Observation) -> dict[int, int]:
    return {each.ref: each.ref for each in page.elements}


def _turned_round(page: Observation) -> tuple[Observation, dict[int, int]]:
    return structs.replace(page, elements=page.elements[::-1]), _kept(page)


def _renamed(page: Observation) -> tuple[Observation, dict[int, int]]:
    """As if ids and classes were others: the script gives its nodes other numbers."""
    refs = {each.ref: each.ref * 7 + 1000 for each in page.elements}
    return structs.replace(
        page, elements=tuple(structs.replace(each, ref=refs[each.ref]) for each in page.elements)
    ), refs


def _mirrored(page: Observation) -> tuple[Observation, dict[int, int]]:
    width = page.viewport[0]

    def moved(each: Element) -> Element:
        box = each.box
        return structs.replace(each, box=Box(width - box.x - box.width, box.y, box.width, box.height))

    return structs.replace(page, elements=tuple(map(moved, page.elements))), _kept(page)


def _nudged(page: Observation) -> tuple[Observation, dict[int, int]]:
    rng = np.random.default_rng(len(page.elements))

    def moved(each: Element) -> Element:
        x, y = rng.normal(0, 12, 2)
        return structs.replace(each, box=structs.replace(each.box, x=each.box.x + x, y=each.box.y + y))

    return structs.replace(page, elements=tuple(map(moved, page.elements))), _kept(page)


def test_other_numbers_of_elements_change_nothing(starter: NetworkPolicy, situations: list[Situation]) -> None:
    assert _agreement(starter, situations, _renamed) == 1.0


def test_another_order_changes_nearly_nothing(starter: NetworkPolicy, situations: list[Situation]) -> None:
    assert _agreement(starter, situations, _turned_round) >= 0.95


@pytest.mark.parametrize("layout", [_mirrored, _nudged])
def test_another_layout_changes_little(
    starter: NetworkPolicy,
    situations: list[Situation],
    layout: Callable[[Observation], tuple[Observation, dict[int, int]]],
) -> None:
    assert _agreement(starter, situations, layout) >= 0.9


GERMAN = {
    "Buckets": "Ablagen", "Users": "Nutzer", "Create bucket": "Ablage anlegen", "Name": "Name", "Quota": "Kontingent",
    "Delete": "Löschen", "Quota size": "Umfang", "Unit": "Einheit", "Update quota": "Übernehmen", "Cancel": "Abbrechen",
}  # fmt: skip


def _in_german(trajectory: Trajectory) -> Trajectory:
    """The same work in the same console, whose own words are German; names and amounts are what they were."""

    def said(text: str) -> str:
        return GERMAN.get(text, text)

    def seen(page: Observation) -> Observation:
        elements = tuple(structs.replace(each, name=said(each.name), label=said(each.label)) for each in page.elements)
        return structs.replace(page, elements=elements, title=said(page.title))

    steps = tuple(structs.replace(step, observation=seen(step.observation)) for step in trajectory.steps)
    return structs.replace(trajectory, steps=steps)


def test_a_console_in_another_language_is_worked_nearly_as_well(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    shown = [a_demonstration(seed) for seed in range(16)]
    network = bc.fresh(Shape(width=32, layers=1, heads=2, word_width=8), seed=1)
    recipe = Recipe(steps=150, batch=16, learning_rate=4e-3, held_out_one_in=10**9)
    bc.train(
        lessons(shown).samples,
        network,
        recipe,
        work=tmp_path,
        budget_s=600,
        report=lambda _: None,
        should_stop=lambda: False,
    )
    asked = [a_demonstration(seed) for seed in range(100, 112)]
    shares = []
    for every in (asked, [_in_german(each) for each in asked]):
        [(right, count)] = bc.accuracy(network, lessons(every).samples).values()
        shares.append(right / count)
    assert shares[0] >= 0.95
    assert shares[1] >= shares[0] - 0.25
