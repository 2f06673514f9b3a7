"""Players that are actors of Ray: killed ones, one process that answers for all, a cluster by its address."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pytest
import ray
import torch

from learning import central, clusters
from learning.acting import NAMES, Acting, Pages, batch_of
from learning.candidates import LOW
from learning.central import Answer
from learning.collecting import SegmentCollector, World
from learning.networks import ElementSetPolicy, Shape, sizes, tensors
from learning.phases import Phase
from learning.ppo import Recipe, Rollout
from learning.samples import lessons
from tests.learning.pages import a_demonstration
from webapp.embedded.state import free_port

SHAPE = Shape(width=32, layers=1, heads=2, word_width=8)
RECIPE = Recipe(seed=3)
PHASE = Phase("explore", (), most=9, even=0.1, changed=1)
TEMPLATES = ("cloud/start-instance", "cloud/stop-instance")
WORLD = World(TEMPLATES, decisions=60, workers=2, slots=4, phases=(PHASE,))


@pytest.fixture
def no_cluster() -> Iterator[None]:
    """Ray is begun by the test, as large as it needs it."""
    ray.shutdown()
    yield
    ray.shutdown()


def test_batches_answered_together_say_what_each_says_alone() -> None:
    network, pages = (
        _network().eval(),
        [each.arrays for each in lessons([a_demonstration(1), a_demonstration(2)]).samples],
    )
    asked = [{n: t.numpy() for n, t in batch_of(some, [0] * len(some)).items()} for some in (pages[:2], pages[2:7])]
    whole = central.joined(asked)
    assert len(whole["element_there"]) == 7
    with torch.no_grad():
        each, together = [_answer(network, one) for one in asked], _answer(network, whole)
    for mine, alone in zip(central.parted(together, asked), each, strict=True):
        assert mine.value == pytest.approx(alone.value, abs=1e-5)
        assert {name: found.shape for name, found in mine.outputs.items()} == {
            name: found.shape for name, found in alone.outputs.items()
        }
        typed = alone.outputs["type"] > LOW / 2  # what is typed elsewhere nobody asks
        assert np.allclose(mine.outputs["source"][typed], alone.outputs["source"][typed], atol=1e-4)
        for name in {*mine.outputs} - {"source"}:
            assert np.allclose(mine.outputs[name], alone.outputs[name], atol=1e-4)


def test_whatever_goes_wrong_in_answering_is_told_to_everybody_who_asked() -> None:
    async def asked() -> list[Answer | BaseException]:
        one = central.Central(sizes(SHAPE), 1)
        waiting = asyncio.gather(*(one.answer(-1, {}) for _ in range(3)), return_exceptions=True)
        return await asyncio.wait_for(waiting, 60)

    heard = asyncio.run(asked())
    assert [type(each) for each in heard] == [KeyError] * 3


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_a_mistake_in_a_players_own_code_costs_the_training_and_no_order() -> None:
    world = replace(WORLD, templates=("cloud/no-such",), workers=1)
    with closing(SegmentCollector(world, RECIPE)) as collector, pytest.raises(KeyError, match="no-such"):
        collector(_network(), 0)


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_a_killed_player_costs_its_order_alone() -> None:
    with closing(SegmentCollector(WORLD, RECIPE)) as collector:
        before = collector(_network(), 0)
        victim = collector.player_pids()[0]
        os.kill(victim, signal.SIGKILL)
        during, after = collector(_network(), 1), collector(_network(), 2)
        assert victim not in collector.player_pids()
    assert [each.metrics["lost"] for each in (before, during, after)] == [0.0, 1.0, 1.0]
    assert 0 < during.metrics["decisions"] < WORLD.decisions <= after.metrics["decisions"]


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_one_process_that_answers_for_all_is_the_same_and_may_be_killed() -> None:
    clusters.begin(4)
    with (
        closing(SegmentCollector(replace(WORLD, central=False), RECIPE)) as local,
        closing(SegmentCollector(replace(WORLD, central=True), RECIPE)) as one,
    ):
        here, there = local(_network(), 0), one(_network(), 0)
        assert _same(here, there)
        answering = one.answering()
        assert answering is not None
        assert 0 < answering.passes <= answering.questions
        os.kill(answering.pid, signal.SIGKILL)
        assert _same(one(_network(), 1), local(_network(), 1))


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_a_cluster_is_joined_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port(avoid=set())
    address = f"127.0.0.1:{port}"
    with _a_cluster(port):
        monkeypatch.setenv(clusters.ADDRESS, address)
        with closing(SegmentCollector(WORLD, RECIPE)) as collector:
            found = collector(_network(), 0)
            [node] = ray.nodes()  # type: ignore[no-untyped-call]  # Ray leaves it untyped
        ray.shutdown()
    assert found.metrics["decisions"] >= WORLD.decisions
    assert node["Resources"]["of-another"] == 1.0


@pytest.mark.slow
@pytest.mark.usefixtures("no_cluster")
def test_a_cluster_of_ours_grows_where_more_is_asked_for() -> None:
    for asked, found in ((1, 1.0), (2, 2.0), (1, 2.0)):
        clusters.begin(asked)
        assert ray.cluster_resources()["CPU"] == found  # type: ignore[no-untyped-call]  # Ray leaves it untyped


@pytest.mark.usefixtures("no_cluster")
def test_an_address_that_leads_nowhere_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clusters.ADDRESS, f"127.0.0.1:{free_port(avoid=set())}")
    with pytest.raises(RuntimeError, match=r"no cluster lets us in: unset it, or run `ray start --head` there"):
        clusters.begin(1)


@contextmanager
def _a_cluster(port: int) -> Iterator[None]:
    """Another Ray on this machine, as somebody else would have started it; with something that ours has not."""
    words = ["start", "--head", "--block", "--port", str(port), "--num-cpus", "2"]
    words += ["--min-worker-port", "0", "--max-worker-port", "0"]  # any that are free: its own range may hold the port
    more = ["--include-dashboard", "false", "--resources", '{"of-another": 1}', "--disable-usage-stats"]
    argv = [sys.executable, "-m", "ray.scripts.scripts", *words, *more]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        said = list(takewhile(lambda line: "Ray runtime started" not in line, process.stdout))
        assert process.stdout.readline(), "".join(said)  # it goes on: what to do next
        yield
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def _network() -> Acting:
    torch.set_num_threads(1)
    torch.manual_seed(4)
    return Acting(ElementSetPolicy(SHAPE))


def _answer(network: Acting, inputs: central.Arrays) -> Answer:
    outputs, value = network.outputs(tensors(inputs))
    return Answer({name: outputs[name].numpy() for name in central.DRAWN}, value.numpy())


def _same(one: Rollout, other: Rollout) -> bool:
    """Whether the same was done, and found as likely."""
    assert isinstance(one.rows, Pages)
    assert isinstance(other.rows, Pages)
    done = all(torch.equal(one.rows.actions[name], other.rows.actions[name]) for name in NAMES)
    return done and torch.allclose(one.log_prob, other.log_prob, atol=1e-4)
