"""The door: a policy is made from trajectory files, loaded without torch, improved by corrections, and acts."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from msgspec import structs

from learning import artefact, jobs
from learning.cloning import rehearsal
from learning.policy import BadPolicy
from learning.progress import Progress, Stopped
from learning.samples import is_session
from sandbox.contracts import storage
from sandbox.contracts.trajectories import Trajectory
from tests.learning.pages import a_demonstration


def test_an_improved_policy_is_whole(improved: jobs.Improved) -> None:
    assert sorted(path.name for path in improved.folder.iterdir()) == sorted(artefact.FILES)
    assert improved.spec["templates"] == {"hand/change-quota": 16}
    assert improved.spec["onnx_difference"] <= 1e-4
    assert improved.held_out_accuracy == improved.evaluation["held_out"]["accuracy"]


def test_its_card_and_receipt_say_what_it_came_from(improved: jobs.Improved) -> None:
    receipt = json.loads((improved.folder / "receipt.json").read_text())
    assert receipt["dataset"] == 1
    assert receipt["trajectories"] == 16
    assert len(receipt["dataset_files_sha256"]) == 64
    assert "A hand-made policy" in improved.card
    assert "hand/change-quota | 16" in improved.card


def test_a_card_says_what_kind_it_is_and_only_what_is_known_of_it() -> None:
    spec = {"kind": "bench", "parameters": 1234, "templates": {"workbench/copy": 0}}
    unknown = artefact.card("Bench", spec, {}, {})
    assert "A policy of the workbench alone" in unknown
    assert "| workbench/copy | play |" in unknown
    assert "Not judged yet." in unknown
    known = artefact.card("Bench", spec, {"test": {"verified": 3, "of": 4, "interval": [0.3, 0.954]}}, {})
    assert "- Held-out tasks verified: 3 of 4 [30.0%, 95.4%]" in known
    assert "Not judged yet." not in known


def test_it_says_how_far_it_is_on_the_way(improved: jobs.Improved, heard: list[Progress]) -> None:
    assert list(dict.fromkeys(each.phase for each in heard)) == ["read", "featurise", "train", "judge", "export"]
    assert all(0.0 <= each.progress <= 1.0 for each in heard)


def test_a_file_that_is_no_trajectory_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.belay"
    path.write_bytes(b"what")
    request = jobs.ImproveRequest(None, [path], tmp_path / "out", tmp_path / "work", 1, 60.0, {})
    with pytest.raises(storage.BadTrajectory, match=r"broken\.belay: not a Belay trajectory file"):
        jobs.improve(request, report=lambda _: None, should_stop=lambda: False)


def test_weights_are_those_that_were_exported(folder: Path) -> None:
    network = artefact.load(folder)
    assert sum(each.numel() for each in network.parameters()) == artefact.spec_of(folder)["parameters"]


def test_loading_and_acting_needs_no_torch(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from learning import jobs; from tests.learning import pages\n"
        "policy = jobs.load_policy(Path(sys.argv[1]), name='v1')\n"
        "policy.act(pages.a_list('logs-3'), pages.a_goal(), ())\n"
        "assert not {'torch', 'ray', 'playwright', 'django'} & set(sys.modules), sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_door_itself_is_light() -> None:
    code = "import sys, learning.jobs\nassert not {'torch', 'ray', 'onnxruntime', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_policy_of_another_version_is_refused(folder: Path, tmp_path: Path) -> None:
    spec = artefact.spec_of(folder) | {"features": 999}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(BadPolicy, match="features 999"):
        jobs.load_policy(tmp_path, name="v1")


def test_a_damaged_network_is_refused_when_it_is_loaded(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "damaged")
    (tmp_path / "damaged" / "policy.onnx").write_bytes(b"not a network")
    with pytest.raises(BadPolicy, match=r"v1 cannot be run: \w+: [\s\S]*Train a new version, or promote another one"):
        jobs.load_policy(tmp_path / "damaged", name="v1")


def test_a_network_that_does_not_fit_the_features_is_refused_when_it_is_loaded(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "other")
    network = onnx.load(str(tmp_path / "other" / "policy.onnx"))
    network.graph.input[0].name = "another-input"
    onnx.save(network, str(tmp_path / "other" / "policy.onnx"))
    with pytest.raises(BadPolicy, match="v1 cannot be run"):
        jobs.load_policy(tmp_path / "other", name="v1")


def test_a_network_that_says_what_is_no_number_is_refused_when_it_is_loaded(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "broken")
    network = onnx.load(str(tmp_path / "broken" / "policy.onnx"))
    [scale] = [each for each in network.graph.initializer if each.name == "norm.weight"]
    nothing = np.full(scale.dims, np.nan, np.float32)
    scale.CopyFrom(onnx.numpy_helper.from_array(nothing, scale.name))
    onnx.save(network, str(tmp_path / "broken" / "policy.onnx"))
    with pytest.raises(BadPolicy, match="v1 cannot be run by this version of Belay: what it says is not a number"):
        jobs.load_policy(tmp_path / "broken", name="v1")


def test_a_training_that_is_stopped_says_so(tmp_path: Path) -> None:
    path = tmp_path / "one.belay"
    path.write_bytes(storage.pack(a_demonstration(1)))
    request = jobs.ImproveRequest(None, [path], tmp_path / "out", tmp_path / "work", 1, 60.0, {})
    with pytest.raises(Stopped):
        jobs.improve(request, report=lambda _: None, should_stop=lambda: True)


def test_sessions_are_all_rehearsed_and_demonstrations_fairly() -> None:
    sessions = [_as_session(a_demonstration(seed)) for seed in range(3)]
    many = [structs.replace(a_demonstration(seed), id=f"d{seed}") for seed in range(200)]
    chosen = rehearsal([*many, *sessions], seed=1)
    assert [each for each in chosen if is_session(each)] == sessions
    assert 100 <= len(chosen) <= 160


def _as_session(trajectory: Trajectory) -> Trajectory:
    steps = tuple(structs.replace(step, actor="policy", decision="approved") for step in trajectory.steps)
    return structs.replace(trajectory, steps=steps)
