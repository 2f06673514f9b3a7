"""One process that answers for two players against players that have the policy: the same actions, and what each costs.

Whole simulated episodes of the starter's cloud templates, the starter as the policy; cost by the processor time of
players and of the one who answers, since on two shared cores a clock measures what else runs. A GPU is what it is for.
"""

import time
from contextlib import closing
from dataclasses import replace

import torch

from benchmarks import Result
from benchmarks.browser_step import tree_seconds
from learning import artefact, clusters, jobs, starter
from learning.acting import NAMES, Acting, Pages
from learning.collecting import SegmentCollector, World
from learning.phases import Phase
from learning.ppo import Recipe, Rollout

DECISIONS, ROUNDS = 1_000, 2


def run(*, quick: bool) -> Result:
    """Decisions a processor second with one who answers, as a share of those without."""
    torch.set_num_threads(1)
    templates = tuple(starter.trained_templates("cloud"))
    phase = Phase("explore", (), most=9, even=0.05, changed=1)
    world = World(templates, decisions=300 if quick else DECISIONS, workers=2, phases=(phase,), central=False)
    network = Acting(artefact.load(jobs.STARTER))
    clusters.begin(2 * world.workers)
    with (
        closing(SegmentCollector(world, Recipe())) as local,
        closing(SegmentCollector(replace(world, central=True), Recipe())) as central,
    ):
        both = {"local": local, "central": central}
        for each in both.values():
            each(network, 0)  # processes begin, consoles are drawn for the first time
        rates, same, n = {name: [0.0, 0.0] for name in both}, True, 0
        for number in range(1, 2 if quick else 1 + ROUNDS):
            rollouts = {name: _timed(each, network, number, rates[name]) for name, each in both.items()}
            same &= _same(*rollouts.values())
            n += len(rollouts["local"].value)
        answering = central.answering()
    assert answering is not None
    per_s = {name: n / busy for name, (_, busy) in rates.items()}
    for name, (wall, _) in rates.items():
        print(f"{name}: {per_s[name]:,.0f} decisions a processor second, {n / wall:,.0f} a second by the clock")
    print(f"{answering.questions:,} questions in {answering.passes:,} passes; the same actions: {same}")
    value = round(per_s["central"] / per_s["local"], 2)
    return Result(value=value, unit="of local", bar="the same actions", holds=same, n=n)


def _timed(collector: SegmentCollector, network: Acting, number: int, spent: list[float]) -> Rollout:
    """A rollout; its seconds by the clock and of the processor are added to what was spent."""
    began, busy = time.perf_counter(), _busy_s(collector)
    found = collector(network, number)
    spent[0] += time.perf_counter() - began
    spent[1] += _busy_s(collector) - busy
    return found


def _busy_s(collector: SegmentCollector) -> float:
    answering = collector.answering()
    pids = [*collector.player_pids(), *([answering.pid] if answering else [])]
    return sum(tree_seconds(pid) for pid in pids)


def _same(one: Rollout, other: Rollout) -> bool:
    assert isinstance(one.rows, Pages)
    assert isinstance(other.rows, Pages)
    return all(torch.equal(one.rows.actions[name], other.rows.actions[name]) for name in NAMES)
