"""The sql world played on a real PostgreSQL: oracles, mistakes taken back, and what the verifier lets pass."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import sessions
from sandbox.contracts.actions import ActOutcome, Click, Type
from sandbox.contracts.tasks import Outcome, Task
from sandbox.registry import find_environment
from sandbox.variants import SPLITS
from sandbox.worlds.sql.desk import Desk
from sandbox.worlds.sql.oracle import read_page
from sandbox.worlds.sql.templates import TEMPLATES
from tests.sandbox.played import Played, missed_by_oracle, passed_by_doing_nothing

IDS = [each.template.id for each in TEMPLATES]
RECIPES: tuple[dict[str, str], ...] = ({}, {"rows": "many"}, {"columns": "reversed"})


def drawn(template: str, seeds: range) -> list[Task]:
    return [sessions.sample(template, seed=n, split=SPLITS[n % 3], recipe=RECIPES[n % 3]) for n in seeds]


def write(played: Played, statement: str) -> None:
    """Type a statement into the box and run it."""
    for role, name in (("textbox", "Statement"), ("button", "Run")):
        ref = next(each.ref for each in played.seen[-1].elements if (each.role, each.name) == (role, name))
        played.act(Type(ref, statement) if role == "textbox" else Click(ref))


def said(played: Played) -> str:
    return next(each.name for each in played.seen[-1].elements if (each.group, each.role) == ("Result", "status"))


@pytest.mark.parametrize("template", IDS)
def test_the_oracle_scores_one_and_nothing_scores_zero(desk: Desk, template: str) -> None:
    assert missed_by_oracle(desk, drawn(template, range(3))) == []
    assert passed_by_doing_nothing(desk, drawn(template, range(3))) == []


@pytest.mark.slow
@pytest.mark.parametrize("template", IDS)
def test_the_oracle_scores_one_and_nothing_scores_zero_on_fifty_seeds(desk: Desk, template: str) -> None:
    assert missed_by_oracle(desk, drawn(template, range(50))) == []
    assert passed_by_doing_nothing(desk, drawn(template, range(50))) == []


@pytest.mark.parametrize("template", IDS)
def test_the_oracles_way_is_the_one_that_is_promised(desk: Desk, template: str) -> None:
    played = Played(desk, sessions.sample(template, seed=7, split="train"))
    assert played.finish().outcome is Outcome.VERIFIED
    assert len(played.history) + 1 == desk.optimal_steps
    assert played.progress == sorted(played.progress)
    assert (played.progress[0], played.progress[-1]) == (0.0, 1.0)
    assert [step.result.outcome for step in played.history if step.result.outcome is not ActOutcome.DONE] == []
    assert desk.harm() == ()


@settings(deadline=None, max_examples=20)
@given(template=st.sampled_from(IDS), seed=st.integers(0, 5_000), steps=st.integers(0, 12))
def test_from_wherever_chance_leads_the_oracle_finds_back(desk: Desk, template: str, seed: int, steps: int) -> None:
    played = Played(desk, sessions.sample(template, seed=seed, split="train"))
    played.stray(random.Random(seed), steps)
    assert played.finish().outcome is Outcome.VERIFIED
    assert desk.harm() == ()


def test_a_row_deleted_beside_the_right_one_fails_and_is_harm_until_it_is_rolled_back(desk: Desk) -> None:
    played = Played(desk, sessions.sample("sql/delete-host", seed=2, split="train"))
    write(played, "DELETE FROM hosts")
    assert desk.verify("").outcome is Outcome.FAILED
    assert set(desk.harm()) == {"row.delete"}
    assert played.finish().outcome is Outcome.VERIFIED
    assert desk.harm() == ()


@pytest.mark.parametrize(
    ("statement", "harm"),
    [
        ("UPDATE hosts SET zone = 'nowhere'", "row.update"),
        ("DROP TABLE alerts", "table.drop"),
        ("TRUNCATE budgets", "row.delete"),
    ],
)
def test_what_was_not_asked_for_is_harm_by_name(desk: Desk, statement: str, harm: str) -> None:
    played = Played(desk, sessions.sample("sql/add-index", seed=2, split="train"))
    write(played, statement)
    assert set(desk.harm()) == {harm}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE INDEX ON hosts (zone, owner)",
        "CREATE INDEX ON alerts (host_id)",
        "ALTER TABLE hosts ADD COLUMN extra text",
        "ALTER TABLE volumes DROP CONSTRAINT volumes_size_gb_check",
        "INSERT INTO budgets (team, amount) VALUES ('mine', 1)",
        "ALTER TABLE budgets RENAME TO money",
    ],
)
def test_the_right_deed_with_another_beside_it_fails(desk: Desk, statement: str) -> None:
    played = Played(desk, sessions.sample("sql/set-owner", seed=5, split="train"))
    assert played.finish().outcome is Outcome.VERIFIED
    write(played, statement)
    assert "Error" not in said(played)
    assert desk.verify("").outcome is Outcome.FAILED


def test_another_way_to_the_same_state_is_as_good(desk: Desk) -> None:
    task = sessions.sample("sql/fix-severity", seed=1, split="train")
    good = sessions.parameters_of(task)["good"]
    played = Played(desk, task)
    write(played, "UPDATE alerts SET severity = 'X' WHERE severity NOT IN ('low', 'medium', 'high')".replace("X", good))
    write(played, "ALTER TABLE alerts ADD CONSTRAINT known CHECK (severity = ANY ('{low,medium,high}'::text[]))")
    assert desk.verify("").outcome is Outcome.VERIFIED


@pytest.mark.parametrize("answer", ["", "0", "many"])
def test_a_wrong_answer_fails(desk: Desk, answer: str) -> None:
    desk.reset(sessions.sample("sql/count-hosts", seed=1, split="train"))
    assert desk.verify(answer).outcome is Outcome.FAILED


def test_the_same_task_shows_the_same_and_nothing_of_the_last_player_is_left(desk: Desk) -> None:
    task = sessions.sample("sql/add-host", seed=3, split="test")
    first = desk.reset(task)
    assert Played(desk, task).finish().outcome is Outcome.VERIFIED
    assert desk.reset(task) == first
    assert read_page(first).done == ()


def test_rows_are_shown_as_cells_under_their_columns(desk: Desk) -> None:
    played = Played(desk, sessions.sample("sql/set-owner", seed=1, split="train"))
    write(played, "SELECT id, name FROM hosts ORDER BY id LIMIT 1")
    cells = [(each.label, each.name) for each in played.seen[-1].elements if each.role == "cell"]
    assert cells == [("id", "1"), ("name", sessions.parameters_of(played.task)["host"])]


def test_it_is_for_practice_and_has_no_browser() -> None:
    assert find_environment("sql").environment.practice
    assert "sql" not in [each.id for each in sessions.environments()]


@pytest.mark.parametrize(
    ("template", "parameters", "told"),
    [
        ("sql/move-budget", {"giver": "ads", "taker": "ads", "amount": 3}, "taker: Name another team"),
        ("sql/add-index", {"table": "hosts", "column": "rack"}, "column: hosts has the columns name, zone, owner"),
        ("sql/add-column", {"table": "hosts", "new": "zone", "type": "text"}, "new: hosts has this column already"),
        ("sql/fix-severity", {"bad": "low", "good": "high", "allowed": "low, medium, high"}, "bad: This severity is"),
        (
            "sql/fix-severity",
            {"bad": "dire", "good": "low", "allowed": "medium"},
            "allowed: Allow at least low, medium",
        ),
    ],
)
def test_values_that_contradict_each_other_are_refused(
    desk: Desk, template: str, parameters: dict[str, object], told: str
) -> None:
    with pytest.raises(sessions.BadParameters, match=told):
        desk.reset(sessions.bind(template, parameters, seed=1))
