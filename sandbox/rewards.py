"""What a step is worth to the learner, from a spec that is data; apart from its outcome and from anybody's verdict."""

import json
from collections import deque
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from sandbox.contracts.actions import Action, Finish, GiveUp, Wait
from sandbox.contracts.observations import Element
from sandbox.contracts.storage import to_json
from sandbox.documents import Document, parse, read
from sandbox.expressions import BadExpression, Reading
from sandbox.expressions import parse as parse_expression
from sandbox.semantics.rules import vocabulary
from sandbox.semantics.trails import Tread

HERE = Path(__file__).parent
_TOOLS_REMEMBERED = 3  # steps back within which coming back to a tool counts as a switch


class Auxiliary(Struct, frozen=True):
    """A small reward of one's own."""

    name: str
    reward: Reading


class Spec(Struct, frozen=True):
    """A reward as it was read; see rewards.schema.json. Costs are negative numbers."""

    name: str
    gamma: float = 0.99
    success: float = 1.0
    failure: float = 0.0  # for a finish that is not verified
    progress: float = 0.0  # weight of gamma * progress' - progress
    step: float = 0.0
    danger: float = 0.0  # once, when something is done that nobody asked for
    danger_terminates: bool = False
    exploration: float = 0.0
    auxiliary: tuple[Auxiliary, ...] = ()
    auxiliary_cap: float = 0.0  # exploration and auxiliary rewards of an episode together stay within +-cap
    repeating: float = 0.0
    submitting_before_reading: float = 0.0
    needless_switch: float = 0.0
    reading: frozenset[str] = frozenset()
    submitting: frozenset[str] = frozenset()


class Earned(Struct, frozen=True):
    """What one step earned: the sum, and what it is made of. `terminates` where danger ends the episode."""

    total: float
    parts: dict[str, float]
    terminates: bool = False


class Doing(Struct, frozen=True):
    """One step as the reward sees it."""

    tread: Tread
    action: Action
    element: Element | None  # that was acted on
    before: str  # fingerprint of the screen it was done on
    progress: float  # after it
    harm: tuple[str, ...] = ()  # since the episode began
    left: int = 0  # steps that are left
    verified: bool = False  # of a Finish: what the verifier found
    novelty: float = 0.0


def load(path: Path) -> Spec:
    """A reward from a YAML or JSON file. Raises BadDocument with file, line and what was expected."""
    return _spec(read(path, _schema()))


def from_text(text: str) -> Spec:
    """The same from text. Raises BadDocument."""
    return _spec(parse(text, _schema(), path="reward"))


@cache
def default() -> Spec:
    """The reward that is used where no other is named."""
    return load(HERE / "rewards.yaml")


class Ledger:
    """The reward of one episode, step by step.

    Progress is paid as a potential, gamma * phi(after) - phi(before), with phi = 0 once the episode has terminated:
    whatever way an agent takes, the discounted sum is -phi(first screen). It guides, and there is nothing to farm.
    Where an episode is cut short (truncated), phi stays, as the learner goes on with its value there.
    """

    def __init__(self, spec: Spec, first: Tread, progress: float) -> None:
        self._spec = spec
        self._progress = progress
        self._met = set(first.tokens)
        self._done: set[tuple[str, str]] = set()
        self._tools: deque[tuple[str, float]] = deque(maxlen=_TOOLS_REMEMBERED)  # with the progress at that time
        self._harm = 0
        self._auxiliary = 0.0
        self._submitted = False
        self.steps = 0
        self.total = 0.0
        self.parts: dict[str, float] = {}

    def step(self, doing: Doing) -> Earned:
        """What this step earned."""
        self.steps += 1
        spec = self._spec
        endangered = len(doing.harm) > self._harm
        ended = isinstance(doing.action, Finish | GiveUp) or (endangered and spec.danger_terminates)
        potential = 0.0 if ended else doing.progress
        parts = {
            "success": self._success(doing),
            "progress": spec.progress * (spec.gamma * potential - self._progress),
            "step": spec.step,
            "danger": spec.danger * endangered,
            **self._penalties(doing),
            **self._capped(self._extras(doing)),
        }
        self._progress, self._harm = doing.progress, len(doing.harm)
        self._met |= doing.tread.tokens
        self._done.add(_deed(doing))
        kept = {name: value for name, value in parts.items() if value}
        total = sum(kept.values())
        self.total += total
        for name, value in kept.items():
            self.parts[name] = self.parts.get(name, 0.0) + value
        return Earned(total, kept, endangered and spec.danger_terminates)

    def _success(self, doing: Doing) -> float:
        if not isinstance(doing.action, Finish):
            return 0.0
        return self._spec.success if doing.verified else self._spec.failure

    def _penalties(self, doing: Doing) -> dict[str, float]:
        spec, tokens = self._spec, doing.tread.tokens
        too_early = not self._submitted and tokens & spec.submitting and not self._met & spec.reading
        self._submitted |= bool(tokens & spec.submitting)
        return {
            "repeating": spec.repeating * self._repeated(doing),
            "submitting_before_reading": spec.submitting_before_reading * bool(too_early),
            "needless_switch": spec.needless_switch * self._switched(doing),
        }

    def _repeated(self, doing: Doing) -> bool:
        return not isinstance(doing.action, Wait) and _deed(doing) in self._done

    def _switched(self, doing: Doing) -> bool:
        """Whether this goes back to a tool that was left a moment ago, with nothing gained in between."""
        tool = _tool(doing.element)
        if not tool:
            return False
        before = [(name, progress) for name, progress in self._tools if name == tool]
        away = bool(self._tools) and self._tools[-1][0] != tool
        self._tools.append((tool, doing.progress))
        return away and bool(before) and doing.progress <= before[-1][1]

    def _extras(self, doing: Doing) -> dict[str, float]:
        facts = {
            "progress": doing.progress,
            "gained": doing.progress - self._progress,
            "step": float(self.steps),
            "left": float(doing.left),
            "novelty": doing.novelty,
            "repeated": float(self._repeated(doing)),
            "harm": float(len(doing.harm)),
        }
        found = {"exploration": self._spec.exploration * doing.novelty}
        for each in self._spec.auxiliary:
            found[f"auxiliary_{each.name}"] = each.reward(facts, doing.tread.tokens, self._met)
        return found

    def _capped(self, extras: Mapping[str, float]) -> dict[str, float]:
        """All extras, scaled down so that their sum over the episode stays within the cap."""
        cap, wanted = self._spec.auxiliary_cap, sum(extras.values())
        reached = max(-cap, min(cap, self._auxiliary + wanted))
        paid = reached - self._auxiliary
        self._auxiliary = reached
        if paid == wanted:
            return dict(extras)
        return {"auxiliary_capped": paid}


class Suspicion(Struct, frozen=True):
    """Reward that was earned while nothing came nearer to done."""

    first_step: int  # from 1
    last_step: int
    earned: float
    sources: dict[str, float]


class FarmingDetector:
    """Watches one episode for reward without progress: `earned` or more in `steps` or more, progress not higher."""

    def __init__(self, *, earned: float = 0.05, steps: int = 5) -> None:
        self._earned, self._least = earned, steps
        self._best = 0.0
        self._steps = 0
        self._since = 0
        self._sources: dict[str, float] = {}
        self.suspicions: list[Suspicion] = []

    def begin(self, progress: float) -> None:
        """What was done at the first screen."""
        self._best = progress

    def step(self, earned: Earned, progress: float) -> Suspicion | None:
        """Take in one step; a suspicion where it completes or goes on with one."""
        self._steps += 1
        if progress > self._best or earned.parts.get("success"):
            self._best, self._since, self._sources = max(progress, self._best), self._steps, {}
            return None
        for name, value in earned.parts.items():
            self._sources[name] = self._sources.get(name, 0.0) + value
        total = sum(self._sources.values())
        if total < self._earned or self._steps - self._since < self._least:
            return None
        gains = {name: value for name, value in self._sources.items() if value > 0}
        found = Suspicion(self._since + 1, self._steps, total, gains)
        if self.suspicions and self.suspicions[-1].first_step == found.first_step:
            self.suspicions.pop()
        self.suspicions.append(found)
        return found


class FarmingReport(Struct):
    """Suspicions of many episodes by environment."""

    episodes: int = 0
    suspected: dict[str, int] = field(default_factory=dict)
    worst: tuple[str, Suspicion] | None = None

    def add(self, environment: str, detector: FarmingDetector) -> None:
        """Take in one episode."""
        self.episodes += 1
        for each in detector.suspicions[:1]:
            self.suspected[environment] = self.suspected.get(environment, 0) + 1
            if self.worst is None or each.earned > self.worst[1].earned:
                self.worst = (environment, each)

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        return {
            "farming_episodes": float(self.episodes),
            "farming_suspected": float(sum(self.suspected.values())),
            "farming_worst_earned": self.worst[1].earned if self.worst else 0.0,
        }


def _deed(doing: Doing) -> tuple[str, str]:
    return to_json(doing.action), doing.before


def _tool(element: Element | None) -> str:
    """What is worked with: a button is a tool of its own, fields belong to their group."""
    if element is None:
        return ""
    return element.name if element.role == "button" else element.group or element.region


def _spec(document: Document) -> Spec:
    value: dict[str, Any] = document.value
    tokens = frozenset(vocabulary())
    for part in ("reading", "submitting"):
        for number, token in enumerate(value.get(part, ())):
            if token not in tokens:
                raise document.bad(f"{token!r} is no token; expected {', '.join(sorted(tokens))}", part, number)
    auxiliary = []
    for number, entry in enumerate(value.get("auxiliary", ())):
        try:
            auxiliary.append(Auxiliary(entry["name"], parse_expression(entry["reward"], tokens)))
        except BadExpression as problem:
            raise document.bad(str(problem), "auxiliary", number, "reward") from None
    danger = value.get("danger", {})
    plain = ("gamma", "success", "failure", "progress", "step", "exploration", "auxiliary_cap")
    return Spec(
        name=value["reward"],
        **{name: float(value[name]) for name in plain if name in value},
        **{name: float(cost) for name, cost in value.get("penalties", {}).items()},
        danger=float(danger.get("reward", 0.0)),
        danger_terminates=danger.get("terminates", False),
        auxiliary=tuple(auxiliary),
        reading=frozenset(value.get("reading", ())),
        submitting=frozenset(value.get("submitting", ())),
    )


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((HERE / "rewards.schema.json").read_text())
    return schema
