"""Consoles invented to learn from: each another one, whole, solvable, and of many hands."""

import random
from pathlib import Path

import msgspec
import pytest

from sandbox.contracts.tasks import Split
from sandbox.variants import SPLITS
from sandbox.worlds.console import draws
from sandbox.worlds.console.declare import Field
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import load
from sandbox.worlds.console.openapi.invent import document, main
from sandbox.worlds.console.openapi.proof import prove
from sandbox.worlds.console.openapi.tasks import tasks_of


def test_the_same_number_gives_the_same_document_and_another_one_another() -> None:
    assert document(3) == document(3)
    assert len({msgspec.json.encode(document(number, seed=seed)) for number in range(20) for seed in (0, 1)}) == 40


@pytest.mark.parametrize("number", range(1, 7))
def test_nothing_of_it_is_left_out_and_its_tasks_can_be_solved(number: int, tmp_path: Path) -> None:
    file = tmp_path / "invented.json"
    file.write_bytes(msgspec.json.encode(document(number, seed=5)))
    console, report = console_from(file)
    assert (report.used, report.left_operations, report.problems) == (report.operations, (), ())
    played = list(prove(tasks_of(console), seeds=1))
    assert len(played) >= 12
    assert [each for each in played if each.reason] == []


def test_they_are_written_by_many_hands() -> None:
    made = [document(number) for number in range(40)]
    paths = [path for each in made for path in each["paths"]]
    assert {method for each in made for one in each["paths"].values() for method in one} >= {"patch", "put", "delete"}
    assert any("Id}" in path for path in paths)
    assert any("_id}" in path for path in paths)
    assert len({each["info"]["title"] for each in made}) == 40
    assert len({schema for each in made for schema in each["components"]["schemas"]}) > 120


def test_the_command_writes_documents_and_declarations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["3", "--out", str(tmp_path / "new"), "--seed", "2"]) == 0
    assert "3 consoles with " in capsys.readouterr().out
    consoles = [load(file) for file in (tmp_path / "new").glob("*.console.json")]
    assert len({console.name for console in consoles}) == 3
    assert len([*(tmp_path / "new").glob("invented-*.json")]) == 3


@pytest.mark.parametrize("arguments", [["0", "--out", "x"], ["3"], ["3", "--out", "/dev/null/x"]])
def test_what_cannot_be_made_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("name", "low", "high"), [("port", 1_024, 65_000), ("port", 60_000, 60_009), ("weight", 400, 900), ("limit", 0, 3)]
)
def test_numbers_are_drawn_within_what_is_declared(split: Split, name: str, low: int, high: int) -> None:
    field = Field(name=name, title="Number", type="integer", minimum=low, maximum=high)
    rng = random.Random(1)
    assert [n for n in (int(draws.value(rng, split, field)) for _ in range(50)) if not low <= n <= high] == []
