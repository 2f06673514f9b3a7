"""The workbench played: oracles end every task, nothing is won by nothing, and what went wrong can be mended."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click, Navigate, Press, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Outcome, Split, Task
from sandbox.registry import find_environment
from sandbox.variants import SPLITS
from sandbox.worlds.workbench.jobs import job_of, recipe
from sandbox.worlds.workbench.oracle import read_page
from sandbox.worlds.workbench.plan import of_bench
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import TEMPLATES, tasks
from sandbox.worlds.workbench.view import LOG_SHOWN, WORDS
from tests.sandbox.played import Played, missed_by_oracle, passed_by_doing_nothing

IDS = [each.template.id for each in TEMPLATES]


def find(shown: Observation, role: str, name: str) -> Element:
    return next(each for each in shown.elements if (each.role, each.name) == (role, name))


@pytest.mark.parametrize("template", IDS)
def test_the_oracle_scores_one_and_nothing_scores_zero(template: str) -> None:
    drawn = [sessions.sample(template, seed=seed, split="test") for seed in range(5)]
    assert missed_by_oracle(Workbench(), drawn) == []
    assert passed_by_doing_nothing(Workbench(), drawn) == []


@pytest.mark.slow
@pytest.mark.parametrize("split", SPLITS)
def test_the_oracle_scores_one_and_nothing_scores_zero_on_fifty_seeds_of_each(split: Split) -> None:
    drawn = list(tasks(split, 50 * len(TEMPLATES)))
    assert missed_by_oracle(Workbench(), drawn) == []
    assert passed_by_doing_nothing(Workbench(), drawn) == []


@pytest.mark.parametrize("task", list(tasks("train", 34)), ids=lambda task: f"{task.template}-{task.seed}")
def test_the_oracles_way_is_the_shortest_that_is_promised_and_progress_never_falls_on_it(task: Task) -> None:
    bench = Workbench()
    played = Played(bench, task)
    assert played.finish().outcome is Outcome.VERIFIED
    assert len(played.history) + 1 == bench.optimal_steps
    assert [step.result.outcome for step in played.history if step.result.outcome is not ActOutcome.DONE] == []
    assert played.progress == sorted(played.progress)
    assert (played.progress[0], played.progress[-1]) == (0.0, 1.0)
    assert bench.harm() == ()


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 6_000), steps=st.integers(0, 12))
def test_from_wherever_chance_leads_the_oracle_finds_back_or_says_that_it_cannot(seed: int, steps: int) -> None:
    (task,) = tasks("train", 1, first_seed=seed)
    played = Played(Workbench(), task)
    played.stray(random.Random(seed), steps)
    verified = played.finish().outcome is Outcome.VERIFIED
    assert verified is not played.gave_up
    assert bool(played.simulator.harm()) is played.gave_up


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 6_000), steps=st.integers(0, LOG_SHOWN))
def test_the_page_says_all_that_the_bench_holds(seed: int, steps: int) -> None:
    (task,) = tasks("validation", 1, first_seed=seed)
    bench = Workbench()
    played = Played(bench, task)
    played.stray(random.Random(seed), steps)
    assert read_page(played.seen[-1], job_of(task), WORDS[recipe(task)["words"]]) == of_bench(bench.bench)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 6_000))
def test_the_same_task_and_the_same_actions_show_the_same(seed: int) -> None:
    (task,) = tasks("test", 1, first_seed=seed)
    one, two = Played(Workbench(), task), Played(Workbench(), task)
    one.stray(random.Random(seed), 15)
    two.stray(random.Random(seed), 15)
    assert one.seen == two.seen
    assert one.simulator.reset(task) == one.seen[0]


def test_a_fingerprint_changes_with_what_is_shown_and_only_then() -> None:
    (task,) = tasks("train", 1)
    played = Played(Workbench(), task)
    argument = find(played.seen[0], "textbox", "Argument").ref
    for text in ("one", "two", "one"):
        played.act(Type(argument, text))
    first, one, two, again = (seen.fingerprint for seen in played.seen)
    assert len({first, one, two}) == 3
    assert again == one


def test_what_cannot_be_done_is_named() -> None:
    played = Played(Workbench(), sessions.sample("workbench/rename", seed=1, split="train"))
    shown = played.seen[0]
    argument, submit = find(shown, "textbox", "Argument").ref, find(shown, "button", "Submit").ref
    operation = find(shown, "combobox", "Operation").ref
    for action in (
        Click(9_999),
        Click(submit),
        Type(submit, "x"),
        Type(operation, "x"),
        Select(argument, "plus"),
        Select(operation, "modulo"),
        Select(operation, "plus"),
        Navigate("http://127.0.0.1/"),
        Press("Enter"),
        Wait(),
        Click(find(shown, "button", "Find").ref),
    ):
        played.act(action)
    assert [step.result.outcome for step in played.history] == [
        ActOutcome.VANISHED,
        ActOutcome.DISABLED,
        ActOutcome.DISABLED,
        ActOutcome.NOT_EDITABLE,
        ActOutcome.NOT_EDITABLE,
        ActOutcome.NO_SUCH_OPTION,
        ActOutcome.NO_EFFECT,
        ActOutcome.BLOCKED_NAVIGATION,
        *[ActOutcome.NO_EFFECT] * 3,
    ]
    assert played.seen[-1] == shown


def test_deleting_another_file_is_harm_and_ends_all_progress() -> None:
    task = sessions.sample("workbench/search-delete", seed=3, split="train")
    played = Played(Workbench(), task)
    wrong = next(number for number in job_of(task).files if number != job_of(task).wants[0].reach.file)  # type: ignore[union-attr]  # a Delete
    bench = played.simulator
    assert isinstance(bench, Workbench)
    bench.bench.read(wrong)
    bench.bench.delete()
    assert bench.harm() == ("file.delete",)
    assert bench.progress() == 0.0
    assert bench.verify("").outcome is Outcome.FAILED


def test_an_overwritten_value_is_harm_until_it_is_put_back() -> None:
    bench = Workbench()
    bench.reset(sessions.sample("workbench/search-delete", seed=4, split="train"))
    hands = bench.bench
    number, line = next(
        (n, at) for n, file in hands.files.items() for at, text in enumerate(file.lines) if n > 1 and " = " in text
    )
    good = hands.files[number].lines[line].partition(" = ")[2]
    for argument, harm in (("12345", ("line.set",)), (good, ())):
        hands.read(number)
        hands.select(line)
        hands.argument = argument
        hands.set()
        assert bench.harm() == harm


def test_it_is_for_practice_and_has_no_browser() -> None:
    assert find_environment("workbench").environment.practice
    assert "workbench" not in [each.id for each in sessions.environments()]
    assert isinstance(find_environment("workbench?depth=2").simulator(), Workbench)
