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
    assert command.main(["nowhere"]) == 2
    assert "environments that can be profiled" in capsys.readouterr().err
