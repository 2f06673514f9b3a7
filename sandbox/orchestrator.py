"""Keeps many episodes in play: deals levels to slots as they come free, and counts limits, rewards and faults."""

import time
from collections import Counter
from collections.abc import Callable

from sandbox.contracts.actions import Action, Finish
from sandbox.contracts.tasks import Outcome
from sandbox.coverage import Coverage
from sandbox.episode import Episode, Turn
from sandbox.levels import Deck, Level
from sandbox.moments import RewardStats
from sandbox.rewards import FarmingReport, Spec, default
from sandbox.semantics.rules import Adapter, adapter_for
from sandbox.stage import Stage
from sandbox.worker import Broken, Judged, Shown

_LOOK_S = 0.05  # how often somebody looks for slots that may hang


class Orchestrator:
    """Episodes on a stage. For one thread: `turns`, then `act` on each that waits, and so on for ever.

    Each slot is dealt the next level the moment its episode ends: a long task holds up nobody. `max_steps` of a task
    and `episode_limit_s` cut an episode short; a Finish is judged before its last turn is told. With `playing` below
    the stage's slots, the rest are spares that step in for slots that may hang. Set to 0 later, it lets the episodes
    that are underway end and deals no more.
    """

    def __init__(
        self,
        stage: Stage,
        deck: Deck,
        *,
        reward: Spec | None = None,
        playing: int | None = None,
        episode_limit_s: float = 600.0,
        adapter: Callable[[str], Adapter] = adapter_for,
    ) -> None:
        self.stage = stage
        self.deck = deck
        self.rewards = RewardStats()  # totals of episodes, by environment without its recipe
        self.coverage: dict[str, Coverage] = {}
        self.farming = FarmingReport()
        self._spec = reward or default()
        self.playing = stage.slots if playing is None else playing
        self._limit_s = episode_limit_s
        self._adapter_for = adapter
        self._episodes: dict[int, Episode] = {}
        self._free = list(range(stage.slots))
        self._counts: Counter[str] = Counter(dict.fromkeys(("dealt", "steps", "episodes", "verified", "unstarted"), 0))
        self._ends: Counter[str] = Counter()

    def turns(self, timeout_s: float = 1.0) -> list[Turn]:
        """What happened since the last call; waits for the first of it, and is empty when time is up."""
        until = time.monotonic() + timeout_s
        while True:
            room = self.playing - len(self._episodes) + (self.stage.suspects() if self.playing else 0)
            for _ in range(min(room, len(self._free))):
                self._deal(self._free.pop(0))
            left = until - time.monotonic()
            replies = self.stage.poll(max(min(left, _LOOK_S) if self._free else left, 0.0))
            told = [turn for turn in map(self._heard, replies) if turn is not None]
            # What was heard may have been half a step (a finish is judged first), and nothing heard a suspicion.
            if told or left <= 0 or (not replies and (left <= _LOOK_S or not self._free)):
                return told

    def act(self, slot: int, action: Action) -> None:
        """The action for a turn that waits for one. Raises KeyError or RuntimeError where none does."""
        self._episodes[slot].act(action)
        self._counts["steps"] += 1
        self.stage.act(slot, action)

    def score(self, level: Level, score: float) -> None:
        """The learner's score of a level (the higher, the more there is to learn): it may be dealt again."""
        self.deck.known.record(level, score)

    def metrics(self) -> dict[str, float]:
        """Every counter of the orchestra by name."""
        ended = max(self._counts["episodes"], 1)
        own = {
            **self._counts,
            **{f"ended_{end}": count for end, count in self._ends.items()},
            "playing": len(self._episodes),
            "verified_share": self._counts["verified"] / ended,
        }
        metrics: dict[str, float] = {f"orchestrator_{name}": value for name, value in own.items()}
        for part in (self.stage, self.deck, self.rewards, self.farming):
            metrics |= part.metrics()
        for base, coverage in self.coverage.items():
            metrics |= {f"{name}_{base.replace('-', '_')}": value for name, value in coverage.metrics().items()}
        return {name: float(value) for name, value in metrics.items()}

    def close(self) -> None:
        """End the stage."""
        self.stage.close()

    def _deal(self, slot: int) -> None:
        level = self.deck.deal()
        task = self.deck.task(level)
        base = task.environment.partition("?")[0]
        adapter = self._adapter_for(base)
        self._counts["dealt"] += 1
        self._episodes[slot] = Episode(
            self._counts["dealt"],
            level,
            task,
            adapter=adapter,
            coverage=self.coverage.setdefault(base, Coverage(adapter)),
            spec=self._spec,
            began=time.monotonic(),
        )
        self.stage.start(slot, task)

    def _heard(self, reply: Shown | Judged | Broken) -> Turn | None:
        episode = self._episodes.get(reply.slot)
        if episode is None:  # its worker died between two episodes
            return None
        turn: Turn | None
        match reply:
            case Broken(slot, trouble):
                turn = episode.lose(trouble)
                self._leave(slot, episode, turn)
                return turn
            case Judged(_, verification):
                turn = episode.close_step(verification=verification)
            case Shown() if episode.seen is None:
                return episode.begin(reply)
            case Shown():
                action = episode.action
                episode.do(reply)
                if isinstance(action, Finish):
                    self.stage.judge(reply.slot, action.answer)
                    return None
                turn = episode.close_step(late=time.monotonic() - episode.began > self._limit_s)
        if turn.end:
            self._leave(reply.slot, episode, turn)
        return turn

    def _leave(self, slot: int, episode: Episode, turn: Turn | None) -> None:
        """The episode is over; the slot is free for the next one."""
        del self._episodes[slot]
        self._free.append(slot)
        if turn is None:
            self._counts["unstarted"] += 1
            return
        base = episode.task.environment.partition("?")[0]
        self._counts["episodes"] += 1
        self._ends[turn.end] += 1
        self._counts["verified"] += turn.verification is not None and turn.verification.outcome is Outcome.VERIFIED
        self.rewards.add(base, episode.total)
        self.farming.add(base, episode.detector)
