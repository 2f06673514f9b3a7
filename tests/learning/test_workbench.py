"""The workbench learnt from nothing: tools under other names, short tickets first, the same twice, and judged."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs

from learning import beside, metrics, tickets, workbench
from learning.acting import Acting
from learning.arrays import KINDS
from learning.batches import inputs_of
from learning.features import scene
from learning.networks import run, tensors
from learning.ppo import Trained
from learning.workbench import Ladder, Plan
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.levels import Level
from sandbox.worlds.workbench.oracle import BenchOracle
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import tasks

SHORT = ("workbench/rename", "workbench/search-delete")
SMALL = Plan(templates=SHORT, decisions=40, slots=4, budget_s=1e9, beside=False)
RECIPE = replace(workbench.RECIPE, updates=2, batch=32, keep_every=1)


def test_some_levels_have_tools_with_names_that_nobody_knows_and_nothing_else_differs() -> None:
    task = next(tasks("train", 1))
    page = Workbench().reset(task)
    levels = [Level(task.environment, task.template, seed) for seed in range(200)]
    changed = {level: shown for level in levels if (shown := beside.renamed(page, level)) != page}
    assert 5 < len(changed) < 60
    for level, shown in changed.items():
        assert shown == beside.renamed(page, level)
        told = list(zip(page.elements, shown.elements, strict=True))
        assert {one.group for one, other in told if one != other} == {"Tools"}
        assert len({one.name for one, other in told if one.name != other.name}) == 12  # eleven tools, and the argument
        assert all(structs.replace(one, name=other.name, label=other.label) == other for one, other in told)


def test_held_out_levels_keep_the_names_of_their_tools() -> None:
    task = next(tasks("test", 1))
    page = Workbench().reset(task)
    levels = [Level(task.environment, task.template, seed, "test") for seed in range(50)]
    assert all(beside.renamed(page, level) is page for level in levels)


def test_short_kinds_of_ticket_come_first_and_longer_ones_when_those_are_done() -> None:
    ladder, rng = Ladder(kept=1.0), np.random.default_rng(1)
    first = ladder.chosen(Plan().templates, rng)
    assert len(first) == workbench.FIRST
    assert max(map(workbench.length_of, first)) < workbench.length_of("workbench/pair-set")
    for name in first:
        ladder.record(Level("workbench", name, 1), verified=True, score=0.0, actions=())
    more = ladder.chosen(Plan().templates, rng)
    assert set(first) < set(more)
    assert len(more) < len(Plan().templates)


def test_untaught_it_seldom_ends_an_episode_and_prefers_no_element() -> None:
    bench, task = Workbench(), next(tasks("train", 1))
    seen = scene(bench.reset(task), task.goal, ())
    with torch.no_grad():
        found = run(workbench.untaught(3), tensors(inputs_of([seen.arrays])))
    kinds = found["kind"].softmax(-1)[0]
    assert float(kinds[[KINDS.index(name) for name in ("finish", "answer", "give_up")]].sum()) < 0.1
    clicks = found["click"].softmax(-1)[0]
    assert float(clicks.max()) < 4 / float((clicks > 0).sum())


def test_the_same_seed_gives_the_same_weights_also_when_gone_on_with(tmp_path: Path) -> None:
    whole, *_ = workbench.learn(SMALL, tmp_path / "whole", report=lambda _: None, recipe=RECIPE)
    heard: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        workbench.learn(SMALL, tmp_path / "cut", report=lambda each: _break_at(each.step, 2), recipe=RECIPE)
    cut, *_ = workbench.learn(SMALL, tmp_path / "cut", report=lambda each: heard.append(each.step), recipe=RECIPE)
    assert heard == [2]
    assert all(torch.equal(one, other) for one, other in zip(whole.parameters(), cut.parameters(), strict=True))
    assert [point.step for point in metrics.read(tmp_path / "cut")] == [1, 2]


def test_what_brought_a_ticket_nearer_is_remembered_once_there_is_enough_of_it(tmp_path: Path) -> None:
    *_, collector = workbench.learn(SMALL, tmp_path, report=lambda _: None, recipe=RECIPE)
    assert collector.nearer() is None
    page, chosen = collector.remembered[0]
    collector.remembered.extend([(page, chosen)] * workbench.FEWEST)
    rows = collector.nearer()
    assert rows is not None
    assert int(rows.actions["kind"][-1]) == chosen["kind"]
    assert len(rows.lengths) == len(collector.remembered)


def test_a_player_beside_the_learner_plays_what_it_is_told_with_one_order_always_underway(tmp_path: Path) -> None:
    policy, trained, collector = workbench.learn(
        structs.replace(SMALL, beside=True), tmp_path, report=lambda _: None, recipe=RECIPE
    )
    assert (trained.updates, collector.lost) == (2, 0)
    assert sum(each.episodes for each in collector.curriculum.standings.values()) >= 4
    assert any(
        not torch.equal(one, other)
        for one, other in zip(policy.parameters(), workbench.untaught(RECIPE.seed).parameters(), strict=True)
    )


def test_the_oracle_does_held_out_tickets_in_as_few_steps_as_they_take() -> None:
    for task in tasks("test", 17):
        ended = tickets.attempt(task, BenchOracle(task))
        assert ended.verified
        assert ended.steps == ended.optimal


@pytest.mark.parametrize("action", [GiveUp("no"), Finish()])
def test_ending_at_once_is_no_success(action: Finish | GiveUp) -> None:
    assert not tickets.attempt(next(tasks("test", 1)), _Ends(action)).verified


def test_what_was_judged_stands_in_the_policys_folder(tmp_path: Path) -> None:
    policy = Acting(workbench.untaught(1), 1).policy
    trained = Trained(1, 2.0, -1.0, "time")
    policy.hasten(on=False)
    workbench.write(tmp_path / "policy", policy, SMALL, trained, {})
    ended = tickets.judged(tmp_path / "policy", count=4, templates=SHORT)
    kept = json.loads((tmp_path / "policy" / "evaluation.json").read_text())["test"]
    assert (kept["verified"], kept["of"]) == (sum(each.verified for each in ended), 4)
    assert {each.task.template for each in ended} <= {*SHORT}
    receipt = json.loads((tmp_path / "policy" / "receipt.json").read_text())
    assert (receipt["parent"], receipt["algorithm"], receipt["trained"]["updates"]) == (None, "ppo", 1)


class _Ends:
    """A policy that ends at once."""

    def __init__(self, action: Finish | GiveUp) -> None:
        self._action = action

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        return Proposal(self._action, 1.0)


def _break_at(step: int, last: int) -> None:
    if step == last:
        raise KeyboardInterrupt
