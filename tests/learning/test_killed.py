"""A training killed, as by kill -9, in each of its moments one after another comes to the weights of one left alone."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from learning import metrics
from tests.learning import learners

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_killed_in_every_moment_and_gone_on_with_it_is_bit_for_bit_the_same(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        folder.mkdir()
    for moment in learners.MOMENTS:
        argv = [sys.executable, "-m", "tests.learning.learners", str(killed), moment]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=100)
        assert done.returncode == -signal.SIGKILL, f"{moment}: {done.stderr[-2000:]}"
    for folder in (killed, whole):
        learners.learn(folder)
    resumed, alone = (load_file(folder / "0-of-1.safetensors") for folder in (killed, whole))
    assert all(torch.equal(each, alone[name]) for name, each in resumed.items())
    told, untroubled = (list(metrics.read(folder / "practising")) for folder in (killed, whole))
    assert [point.step for point in told] == [point.step for point in untroubled] == [1, 2, 3]
    assert [point.values["policy_loss"] for point in told] == [p.values["policy_loss"] for p in untroubled]
