"""Whole episodes from those who play to the one who learns: Ray actors with the policy's weights, or this process."""

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
from msgspec import Struct
from torch import Tensor

from learning import acting
from learning.acting import Acting
from learning.arrays import USELESS, Arrays
from learning.networks import build
from learning.readings import reading_of
from learning.rows import Named
from sandbox.contracts.actions import Action, ActOutcome, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Split, Task
from sandbox.coverage import Coverage
from sandbox.episode import Turn
from sandbox.levels import Course, Deck, Level
from sandbox.orchestrator import Orchestrator
from sandbox.registry import find_environment
from sandbox.rewards import from_text
from sandbox.semantics.rules import adapter_for
from sandbox.stage import LocalStage
from sandbox.variants import VariantGenerator

Met: TypeAlias = tuple[dict[str, int], list[tuple[str, str, int]]]  # tokens, and steps from one to the next


class Order(Struct, frozen=True):
    """What one player is to play: about so many decisions, then to the end of every episode."""

    templates: tuple[str, ...]
    decisions: int
    seed: tuple[int, ...]
    split: Split = "train"
    slots: int = 16
    changed: int | None = None  # so many dimensions of a variant leave their plain value, at most; None = any number
    even: float = 0.0  # share of actions tried just to see
    sharpness: float = 1.0  # of the draw: 1 as the policy says, much more for its likeliest actions alone
    given: tuple[tuple[Level, tuple[Action, ...]], ...] = ()  # levels, and what is done there before the policy acts
    given_share: float = 0.0  # of the episodes, while there are given ones left
    met: Mapping[str, Met] = {}  # coverage so far, by environment
    reward: str = ""  # spec as text; "" = the default


@dataclass(frozen=True)
class Segment:
    """One episode's decisions by the policy, T of them, and how it ended."""

    level: Level
    pages: list[Arrays]
    actions: dict[str, np.ndarray[Any, np.dtype[np.int64]]]  # by acting.NAMES, each (T,)
    log_prob: np.ndarray[Any, np.dtype[np.float32]]  # (T,) with which they were drawn
    value: np.ndarray[Any, np.dtype[np.float32]]  # (T,)
    rewards: np.ndarray[Any, np.dtype[np.float32]]  # (T,)
    terminated: bool
    next_value: float  # of the state it was cut in
    end: str
    verified: bool
    done: tuple[Action, ...]  # every action since the first screen, a start's included
    useless: int  # of the decisions, those without effect


@dataclass
class _Running:
    """An episode that is being played."""

    lead: tuple[Action, ...]  # what is done before the policy acts
    done: list[Action] = field(default_factory=list)
    history: list[Past] = field(default_factory=list)
    pages: list[Arrays] = field(default_factory=list)
    chosen: list[dict[str, int]] = field(default_factory=list)
    log_prob: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    before: tuple[Observation, Action] | None = None
    useless: int = 0


class _Variants(VariantGenerator):
    """Variants of which at most `most` dimensions leave their plain value."""

    most: int | None = None

    def draw(self, rng: random.Random, split: Split, *, changed: int | None = None) -> str:
        """See VariantGenerator."""
        return super().draw(rng, split, changed=self.most if changed is None else changed)


class _Dealt(Deck):
    """Deals the order's given levels, each once, among new ones of which the coldest variant is taken."""

    def __init__(self, order: Order) -> None:
        seed = int(np.random.default_rng([*order.seed, 1]).integers(2**31))
        super().__init__(_courses(order), seed=seed, split=order.split)
        self._given = [level for level, _ in reversed(order.given)]
        self._share = order.given_share
        self._lots = random.Random(seed)  # noqa: S311  # not a secret

    def deal(self) -> Level:
        """See Deck."""
        if self._given and self._lots.random() < self._share:
            return self._given.pop()
        return super().deal()


def _courses(order: Order) -> list[Course]:
    """The templates of the order by environment, each environment as often as it has templates."""
    by_base: dict[str, list[str]] = {}
    for name in order.templates:
        by_base.setdefault(name.partition("/")[0], []).append(name)
    found = []
    for base, names in sorted(by_base.items()):
        registered = find_environment(base)
        variants = _Variants.of(registered)
        assert isinstance(variants, _Variants)
        variants.most = order.changed
        found.append(Course(variants, {name: registered.templates[name] for name in names}, weight=len(names)))
    return found


class SegmentPlayer:
    """Plays orders with its own copy of the policy; an actor of Ray, or in the process of the learner."""

    def __init__(self, shape: Mapping[str, int], environments: Sequence[str]) -> None:
        torch.set_num_threads(1)
        self._environments = {name: index for index, name in enumerate(environments)}
        self._network = Acting(build(dict(shape)), len(environments)).eval()
        self._reading = reading_of(shape)
        self.version = -1

    def take_weights(self, version: int, weights: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """The policy to play from now on."""
        self._network.take(weights)
        self.version = version

    def pid(self) -> int:
        """Of the process that plays."""
        return os.getpid()

    @torch.no_grad()
    def play(self, order: Order) -> tuple[list[Segment], dict[str, Met]]:
        """Play an order to its end; the same order and weights give the same segments. Also coverage, as in Order."""
        stage = Orchestrator(
            LocalStage(order.slots),
            _Dealt(order),
            reward=from_text(order.reward) if order.reward else None,
        )
        stage.coverage.update({base: _coverage(base, *met) for base, met in order.met.items()})
        generator = torch.Generator().manual_seed(int(np.random.default_rng(order.seed).integers(2**62)))
        leads = dict(order.given)
        running: dict[int, _Running] = {}
        found: list[Segment] = []
        decided = 0
        try:
            while stage.playing or running:
                turns = stage.turns(1.0)
                for turn in turns:
                    _hear(running.setdefault(turn.slot, _Running(leads.get(turn.level, ()))), turn)
                asked = self._lead(stage, running, turns)
                decided += self._decide(stage, running, asked, generator, order, found)
                if decided >= order.decisions:
                    stage.playing = 0
            return found, {base: _met(each) for base, each in stage.coverage.items()}
        finally:
            stage.close()

    def outputs(self, inputs: Named) -> tuple[dict[str, Tensor], Tensor]:
        """What the policy says of a batch, and (B,) values; who has it worked out elsewhere asks there."""
        return self._network.outputs(inputs)

    def _lead(self, stage: Orchestrator, running: dict[int, _Running], turns: Sequence[Turn]) -> list[Turn]:
        """Go on with the starts; the turns that the policy has to look at."""
        asked = []
        for turn in turns:
            mine = running[turn.slot]
            if turn.end or len(mine.done) >= len(mine.lead):
                asked.append(turn)
                continue
            action = mine.lead[len(mine.done)]
            mine.done.append(action)
            mine.before = (turn.observation, action)
            stage.act(turn.slot, action)
        return asked

    def _decide(
        self,
        stage: Orchestrator,
        running: dict[int, _Running],
        asked: Sequence[Turn],
        generator: torch.Generator,
        order: Order,
        found: list[Segment],
    ) -> int:
        """Act where an action is waited for, close what has ended; how many decisions were taken."""
        looked = [turn for turn in asked if not turn.end or turn.truncated]
        scenes = [self._reading(t.observation, t.task.goal, running[t.slot].history) for t in looked]
        values: list[float] = []
        if looked:
            inputs = acting.batch_of([each.arrays for each in scenes], [self._index(t.task) for t in looked])
            outputs, value = self.outputs(inputs)
            values = value.tolist()
            if order.sharpness != 1.0:
                outputs = {name: each * order.sharpness for name, each in outputs.items()}
            actions, chances = acting.drawn(outputs, generator, even=order.even)
            rows = [{name: int(each[row]) for name, each in actions.items()} for row in range(len(looked))]
        ends = {turn.slot: 0.0 for turn in asked if turn.end}
        for row, (turn, seen) in enumerate(zip(looked, scenes, strict=True)):
            mine = running[turn.slot]
            if turn.end:
                ends[turn.slot] = values[row]
                continue
            action = acting.action_of(seen, rows[row])
            mine.pages.append(seen.arrays)
            mine.chosen.append(rows[row])
            mine.log_prob.append(float(chances[row]))
            mine.value.append(values[row])
            mine.done.append(action)
            mine.before = (turn.observation, action)
            stage.act(turn.slot, action)
        for turn in asked:
            if turn.end:
                found += _closed(running.pop(turn.slot), turn, ends[turn.slot])
        return len(looked) - sum(turn.truncated for turn in looked)

    def _index(self, task: Task) -> int:
        return self._environments[task.environment.partition("?")[0]]


def _hear(mine: _Running, turn: Turn) -> None:
    """What came of the last action."""
    if mine.before is None:
        return
    result = turn.result if turn.result is not None and not _lost(turn) else ActResult(ActOutcome.CRASHED)
    observation, action = mine.before
    mine.history.append(past(observation, action, result))
    mine.before = None
    if mine.pages:
        mine.rewards.append(turn.reward)
        mine.useless += result.outcome in USELESS


def _lost(turn: Turn) -> bool:
    return turn.end not in ("", "finish", "give_up", "danger", "steps", "time")


def _closed(mine: _Running, turn: Turn, next_value: float) -> list[Segment]:
    """The episode as a segment; none where the policy took no decision, or its world broke."""
    if not mine.pages or _lost(turn):
        return []
    verified = turn.verification is not None and turn.verification.outcome is Outcome.VERIFIED
    return [
        Segment(
            level=turn.level,
            pages=mine.pages,
            actions={name: np.array([each[name] for each in mine.chosen], np.int64) for name in acting.NAMES},
            log_prob=np.array(mine.log_prob, np.float32),
            value=np.array(mine.value, np.float32),
            rewards=np.array(mine.rewards, np.float32),
            terminated=turn.terminated,
            next_value=next_value,
            end=turn.end,
            verified=verified,
            done=tuple(mine.done),
            useless=mine.useless,
        )
    ]


def _coverage(base: str, tokens: Mapping[str, int], transitions: Sequence[tuple[str, str, int]]) -> Coverage:
    """Coverage as it was noted."""
    found = Coverage(adapter_for(base))
    found.tokens.update(tokens)
    found.transitions.update({(one, other): count for one, other, count in transitions})
    return found


def _met(coverage: Coverage) -> Met:
    """Coverage as plain data."""
    steps = [(one, other, count) for (one, other), count in sorted(coverage.transitions.items())]
    return dict(sorted(coverage.tokens.items())), steps
