"""Rollouts of worlds for PPO: orders go out to players, whole episodes come back, and what they teach is kept."""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor

from learning import acting, clusters, devices
from learning.acting import Acting, Pages
from learning.advantages import gae, successors
from learning.central import Asking, Central, Counted, OtherVersion
from learning.curriculum import Curriculum
from learning.networks import sizes
from learning.phases import PHASES, Phase, Progression, collapsed, evenness
from learning.ppo import ActorCritic, Recipe, Rollout
from learning.segments import Met, Order, Segment, SegmentPlayer
from sandbox.coverage import Coverage
from sandbox.registry import SessionLost
from sandbox.rewards import default, from_text
from sandbox.semantics.rules import adapter_for

log = logging.getLogger(__name__)

SURPRISING = 64  # levels with large advantages that are offered again
MOST_ASKING = 1_000  # players that wait for an answer at a time
TRIES = 3  # of a rollout of which every order is lost
LOST = (SessionLost, OSError, OtherVersion)  # by what an order may be lost though its player lives


@dataclass(frozen=True)
class World:
    """What is practised, and by whom."""

    templates: tuple[str, ...]
    decisions: int = 2_048  # of each update
    workers: int = 0  # Ray actors; 0 = in this process
    central: bool | None = None  # one process answers for all actors; None = where there is a GPU for it
    judged: int = 600  # decisions of a trial on fixed validation tasks
    slots: int = 16  # episodes that a player has underway
    reward: str = ""  # spec as text; "" = the default
    phases: tuple[Phase, ...] = PHASES

    @property
    def environments(self) -> tuple[str, ...]:
        """Those of the templates; the critic has a scale for each."""
        return tuple(sorted({name.partition("/")[0] for name in self.templates}))


class SegmentCollector:
    """See ppo.Collector. On one worker the same seed gives the same rollouts, also gone on from a checkpoint."""

    def __init__(self, world: World, recipe: Recipe, *, curriculum: Curriculum | None = None) -> None:
        spec = from_text(world.reward) if world.reward else default()
        if spec.gamma != recipe.gamma:
            raise ValueError(
                f"the reward {spec.name} discounts by {spec.gamma} and the recipe by {recipe.gamma}: make them equal"
            )
        if world.central and not world.workers:
            raise ValueError(
                "one process can answer for players that are actors: ask for workers, or leave central out"
            )
        self._world, self._recipe = world, recipe
        self.curriculum = curriculum or Curriculum()
        self._first = self.curriculum.noted()
        self._met: dict[str, Met] = {}
        self._progression = Progression()
        self._phase = world.phases[0]
        self._curves: list[dict[str, float]] = []
        self._players: Sequence[_Local | _Remote] = []
        self._central: Any = None  # an actor's handle, where one answers for all
        self.lost = 0  # orders that died with their player
        self.verified_pages: Pages | None = None  # decisions of the last rollout's verified episodes

    def __call__(self, network: ActorCritic, number: int) -> Rollout:
        """See ppo.Collector."""
        assert isinstance(network, Acting)
        self._hire(network)
        weights = {name: each.detach().cpu().numpy() for name, each in network.state_dict().items()}
        for _ in range(TRIES):
            if segments := self._played(number, weights):
                return self._rollout(segments)
        raise RuntimeError("no player came back with an episode: see the log for what became of them")

    def _played(self, number: int, weights: Mapping[str, Any]) -> list[Segment]:
        """What came back of the orders of this update."""
        if self._central is not None:
            _answered(self._central.take_weights.remote(number, weights))
            weights = {}  # players do without
        asked = [
            player.ask(number, weights, self._order(number, worker)) for worker, player in enumerate(self._players)
        ]
        segments: list[Segment] = []
        for player, ticket in zip(self._players, asked, strict=True):
            played = player.fetch(ticket)
            if played is None:
                self.lost += 1
                continue
            found, met = played
            segments += found
            self._take_coverage(met)
        return segments

    def heard(self, points: Mapping[str, float]) -> str:
        """Move on through the phases; "collapse" where reward rises while verified success falls."""
        self._curves.append({name: points[name] for name in ("success", "reward")})
        self._curves = self._curves[-64:]
        self._phase = self._progression.step(self._world.phases, points)
        return "collapse" if collapsed(self._curves) else ""

    def noted(self) -> dict[str, Any]:
        """See ppo.Collector."""
        found: dict[str, Any] = msgspec.to_builtins(
            {"met": self._met, "progression": self._progression, "curves": self._curves, "lost": self.lost}
        )
        return found | {"curriculum": self.curriculum.noted()}

    def recall(self, noted: Mapping[str, Any]) -> None:
        """See ppo.Collector."""
        self.curriculum.recall(noted.get("curriculum", self._first))
        if noted:
            self._met = msgspec.convert(noted["met"], dict[str, Met])
            self._progression = msgspec.convert(noted["progression"], Progression)
            self._curves, self.lost = list(noted["curves"]), int(noted["lost"])
            self._phase = self._world.phases[self._progression.number]

    def close(self) -> None:
        """Let the players go; safe to repeat."""
        for player in self._players:
            player.close()
        self._players = []
        if self._central is not None:
            _ended(self._central)
            self._central = None

    def player_pids(self) -> list[int]:
        """Processes that play."""
        return [player.pid for player in self._players]

    def answering(self) -> Counted | None:
        """Who answers for all of them; None where each has the policy itself."""
        return _answered(self._central.counted.remote()) if self._central is not None else None

    def coverage(self) -> float:
        """Share of the tokens that the rules can say which was met, mean over environments."""
        shares = []
        for base in self._world.environments:
            found = Coverage(adapter_for(base))
            found.tokens.update(self._met.get(base, ({}, []))[0])
            shares.append(found.share())
        return fmean(shares)

    def _hire(self, network: Acting) -> None:
        if self._players:
            return
        told = (sizes(network.policy.shape), self._world.environments)
        on_gpu = devices.chosen().type == "cuda"
        if not self._world.workers:
            self._players = [_Local(*told)]
            return
        clusters.begin(self._world.workers)
        if on_gpu if self._world.central is None else self._world.central:
            self._central = _central(*told, on_gpu=on_gpu)
        self._players = [_Remote(*told, central=self._central) for _ in range(self._world.workers)]

    def _order(self, number: int, worker: int) -> Order:
        world, phase = self._world, self._phase
        rng = np.random.default_rng([self._recipe.seed, 4, number, worker])
        templates = self.curriculum.chosen(world.templates, rng)
        decisions = world.decisions // max(1, world.workers)
        starts = self.curriculum.starts(templates, decisions // 8 if phase.starts else 0, rng)
        again = self.curriculum.surprising(templates, SURPRISING)
        given = [(path.level, path.actions[:taken]) for path, taken in starts]
        given += [(level, ()) for level, _ in again if level not in {path.level for path, _ in starts}]
        return Order(
            templates=tuple(templates),
            decisions=decisions,
            seed=(self._recipe.seed, number, worker),
            slots=world.slots,
            changed=phase.changed,
            even=evenness(phase, self.coverage()),
            given=tuple(given[index] for index in rng.permutation(len(given))),
            given_share=phase.starts,
            met=self._met,
            reward=world.reward,
        )

    def _take_coverage(self, met: Mapping[str, Met]) -> None:
        """What one player met; where several play, each counted from the same beginning: the larger count holds."""
        for base, (tokens, steps) in met.items():
            known, before = self._met.get(base, ({}, []))
            counts = {(one, other): count for one, other, count in before}
            for one, other, count in steps:
                counts[one, other] = max(count, counts.get((one, other), 0))
            merged = {name: max(count, known.get(name, 0)) for name, count in tokens.items()}
            self._met[base] = ({**known, **merged}, [(one, other, n) for (one, other), n in sorted(counts.items())])

    def _rollout(self, segments: Sequence[Segment]) -> Rollout:
        advantage = advantages_of(segments, self._recipe)
        good = [each for each in segments if each.verified]
        self.verified_pages = pages_of(good, self._world.environments) if good else None
        at = 0
        for each in segments:
            score = float(advantage[at : at + len(each.pages)].abs().mean())
            self.curriculum.record(each.level, verified=each.verified, score=score, actions=each.done)
            at += len(each.pages)
        return Rollout(
            rows=pages_of(segments, self._world.environments),
            environment=_environment_of(segments, self._world.environments),
            log_prob=torch.from_numpy(np.concatenate([each.log_prob for each in segments])),
            value=torch.from_numpy(np.concatenate([each.value for each in segments])),
            advantage=advantage,
            metrics={
                **measured(segments),
                **self.curriculum.metrics(),
                "coverage": self.coverage(),
                "consistency": consistency(segments),
                "phase": float(self._progression.number),
                "lost": float(self.lost),
            },
            critic_only=self._phase.critic_only,
        )


def advantages_of(segments: Sequence[Segment], recipe: Recipe) -> Tensor:
    """(N,) of all decisions, one segment after the other."""
    lengths = [len(each.pages) for each in segments]
    last = np.cumsum(lengths) - 1
    count = int(last[-1]) + 1
    terminated, truncated = torch.zeros(2, count, 1, dtype=torch.bool)
    terminated[last, 0] = torch.tensor([each.terminated for each in segments])
    truncated[last, 0] = ~terminated[last, 0]
    values = torch.from_numpy(np.concatenate([each.value for each in segments]))[:, None]
    rewards = torch.from_numpy(np.concatenate([each.rewards for each in segments]))[:, None]
    cut = {(int(row), 0): each.next_value for row, each in zip(last, segments, strict=True)}
    reached = successors(values, torch.zeros(1), cut)
    return gae(rewards, values, reached, terminated, truncated, gamma=recipe.gamma, lam=recipe.lam)[:, 0]


def pages_of(segments: Sequence[Segment], environments: Sequence[str]) -> Pages:
    """Their decisions as rows, one segment after the other."""
    actions = {
        name: torch.from_numpy(np.concatenate([each.actions[name] for each in segments])) for name in acting.NAMES
    }
    pages = [page for each in segments for page in each.pages]
    return Pages(pages, actions, _environment_of(segments, environments))


def _environment_of(segments: Sequence[Segment], environments: Sequence[str]) -> Tensor:
    found = [environments.index(each.level.template.partition("/")[0]) for each in segments]
    return torch.tensor(np.repeat(found, [len(each.pages) for each in segments]))


def measured(segments: Sequence[Segment]) -> dict[str, float]:
    """Curves of what was played."""
    decisions = sum(len(each.pages) for each in segments)
    by_template: dict[str, list[bool]] = defaultdict(list)
    for each in segments:
        by_template[each.level.template].append(each.verified)
    return {
        "decisions": float(decisions),
        "episodes": float(len(segments)),
        "reward": fmean(float(each.rewards.sum()) for each in segments),
        "success": fmean(each.verified for each in segments),
        "length": decisions / len(segments),
        "useless_share": sum(each.useless for each in segments) / decisions,
        **{f"success/{name}": fmean(found) for name, found in sorted(by_template.items())},
    }


def consistency(segments: Sequence[Segment]) -> float:
    """How alike a template ends in its variants: the share of pairs of its episodes that end alike, mean over those."""
    by_template: dict[str, list[bool]] = defaultdict(list)
    for each in segments:
        by_template[each.level.template].append(each.verified)
    found = []
    for ends in by_template.values():
        count, good = len(ends), sum(ends)
        if count > 1:
            found.append((good * (good - 1) + (count - good) * (count - good - 1)) / (count * (count - 1)))
    return fmean(found) if found else 0.0


class _Local:
    """A player in this process."""

    def __init__(self, shape: Mapping[str, int], environments: Sequence[str]) -> None:
        self._player = SegmentPlayer(shape, environments)

    def ask(self, version: int, weights: Mapping[str, Any], order: Order) -> Order:
        """Hand an order out; what `fetch` takes."""
        self._player.take_weights(version, weights)
        return order

    def fetch(self, ticket: Order) -> tuple[list[Segment], dict[str, Met]] | None:
        """What was played; None where the player died."""
        return self._player.play(ticket)

    @property
    def pid(self) -> int:
        """Of this process."""
        return self._player.pid()

    def close(self) -> None:
        """Nothing is held."""


class _Remote:
    """A player that is an actor of Ray; one that dies is replaced, and costs what it was playing."""

    def __init__(self, shape: Mapping[str, int], environments: Sequence[str], *, central: Any = None) -> None:
        self._told, self._central = (dict(shape), tuple(environments)), central
        self._actor = self._hired()

    def ask(self, version: int, weights: Mapping[str, Any], order: Order) -> Any:
        """See _Local."""
        self._actor.take_weights.remote(version, weights)
        return self._actor.play.remote(order)

    def fetch(self, ticket: Any) -> tuple[list[Segment], dict[str, Met]] | None:
        """See _Local. Raises what is wrong in the player's own code, which another player would not do better."""
        import ray  # only where asked for

        try:
            played: tuple[list[Segment], dict[str, Met]] = ray.get(ticket)
        except ray.exceptions.RayTaskError as problem:
            if not isinstance(problem, (*LOST, ray.exceptions.RayActorError)):  # the latter: who answers for all died
                raise
            log.warning("an order is lost: %s: %s", type(problem).__name__, problem)
            return None
        except ray.exceptions.RayError as problem:
            log.warning("a player died, another is hired: %s: %s", type(problem).__name__, problem)
            self._actor = self._hired()
            return None
        return played

    @property
    def pid(self) -> int:
        """Of the actor's process."""
        import ray  # only where asked for

        return int(ray.get(self._actor.pid.remote()))

    def close(self) -> None:
        """End the actor."""
        _ended(self._actor)

    def _hired(self) -> Any:
        import ray  # only where asked for

        actor = ray.remote(num_cpus=1, max_restarts=0)
        if self._central is None:
            return actor(SegmentPlayer).remote(*self._told)
        return actor(Asking).remote(*self._told, self._central)


def _central(shape: Mapping[str, int], environments: Sequence[str], *, on_gpu: bool) -> Any:
    """The one who answers for all; begun anew where it dies, and told the weights before the next order."""
    import ray  # only where asked for

    gpus = devices.ANSWERING if on_gpu else 0
    actor = ray.remote(num_cpus=0, num_gpus=gpus, max_restarts=-1, max_task_retries=-1)(Central)
    return actor.options(max_concurrency=MOST_ASKING).remote(dict(shape), len(environments))


def _answered(ticket: Any) -> Any:
    import ray  # only where asked for

    return ray.get(ticket)


def _ended(actor: Any) -> None:
    import ray  # only where asked for

    ray.kill(actor)
