"""Several learners, started by Ray Train, learn what one would, stay alike, and outlive the death of one."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import ray
import torch
from safetensors.torch import load_file
from torch import Tensor

from learning import devices, metrics, together
from tests.learning import learners


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tensor]:
    """What one learner makes of it, in this process."""
    folder = tmp_path_factory.mktemp("alone")
    together.run(partial(learners.learn, folder), folder, learners=1)
    return load_file(folder / "0-of-1.safetensors")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Ray is begun here, and let go: others want a cluster of another size."""
    ray.shutdown()
    yield
    ray.shutdown()


def test_where_one_learns_nothing_is_split_or_sent() -> None:
    rows = np.arange(5)
    weight = torch.nn.Parameter(torch.ones(2))
    mine, share = together.part(rows)
    assert (mine.tolist(), share) == (rows.tolist(), 1.0)
    assert together.split({"weight": rows})[1] == 1.0
    assert together.agreed(0.25, 1.0) == [0.25, 1.0]
    assert together.told("what it was") == "what it was"
    assert together.added([weight], {"loss": torch.tensor(2.0)}) == {"loss": 2.0}
    assert weight.grad is None


def test_one_gpu_for_all_learners_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.ASKED, "cuda:1")
    with pytest.raises(RuntimeError, match="set BELAY_DEVICE to cuda or cpu, or unset it"):
        together.run(partial(learners.learn, tmp_path), tmp_path, learners=2)


@pytest.mark.slow
def test_two_learners_learn_what_one_does_and_stay_alike(alone: dict[str, Tensor], tmp_path: Path) -> None:
    together.run(partial(learners.learn, tmp_path), tmp_path, learners=2)
    first, second = (load_file(tmp_path / f"{number}-of-2.safetensors") for number in range(2))
    assert all(torch.equal(each, second[name]) for name, each in first.items())
    assert max(float((each - alone[name]).abs().max()) for name, each in first.items()) < 1e-4
    assert [point.step for point in metrics.read(tmp_path / "practising")] == [1, 2, 3]


@pytest.mark.slow
def test_a_killed_learner_costs_the_others_no_more_than_the_way_from_the_checkpoint(
    alone: dict[str, Tensor], tmp_path: Path
) -> None:
    together.run(partial(learners.learn_though_one_dies, tmp_path), tmp_path, learners=2)
    assert (tmp_path / "died").exists()
    found = load_file(tmp_path / "0-of-2.safetensors")
    assert max(float((each - alone[name]).abs().max()) for name, each in found.items()) < 1e-4
    assert [point.step for point in metrics.read(tmp_path / "practising")] == [1, 2, 3]


@pytest.mark.slow
def test_what_a_learner_raises_is_told_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "FAILURES", 0)
    with pytest.raises(together.Died, match="NotADirectoryError"):
        together.run(partial(learners.learn, Path(__file__)), tmp_path, learners=2)
