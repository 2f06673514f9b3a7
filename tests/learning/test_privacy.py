"""Nobody is told that a policy is at work."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = "from learning import jobs; jobs.load_policy(jobs.STARTER, name='v1')"


def test_a_loaded_policy_leaves_no_identifier_and_sends_nothing(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    env |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=env, check=True)
    # With its reporting on, ONNX Runtime writes a device id and a queue of events here at once.
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
