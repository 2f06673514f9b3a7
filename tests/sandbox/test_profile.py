"""The profiler measures each operation and finds the slow one."""

import json
import re
import time
from pathlib import Path

import msgspec
import pytest

from sandbox import profile as command
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Task
from sandbox.profile import OPERATIONS, profile, table
from tests.sandbox.tiny import REGISTERED, Sturdy


class Sluggish(Sturdy):
    """Takes its time to begin."""

    def reset(self, task: Task) -> Observation:
        until = time.perf_counter() + 0.02
        while time.perf_counter() < until:
            pass
        return super().reset(task)


def test_the_slow_operation_is_found_and_named() -> None:
    found = profile(msgspec.structs.replace(REGISTERED, make_simulator=Sluggish), tasks=4, steps=5)
    assert {name: times.count for name, times in found.times.items()} == {
        "reset": 4,
        "step": 20,
        "observe": 4,
        "judge": 4,
    }
    assert found.times["reset"].median_ms >= 20 > found.times["step"].median_ms
    assert "reset" in {each.operation for each in found.worst}
    assert found.elements == 4
    assert "tiny/count seed" in table([found])


def test_the_command_prints_a_table_and_writes_numbers_and_a_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers, picture = tmp_path / "p.json", tmp_path / "p.svg"
    wanted = ["workbench", "--tasks", "3", "--steps", "4", "--json", str(numbers), "--plot", str(picture)]
    assert command.main(wanted) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in (*OPERATIONS, "workbench", "worst:"))
    (found,) = json.loads(numbers.read_text())
    assert found["environment"] == "workbench"
    assert found["times"]["step"]["count"] == 12
    svg = picture.read_text()
    assert "<svg" in svg
    assert "Median time (ms)" in svg
    assert not re.search(r"(src|href)=.http", svg)  # who opens it asks nobody for anything


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "there is no environment 'nowhere'; there are: "),
        (["workbench", "--tasks", "0"], "expected a whole number from 1 to 1000000, found '0'"),
        (["workbench", "--steps", "-1"], "expected a whole number from 1 to 1000000, found '-1'"),
        (["workbench", "--plot", "/nowhere/plot.svg"], "there is no folder /nowhere"),
    ],
)
def test_what_cannot_be_asked_for_is_told_before_anything_is_played(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_world_that_cannot_be_played_here_is_told_with_those_that_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["object-store"]) == 2
    assert "environments that can be profiled: " in capsys.readouterr().err


def test_an_id_with_a_recipe_is_profiled_in_that_variant_alone() -> None:
    sturdy = msgspec.structs.replace(REGISTERED, make_simulator=Sturdy)
    found = profile(sturdy, tasks=2, steps=2, fixed={"tone": "t3"})
    assert found.environment == "tiny?tone=t3"
    assert {each.variant for each in found.worst} == {"tiny?tone=t3"}
