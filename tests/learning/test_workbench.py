"""The workbench learnt from nothing: kinds that fail come oftener, the same twice, also gone on with, and judged."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace as replace_in

from learning import kinds, metrics, tickets, workbench
from learning.bench_net import BenchNet
from learning.bench_play import Played
from learning.ppo import Trained
from learning.workbench import Collector, Plan
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.worlds.workbench.oracle import BenchOracle
from sandbox.worlds.workbench.templates import tasks

SHORT = ("workbench/rename", "workbench/search-delete")
SMALL = Plan(templates=SHORT, tasks=68, seats=4, rounds=10, budget_s=1e9)
RECIPE = replace(workbench.RECIPE, updates=3, batch=32, keep_every=1)


def test_kinds_of_ticket_that_fail_are_dealt_more_often_than_those_that_are_done() -> None:
    collector = Collector(SMALL, RECIPE, workbench.vocabulary(SMALL))
    collector.recall({"success": {"workbench/rename": 1.0}})
    dealt = [task.template for task, _ in islice(collector._dealt(1), 200)]
    assert set(dealt) == {*SHORT}
    assert dealt.count("workbench/search-delete") > 160


def test_the_vocabulary_holds_words_of_tools_and_phrases_and_none_of_names() -> None:
    known = workbench.vocabulary(SMALL)
    assert {"argument", "find", "rename", "mentions", "plus", "删"} <= {*known.words}
    assert not {"otter", "proxy", "port", "etc", "grep", "yank"} & {*known.words}
    assert {"argument", "find", "rename", "plus"} <= known.tools <= {*known.words}
    assert not {"mentions", "put", "删"} & known.tools


@pytest.mark.parametrize("recurrent", [False, True])
def test_the_same_seed_gives_the_same_weights_also_when_gone_on_with(tmp_path: Path, recurrent: bool) -> None:
    plan = replace_in(SMALL, recurrent=recurrent)
    whole, *_ = workbench.learn(plan, tmp_path / "whole", report=lambda _: None, recipe=RECIPE)
    assert (whole.recall is not None) == recurrent
    heard: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        workbench.learn(plan, tmp_path / "cut", report=lambda each: _break_at(each.step, 2), recipe=RECIPE)
    cut, *_ = workbench.learn(plan, tmp_path / "cut", report=lambda each: heard.append(each.step), recipe=RECIPE)
    assert heard == [2, 3]
    assert all(torch.equal(one, other) for one, other in zip(whole.parameters(), cut.parameters(), strict=True))
    assert [point.step for point in metrics.read(tmp_path / "cut")] == [1, 2, 3]


def test_a_memory_is_learnt_through_the_deeds_and_written_with_the_policy(tmp_path: Path) -> None:
    plan = replace_in(SMALL, recurrent=True)
    words = workbench.vocabulary(plan)
    fresh = BenchNet(len(words), width=workbench.WIDTH, recalls=True, seed=RECIPE.seed)
    network, _, trained = workbench.learn(plan, tmp_path / "work", report=lambda _: None, recipe=RECIPE)
    before, after = dict(fresh.named_parameters()), dict(network.named_parameters())
    assert not torch.equal(before["recall.cell.weight_hh"], after["recall.cell.weight_hh"])
    workbench.write(tmp_path / "policy", network, words, plan, trained)
    assert len(tickets.judge(tmp_path / "policy", "test", 2, templates=SHORT)) == 2


def test_a_kind_of_ticket_is_done_more_often_the_longer_it_was_learnt(tmp_path: Path) -> None:
    plan = Plan(templates=("workbench/search-delete",), tasks=170, seats=16, rounds=24, budget_s=1e9)
    recipe = replace(workbench.RECIPE, updates=12, batch=64, learning_rate=3e-3)
    workbench.learn(plan, tmp_path, report=lambda _: None, recipe=recipe)
    rewards = [point.values["reward"] for point in metrics.read(tmp_path)]
    assert sum(rewards[-3:]) / 3 > sum(rewards[:3]) / 3 + 0.15


def test_only_unlikely_decisions_that_brought_a_ticket_nearer_are_imitated_again() -> None:
    played = Played(sheets=[], row=[*range(300)], reward=[0.95, 0.95, -0.05] * 100, log_prob=[-2.0, -0.1, -2.0] * 100)
    played.sheets = [None] * 300  # type: ignore[list-item]  # not looked into
    found = workbench.lucky(played)
    assert found is not None
    assert found.row.tolist() == [*range(0, 300, 3)]
    played.reward[0] = -0.05
    assert workbench.lucky(played) is None


def test_a_recipe_that_looks_ahead_is_refused_since_episodes_are_cut() -> None:
    with pytest.raises(ValueError, match="make gamma and lam 0"):
        Collector(SMALL, replace(RECIPE, gamma=0.5), workbench.vocabulary(SMALL))


def test_the_oracle_does_held_out_tickets_in_as_few_steps_as_they_take() -> None:
    for task in tasks("test", 17):
        ended = tickets.attempt(task, BenchOracle(task))
        assert ended.verified
        assert ended.steps == ended.optimal


@pytest.mark.parametrize("action", [GiveUp("no"), Finish()])
def test_ending_at_once_is_no_success(action: Finish | GiveUp) -> None:
    assert not tickets.attempt(next(tasks("test", 1)), _Ends(action)).verified


def test_what_was_judged_stands_in_the_policys_folder(tmp_path: Path) -> None:
    words = workbench.vocabulary(SMALL)
    folder = tmp_path / "policy"
    workbench.write(folder, BenchNet(len(words), width=8), words, SMALL, Trained(1, 2.0, None, "time", 1))
    ended = tickets.judged(folder, count=4, templates=SHORT)
    kept = json.loads((folder / "evaluation.json").read_text())["test"]
    assert (kept["verified"], kept["of"]) == (sum(each.verified for each in ended), 4)
    assert {each.task.template for each in ended} <= {*SHORT}
    receipt = json.loads((folder / "receipt.json").read_text())
    assert (receipt["parent"], receipt["algorithm"], receipt["trained"]["updates"]) == (None, "ppo", 1)
    assert kinds.kind_of(folder) == "bench"


def test_the_policy_in_the_checkout_does_held_out_tickets() -> None:
    folder = Path(workbench.__file__).parent / "workbench_policy"
    ended = tickets.judge(folder, "test", 34)
    assert sum(each.verified for each in ended) >= 30


class _Ends:
    """A policy that ends at once."""

    def __init__(self, action: Finish | GiveUp) -> None:
        self._action = action

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        return Proposal(self._action, 1.0)


def _break_at(step: int, last: int) -> None:
    if step == last:
        raise KeyboardInterrupt
