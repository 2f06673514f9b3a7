"""Workbenches played many at a time by a network in this process: what was seen, done and earned."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import torch

from learning.bench_net import BenchNet, batch_of
from learning.bench_sheet import Notes, Reader, Sheet
from learning.bench_words import Vocabulary
from learning.candidates import LOW
from sandbox.contracts.actions import Action, Finish
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Outcome, Task
from sandbox.worlds.workbench.jobs import recipe
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.view import ORDERS, TOOLS

VERIFIED, WRONG, SPOILT = 1.0, -0.8, -0.5  # of a finish, and of what cannot be mended
STEP, AGAIN = -0.05, -0.2  # of every step, and of one that was taken since it last came nearer than ever
FURTHEST = -0.5  # what one move loses at most
PATIENCE = 14  # steps without coming nearer than ever before, after which an episode is cut
_SYLLABLES = ("ba", "do", "fe", "gi", "ku", "la", "mo", "ne", "pi", "ru", "sa", "to", "vu", "xe", "zi")


class Guise:
    """An episode's own names for some tools, in words that nobody knows, and its own order of them.

    The order is turned and may run from the bottom up; one that the world itself keeps for tests is never made.
    """

    def __init__(self, chance: random.Random, task: Task, *, named: float = 0.6, moved: float = 0.5) -> None:
        self._chance = chance
        self._share = chance.choice((0.5, 0.8, 1.0)) if chance.random() < named else 0.0
        moves = chance.random() < moved
        self._back = moves and chance.random() < 0.5
        first = ORDERS[recipe(task)["order"]].index(
            TOOLS[0]
        )  # turned so far and then back, it would be the held-out one
        turns = [turn for turn in range(1, len(TOOLS)) if not (self._back and turn == first)]
        self._turn = chance.choice(turns) if moves else 0
        self._names: dict[str, str] = {}
        self._kept: dict[int, tuple[Element, Element]] = {}  # with the element, so that its id stays its own

    def of(self, observation: Observation) -> Observation:
        """The page as it looks in this guise."""
        if not self._share and not self._turn:
            return observation
        shown = [self._element(each) for each in observation.elements]
        places = [place for place, each in enumerate(shown) if each.role == "button" and each.region != "nav"]
        tools = [shown[place] for place in places]
        turned = tools[self._turn :] + tools[: self._turn]
        for place, tool in zip(places, turned[::-1] if self._back else turned, strict=True):
            shown[place] = tool
        return msgspec.structs.replace(observation, elements=tuple(shown))

    def _element(self, element: Element) -> Element:
        if not self._share or element.role not in ("button", "textbox") or element.region == "nav":
            return element
        found = self._kept.get(id(element))
        if found is None:
            if element.name not in self._names:
                made = "".join(self._chance.choices(_SYLLABLES, k=2))
                self._names[element.name] = made if self._chance.random() < self._share else element.name
            name = self._names[element.name]
            found = self._kept[id(element)] = (element, msgspec.structs.replace(element, name=name))
        return found[1]


@dataclass(frozen=True)
class Ended:
    """How an episode ended."""

    template: str
    verified: bool
    steps: int
    reward: float


@dataclass
class Played:
    """N decisions, one after the other as they were taken, and the episodes that ended among them."""

    sheets: list[Sheet] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    log_prob: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    reward: list[float] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)


class Seat:
    """One bench that is being played."""

    def __init__(self, task: Task, vocabulary: Vocabulary, guise: Guise, *, recalls: bool = False) -> None:
        self.task, self._guise = task, guise
        self._bench = Workbench()
        self._seen = self._bench.reset(task)
        self._left = self._nearest = self._bench.moves_left() or 0
        self._notes, self._reader = Notes(), Reader(vocabulary, task.goal, recalls=recalls)
        self._since = 0  # it came nearer than ever
        self._tried: set[tuple[str, str, str, Action]] = set()  # since then
        self.total = 0.0
        self.verified = False

    @property
    def steps(self) -> int:
        """Taken so far."""
        return self._notes.steps

    def sheet(self) -> tuple[Sheet, list[Action | None]]:
        """What is seen now."""
        return self._reader.read(self._guise.of(self._seen), self._notes)

    def act(self, action: Action) -> tuple[float, bool]:
        """Do one action; what it earned, and whether the episode is over."""
        seen = self._guise.of(self._seen)
        result, self._seen = self._bench.act(action)
        step = past(seen, action, result)
        self._notes.take(step)
        self._since += 1
        reward, over = self._earned(step)
        self.total += reward
        return reward, over or self._since >= PATIENCE or self.steps >= self.task.max_steps

    def _earned(self, step: Past) -> tuple[float, bool]:
        if isinstance(step.action, Finish):
            self.verified = self._bench.verify("").outcome is Outcome.VERIFIED
            return (VERIFIED if self.verified else WRONG), True
        left = self._bench.moves_left()
        if left is None or self._bench.harm():
            return SPOILT, True
        gained, self._left = self._left - left, left
        if left < self._nearest:
            self._nearest, self._since = left, 0
            self._tried.clear()
            return gained + STEP, False
        deed = (step.role, step.name, step.row, step.action)
        again = deed in self._tried
        self._tried.add(deed)
        return max(gained, FURTHEST) + STEP + AGAIN * again, False


@torch.no_grad()
def play(
    network: BenchNet,
    dealt: Iterator[tuple[Task, Guise]],
    vocabulary: Vocabulary,
    *,
    seats: int,
    rounds: int,
    generator: torch.Generator,
    even: float = 0.0,
) -> Played:
    """So many decisions on so many benches; the last episodes are cut. Equal weights and generator play the same.

    A share `even` of the decisions is tried just to see; the log-probability is that of the whole.
    """
    found = Played()
    recalls = network.recall is not None

    def seated() -> Seat:
        task, guise = next(dealt)
        return Seat(task, vocabulary, guise, recalls=recalls)

    taken = [seated() for _ in range(seats)]
    for _ in range(rounds):
        seen = [each.sheet() for each in taken]
        logits, value, _ = network.outputs(batch_of([sheet for sheet, _ in seen]))
        possible = (logits > LOW / 2).float()
        spread = possible / possible.sum(-1, keepdim=True)
        log_p = ((1 - even) * logits.softmax(-1) + even * spread).log()
        row = torch.multinomial(log_p.exp(), 1, generator=generator)
        found.log_prob += log_p.gather(1, row)[:, 0].tolist()
        found.value += value.tolist()
        chosen = row[:, 0].tolist()
        found.row += chosen
        for place, (seat, (sheet, actions)) in enumerate(zip(taken, seen, strict=True)):
            found.sheets.append(sheet)
            action = actions[chosen[place]]
            assert action is not None  # rows that are no action are never drawn
            reward, over = seat.act(action)
            found.reward.append(reward)
            if over:
                found.ended.append(Ended(seat.task.template, seat.verified, seat.steps, seat.total))
                taken[place] = seated()
    return found
