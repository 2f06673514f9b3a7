"""Where it is trained is chosen by name, and a CPU gets one thread and single precision."""

import pytest
import torch

from learning import devices


def test_a_cpu_gets_one_thread_and_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.ASKED, "cpu")
    torch.set_num_threads(2)
    device = devices.chosen()
    assert (device.type, torch.get_num_threads()) == ("cpu", 1)
    with devices.precision(device):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    assert devices.used_share(device) == 0.0


def test_on_a_cpu_nothing_is_moved_or_compiled() -> None:
    tensors, network = {"seen": torch.ones(1)}, torch.nn.Linear(1, 1)
    assert devices.moved(tensors, torch.device("cpu")) is tensors
    assert devices.compiled(network, torch.device("cpu")) is network
    assert network._compiled_call_impl is None


def test_a_gpu_that_is_not_there_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.ASKED, "cuda:0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RuntimeError, match=r"BELAY_DEVICE=cuda:0, but torch .* finds no GPU: unset it"):
        devices.chosen()
