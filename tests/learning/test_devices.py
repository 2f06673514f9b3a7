"""Where it is trained is chosen by name; a CPU gets one thread and single precision, unless it is asked for more."""

import pytest
import torch
from torch._dynamo.utils import counters

from learning import bc, devices, ppo
from learning.acting import NAMES, Acting, Pages, taught
from learning.networks import ElementSetPolicy, Shape
from learning.ppo import Rollout
from learning.samples import Sample, lessons
from tests.learning.pages import a_demonstration

SMALL = Shape(width=32, layers=1, heads=2, word_width=8)
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Steps of two demonstrations."""
    torch.set_num_threads(1)
    return lessons([a_demonstration(1), a_demonstration(2)]).samples


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


def test_cloning_and_practice_in_bf16_go_nearly_the_same_way(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [*_cloned(samples), *_practised(samples)]
    monkeypatch.setenv(devices.BF16, "1")
    half = [*_cloned(samples), *_practised(samples)]
    assert half != whole
    assert half == pytest.approx(whole, rel=0.02, abs=0.02)


@pytest.mark.slow
def test_a_compiled_network_is_cloned_the_same_way(samples: list[Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.COMPILE, "aot_eager")
    counters.clear()
    compiled = devices.compiled(bc.fresh(SMALL, seed=1), CPU)
    found = _cloned(samples, compiled)
    assert counters["stats"]["unique_graphs"] > 0
    assert found == pytest.approx(_cloned(samples), rel=1e-4)
    assert devices.released(compiled)._compiled_call_impl is None


def test_an_answer_that_is_none_is_refused_with_what_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.BF16, "yes")
    with pytest.raises(RuntimeError, match="BELAY_BF16=yes: say 0, 1, or unset it"):
        devices.precision(CPU)


def _cloned(samples: list[Sample], network: ElementSetPolicy | None = None) -> list[float]:
    """Losses of some steps of cloning."""
    network = network or bc.fresh(SMALL, seed=1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    return [bc.update(network, optimizer, samples[:6], bc.Recipe(), step=step) for step in range(4)]


def _practised(samples: list[Sample]) -> list[float]:
    """Curves of an update of practice."""
    network = Acting(bc.fresh(SMALL, seed=1))
    actions = [taught(each.label) for each in samples]
    rows = Pages(
        [each.arrays for each in samples],
        {name: torch.tensor([each[name] for each in actions]) for name in NAMES},
        torch.zeros(len(samples), dtype=torch.long),
    )
    value, advantage = torch.zeros(len(samples)), torch.linspace(-1, 1, len(samples))
    rollout = Rollout(rows, rows.environment, ppo.log_probs(network, rows), value, advantage)
    recipe = ppo.Recipe(batch=8)
    points = ppo.update(network, ppo.adam(network, recipe), rollout, recipe)
    return [points[name] for name in ("policy_loss", "value_loss", "entropy", "kl")]
