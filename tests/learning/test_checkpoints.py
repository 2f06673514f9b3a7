"""Checkpoints that are not whole cost the way from the beginning, never the training."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn

from learning.checkpoints import CHECKPOINT, Best, Checkpoint, Resumed, kept_step


@dataclass(frozen=True)
class Recipe:
    """Of a training."""

    rate: float = 0.1
    sizes: tuple[int, ...] = (1, 2)


def _learnt() -> tuple[nn.Linear, torch.optim.Optimizer]:
    """A network after one step."""
    network = nn.Linear(4, 4)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 4)).sum().backward()
    optimizer.step()
    return network, optimizer


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with a checkpoint at step 5."""
    network, optimizer = _learnt()
    Checkpoint(tmp_path, Recipe()).keep(network, optimizer, step=5, spent_s=1.0)
    return tmp_path


def test_what_is_whole_is_gone_on_from(kept: Path) -> None:
    assert Checkpoint(kept, Recipe()).resume(*_learnt()).step == 5
    assert kept_step(kept, Recipe()) == 5


@pytest.mark.parametrize("share", [0.0, 0.05, 0.9])
@pytest.mark.parametrize("zeros", [False, True])
def test_what_is_damaged_is_begun_anew(kept: Path, share: float, zeros: bool, caplog: pytest.LogCaptureFixture) -> None:
    path = kept / CHECKPOINT
    whole = path.read_bytes()
    left = whole[: int(share * len(whole))]
    path.write_bytes(bytes(len(left)) if zeros else left)
    network, optimizer = _learnt()
    before = network.weight.clone()
    assert Checkpoint(kept, Recipe()).resume(network, optimizer) == Resumed()
    assert torch.equal(network.weight, before)
    assert kept_step(kept, Recipe()) == 0
    assert "the training begins anew" in caplog.text


def test_a_checkpoint_of_another_network_changes_nothing(kept: Path) -> None:
    other = nn.Linear(4, 8)
    before = other.weight.clone()
    assert Checkpoint(kept, Recipe()).resume(other, torch.optim.Adam(other.parameters())) == Resumed()
    assert torch.equal(other.weight, before)


def test_curves_of_another_recipe_are_not_gone_on_with(kept: Path) -> None:
    assert kept_step(kept, Recipe(rate=0.2)) == 0
    assert kept_step(kept / "none", Recipe()) == 0


def test_a_best_whose_weights_are_gone_is_not_known(tmp_path: Path) -> None:
    network, _ = _learnt()
    best = Best(tmp_path)
    best.tried(network, 0.5, step=3)
    assert Best(tmp_path, best.trials).value == 0.5
    (tmp_path / "best.safetensors").write_bytes(b"")
    lost = Best(tmp_path, best.trials)
    lost.restore(network)
    assert lost.trials == []
