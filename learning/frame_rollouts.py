"""Rollouts of MiniWoB++ pages for PPO: the frames of one page in Chromium play at once, one forward pass for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from learning import acting, collecting, frames, sentences
from learning.acting import Acting, Pages
from learning.arrays import KINDS, Arrays
from learning.curriculum import Curriculum
from learning.features import Scene
from learning.frames import Seat, Turn
from learning.ppo import ActorCritic, Recipe, Rollout
from learning.rows import Rows
from learning.samples import Sample
from learning.segments import Segment
from sandbox.contracts.actions import Action
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.levels import Level

USES_PAGE = np.array([kind not in ("finish", "answer", "give_up", "wait", "scroll") for kind in KINDS])
ENVIRONMENT = "miniwob"


@dataclass(frozen=True)
class Table:
    """What is played in one update, and on which pages."""

    tasks: tuple[str, ...]
    episodes: int = 6  # of each task that teaches
    frames: int = frames.FRAMES  # at once
    first_seed: int = 100_000
    seeds: int = 800_000  # pages to draw from; those that are judged on lie beyond
    critic_only: int = 2  # updates before the policy learns: first its critic has to know what it is worth
    remembered: int = 3_000  # decisions of verified episodes that are imitated again, at most

    def __post_init__(self) -> None:
        """Raises ValueError."""
        if not self.tasks or self.episodes < 1:
            raise ValueError("a table needs tasks, and an episode of each")


@dataclass
class _Episode:
    """Decisions of an episode underway."""

    pages: list[Arrays] = field(default_factory=list)
    chosen: list[dict[str, int]] = field(default_factory=list)
    log_prob: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)


def playable(seen: Scene) -> Scene:
    """A scene in which nothing stops short of the page's own end; as it is where nothing else can be done."""
    can = seen.arrays.kind_can & USES_PAGE
    return replace(seen, arrays=replace(seen.arrays, kind_can=can)) if can.any() else seen


class Drawing:
    """Draws an action in every frame, and remembers what it needs to learn from it."""

    def __init__(self, network: Acting, tasks: Sequence[str], *, seed: int) -> None:
        self._network = network
        self._index = {name: number for number, name in enumerate(tasks)}
        self._generator = torch.Generator().manual_seed(seed)
        self._underway: dict[tuple[str, int], _Episode] = {}

    @torch.no_grad()
    def decide(self, turns: Sequence[Turn]) -> list[Action]:
        """See frames.Decider."""
        scenes = [playable(sentences.scene(frame.observation, frame.goal, seat.history)) for seat, frame in turns]
        inputs = acting.batch_of([each.arrays for each in scenes], [self._index[seat.task] for seat, _ in turns])
        outputs, values = self._network.outputs(inputs)
        drawn, chances = acting.drawn(outputs, self._generator)
        actions = []
        for row, ((seat, _), seen) in enumerate(zip(turns, scenes, strict=True)):
            chosen = {name: int(each[row]) for name, each in drawn.items()}
            mine = self._underway.setdefault((seat.task, seat.seeds[0]), _Episode())
            mine.pages.append(seen.arrays)
            mine.chosen.append(chosen)
            mine.log_prob.append(float(chances[row]))
            mine.value.append(float(values[row]))
            actions.append(acting.action_of(seen, chosen))
        return actions

    def segment(self, ended: Trajectory) -> Segment:
        """An episode that ended: 1 for a solved page, nothing else; out of steps is an end like others."""
        task = ended.task.template.partition("/")[2]
        mine = self._underway.pop((task, ended.task.seed))
        solved = ended.verification.outcome is Outcome.VERIFIED
        rewards = np.zeros(len(mine.pages), np.float32)
        rewards[-1] = float(solved)
        return Segment(
            level=Level(ENVIRONMENT, ended.task.template, ended.task.seed),
            pages=mine.pages,
            actions={name: np.array([each[name] for each in mine.chosen], np.int64) for name in acting.NAMES},
            log_prob=np.array(mine.log_prob, np.float32),
            value=np.array(mine.value, np.float32),
            rewards=rewards,
            terminated=True,
            next_value=0.0,
            end="finish" if solved else "steps",
            verified=solved,
            done=tuple(step.action for step in ended.steps),
            useless=0,
        )


class FrameCollector:
    """See ppo.Collector; the critic has a scale for each task. `shown` is imitated beside what is solved in play."""

    def __init__(self, table: Table, recipe: Recipe, *, shown: Sequence[Sample] = ()) -> None:
        self._table, self._recipe = table, recipe
        self.curriculum = Curriculum(low=0.02, high=0.9)
        self._shown = _pages_of_samples(shown, table.tasks)
        self._solved: list[Segment] = []

    def __call__(self, network: ActorCritic, number: int) -> Rollout:
        """See ppo.Collector."""
        assert isinstance(network, Acting)
        rng = np.random.default_rng([self._recipe.seed, 4, number])
        drawing = Drawing(network, self._table.tasks, seed=int(rng.integers(2**62)))
        played = frames.played(drawing.decide, self._seats(rng), name="play")
        segments = [drawing.segment(each) for each in played]
        advantage = collecting.advantages_of(segments, self._recipe)
        for each in segments:
            self.curriculum.record(each.level, verified=each.verified, score=0.0, actions=())
        self._remember(segments)
        rows = self._pages(segments)
        return Rollout(
            rows=rows,
            environment=rows.environment,
            log_prob=torch.from_numpy(np.concatenate([each.log_prob for each in segments])),
            value=torch.from_numpy(np.concatenate([each.value for each in segments])),
            advantage=advantage,
            metrics={**collecting.measured(segments), **self.curriculum.metrics()},
            critic_only=number < self._table.critic_only,
        )

    def heard(self, points: Mapping[str, float]) -> str:
        """See ppo.Collector: only time, trials and the number of updates end it."""
        return ""

    def noted(self) -> dict[str, Any]:
        """See ppo.Collector; what was solved in play is collected anew."""
        return {"curriculum": self.curriculum.noted()}

    def recall(self, noted: Mapping[str, Any]) -> None:
        """See ppo.Collector."""
        self.curriculum.recall(noted.get("curriculum", {}))

    def successes(self) -> Rows | None:
        """Demonstrations and what was solved lately; None where there is neither."""
        parts = [part for part in (self._shown, self._pages(self._solved)) if part.arrays]
        return joined(parts) if parts else None

    def _seats(self, rng: np.random.Generator) -> list[Seat]:
        """Tasks that teach, and now and then the others, on pages of this update."""
        table = self._table
        names = [f"{ENVIRONMENT}/{task}" for task in table.tasks]
        chosen = [name.partition("/")[2] for name in self.curriculum.chosen(names, rng)]
        seeds = table.first_seed + rng.choice(table.seeds, table.episodes, replace=False)
        return frames.seats_of(chosen, seeds.tolist(), most=table.frames)

    def _remember(self, segments: Sequence[Segment]) -> None:
        """Keep verified episodes of tasks that are not solved nearly always; the oldest go."""
        fresh = [each for each in segments if each.verified and self.curriculum.teaches(each.level.template)]
        self._solved += fresh
        while sum(len(each.pages) for each in self._solved) > self._table.remembered:
            self._solved.pop(0)

    def _pages(self, segments: Sequence[Segment]) -> Pages:
        index = {f"{ENVIRONMENT}/{task}": number for number, task in enumerate(self._table.tasks)}
        actions = {
            name: torch.tensor([int(value) for each in segments for value in each.actions[name]], dtype=torch.int64)
            for name in acting.NAMES
        }
        tasks = [index[each.level.template] for each in segments for _ in each.pages]
        return Pages(
            [page for each in segments for page in each.pages], actions, torch.tensor(tasks, dtype=torch.int64)
        )


def joined(parts: Sequence[Pages]) -> Pages:
    """Several as one."""
    actions = {name: torch.cat([each.actions[name] for each in parts]) for name in acting.NAMES}
    return Pages(
        [page for each in parts for page in each.arrays], actions, torch.cat([each.environment for each in parts])
    )


def _pages_of_samples(shown: Sequence[Sample], tasks: Sequence[str]) -> Pages:
    """Demonstrations as decisions; those of pages that are played under another name count with the first task."""
    index = {f"{ENVIRONMENT}/{task}": number for number, task in enumerate(tasks)}
    taught = [acting.taught(each.label) for each in shown]
    actions = {name: torch.tensor([each[name] for each in taught], dtype=torch.int64) for name in acting.NAMES}
    where = [index.get(each.template.removesuffix("-nodelay"), 0) for each in shown]
    return Pages([each.arrays for each in shown], actions, torch.tensor(where, dtype=torch.int64))
