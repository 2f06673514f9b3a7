"""Thousands of tasks: all different, the same each time, and held out by names and by shape."""

from collections import Counter

import pytest

from sandbox.contracts.tasks import Split, Task
from sandbox.variants import SPLITS
from sandbox.worlds.workbench.templates import TEMPLATES, operations_of, tasks

NAMES = ("file", "source", "first", "second", "key", "source_key", "mark", "link", "name", "folder", "value", "operand")


def words(drawn: list[Task]) -> set[str]:
    return {value for task in drawn for name, value in task.goal.fields if name in NAMES}


def test_seven_thousand_tasks_are_all_different_and_of_every_kind() -> None:
    drawn = list(tasks("train", 7_000))
    assert len({(task.environment, task.goal) for task in drawn}) == 7_000
    assert min(Counter(task.template for task in drawn).values()) > 300
    assert len({task.environment for task in drawn}) > 20


def test_the_same_call_gives_the_same_tasks() -> None:
    assert list(tasks("test", 50, first_seed=9)) == list(tasks("test", 50, first_seed=9))


def test_splits_share_no_name_and_no_number() -> None:
    train, validation, test = (words(list(tasks(split, 600))) for split in SPLITS)
    assert train & validation == set()
    assert train & test == set()
    assert validation & test == set()


def shapes(split: Split) -> set[tuple[str, str]]:
    """The kind of a ticket with its operation, where it has one."""
    drawn = [(task.template, dict(task.goal.fields).get("operation", "")) for task in tasks(split, 600)]
    return {shape for shape in drawn if shape[1]}


def test_splits_share_no_shape_of_a_computation() -> None:
    train, validation, test = map(shapes, SPLITS)
    assert not train & (test - train)
    assert test - train
    assert validation - train


@pytest.mark.parametrize("place", range(len(TEMPLATES)))
def test_each_kind_keeps_one_operation_from_training(place: int) -> None:
    trained = set(operations_of(place, "train"))
    held = [set(operations_of(place, split)) - trained for split in ("validation", "test")]
    assert sorted(map(len, held)) == [0, 1]


@pytest.mark.parametrize("task", list(tasks("test", 40)), ids=lambda task: task.environment)
def test_every_blank_is_spoken_of(task: Task) -> None:
    assert [value for _, value in task.goal.fields if value not in task.goal.text] == []
