"""Curves are read while they grow, and a crash neither doubles nor halves a point."""

import math
from pathlib import Path

from learning import metrics
from learning.metrics import Point, Stream
from tests.learning.tensorboard import scalars


def test_what_is_written_is_read_while_the_training_runs(tmp_path: Path) -> None:
    with Stream(tmp_path) as stream:
        stream.write(1, {"loss": 0.5})
        assert list(metrics.read(tmp_path)) == [Point(1, {"loss": 0.5})]
        stream.write(2, {"loss": 0.25, "reward": 1})
        assert list(metrics.read(tmp_path, after=1)) == [Point(2, {"loss": 0.25, "reward": 1.0})]


def test_nothing_written_is_nothing_read(tmp_path: Path) -> None:
    assert list(metrics.read(tmp_path)) == []


def test_what_is_no_number_is_left_out(tmp_path: Path) -> None:
    with Stream(tmp_path) as stream:
        stream.write(1, {"loss": math.nan, "best": -math.inf, "kl": 0.1})
    assert list(metrics.read(tmp_path)) == [Point(1, {"kl": 0.1})]


def test_a_half_written_line_is_no_point_and_is_gone_when_training_goes_on(tmp_path: Path) -> None:
    with Stream(tmp_path) as stream:
        stream.write(1, {"loss": 0.5})
    with (tmp_path / metrics.LINES).open("a") as lines:
        lines.write('{"step": 2, "val')
    assert [point.step for point in metrics.read(tmp_path)] == [1]
    with Stream(tmp_path, first_step=2) as stream:
        stream.write(2, {"loss": 0.4})
    assert [point.step for point in metrics.read(tmp_path)] == [1, 2]


def test_steps_done_again_after_a_crash_stand_once(tmp_path: Path) -> None:
    with Stream(tmp_path) as stream:
        for step in (1, 2, 3):
            stream.write(step, {"loss": float(step)})
    with Stream(tmp_path, first_step=2) as stream:
        stream.write(2, {"loss": 20.0})
    assert list(metrics.read(tmp_path)) == [Point(1, {"loss": 1.0}), Point(2, {"loss": 20.0})]


def test_tensorboard_finds_the_same_numbers(tmp_path: Path) -> None:
    with Stream(tmp_path) as stream:
        stream.write(7, {"success/cloud/start-instance": 0.5})
    assert scalars(tmp_path) == [Point(7, {"success/cloud/start-instance": 0.5})]
