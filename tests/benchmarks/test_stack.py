"""A measurement that is stopped leaves nothing running."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.embedded import processes
from webapp.embedded.state import State

ROOT = Path(__file__).resolve().parents[2]
MEASUREMENT = """
import signal
from benchmarks.stack import running
with running(only=("web",)) as stack:
    print(stack.folder, flush=True)
    signal.pause()
"""
NAMES = ("postgres", "valkey", "seaweedfs", "supervisor", "web")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_measurement_brings_its_belay_down(number: signal.Signals) -> None:
    argv = [sys.executable, "-c", MEASUREMENT]
    measuring = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert measuring.stdout is not None
    folder = Path(measuring.stdout.readline().strip())
    running = [processes.read(State(folder).pidfile(name)) for name in NAMES]
    assert [identity is not None and identity.is_alive for identity in running] == [True] * len(NAMES)
    measuring.send_signal(number)
    assert measuring.wait(60) == 128 + number
    measuring.stdout.close()
    assert [identity for identity in running if identity and identity.is_alive] == []
    assert not folder.exists()
