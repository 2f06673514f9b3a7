"""Which task to play next: a new variant, the coldest of several, or a known one that can still teach."""

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct

from sandbox.contracts.tasks import Split, Task
from sandbox.heat import Heat
from sandbox.registry import Registered, TaskTemplate
from sandbox.tasks import bind
from sandbox.variants import VariantGenerator, parse


class Level(Struct, frozen=True):
    """One task by its recipe: small, hashable, and the same task on any machine."""

    environment: str  # id of the variant
    template: str
    seed: int
    split: Split = "train"


class Replay:
    """Prioritised level replay: ranks of the learner's scores, mixed with how long ago a level was played.

    P = (1 - staleness) * rank^(-1 / temperature) + staleness * age, each normalised. The score is the learner's:
    mean absolute advantage, regret, or any other "there is something to learn here"; it may be negative.
    """

    def __init__(self, *, capacity: int = 4_000, temperature: float = 0.3, staleness: float = 0.1) -> None:
        if capacity < 1 or temperature <= 0 or not 0 <= staleness <= 1:
            raise ValueError(
                f"expected capacity >= 1, temperature > 0, staleness 0..1: {capacity, temperature, staleness}"
            )
        self._capacity = capacity
        self._temperature = temperature
        self._staleness = staleness
        self._scores: dict[Level, float] = {}
        self._played: dict[Level, int] = {}  # the draw at which it was last played
        self._draws = 0
        self._weights: tuple[list[Level], list[float]] | None = None

    def __len__(self) -> int:
        return len(self._scores)

    def record(self, level: Level, score: float) -> bool:
        """Note a learner's score; False where the level is not worth keeping beside those that are known."""
        if score != score:
            raise ValueError(f"expected a number as score of {level}, found {score}")
        if level not in self._scores and len(self._scores) >= self._capacity:
            weakest = min(self._scores, key=lambda each: self._scores[each])
            if self._scores[weakest] >= score:
                return False
            del self._scores[weakest], self._played[weakest]
        self._scores[level] = score
        self._played[level] = self._draws
        self._weights = None
        return True

    def draw(self, rng: random.Random) -> Level:
        """A known level. Raises LookupError where none is known."""
        if not self._scores:
            raise LookupError("no level has a score yet")
        self._draws += 1
        if self._weights is None or self._draws % 32 == 0:  # ages move on, slowly
            probabilities = self.probabilities()
            self._weights = list(probabilities), list(probabilities.values())
        level: Level = rng.choices(*self._weights)[0]
        self._played[level] = self._draws
        return level

    def probabilities(self) -> dict[Level, float]:
        """How likely each known level is to be drawn next."""
        ranked = sorted(self._scores, key=lambda level: -self._scores[level])
        by_rank = _normalised([(rank + 1) ** (-1 / self._temperature) for rank in range(len(ranked))])
        by_age = _normalised([float(self._draws - self._played[level]) for level in ranked])
        return {
            level: (1 - self._staleness) * ranked_weight + self._staleness * age_weight
            for level, ranked_weight, age_weight in zip(ranked, by_rank, by_age, strict=True)
        }

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        best = max(self._scores.values(), default=0.0)
        mean = sum(self._scores.values()) / max(len(self._scores), 1)
        return {"levels_known": len(self._scores), "levels_best_score": best, "levels_mean_score": mean}


class Course(Struct, frozen=True):
    """What may be drawn of one environment."""

    variants: VariantGenerator
    templates: Mapping[str, TaskTemplate]
    weight: float = 1.0  # demand: how often it is wanted beside others
    fixed: Mapping[str, str] = {}  # dimensions that do not vary


class Deck:
    """Deals levels. With probability `replay` a known one by its score; else a new one, of `offers` the coldest.

    Offers follow demand (the weights); heat decides among them, so that what demand would leave out is met as well.
    """

    def __init__(
        self,
        courses: Sequence[Course],
        *,
        seed: int,
        split: Split = "train",
        replay: float = 0.0,
        offers: int = 16,
        known: Replay | None = None,
    ) -> None:
        if not any(course.templates for course in courses):
            raise ValueError("expected at least one environment with templates")
        self.split: Split = split
        self.heat = Heat()
        self.known = known or Replay()
        self._courses = [course for course in courses if course.templates]
        self._by_base = {course.variants.base: course for course in self._courses}
        self._weights = [course.weight for course in self._courses]
        self._rng = random.Random(seed)  # noqa: S311  # not a secret
        self._replay = replay
        self._offers = offers
        self._counts = {"new": 0, "replayed": 0}

    @classmethod
    def of(
        cls,
        environments: Sequence[Registered],
        *,
        seed: int,
        split: Split = "train",
        replay: float = 0.0,
        fixed: Mapping[str, str] | None = None,
    ) -> "Deck":
        """A deck of all variants and templates of these environments that the split may meet, equally wanted.

        Of dimensions in `fixed` only that value is met. Raises BadEnvironmentId where an environment has it not.
        """
        courses = [
            Course(VariantGenerator.of(each), each.open_to(split), fixed=dict(fixed or {})) for each in environments
        ]
        for course in courses:
            course.variants.id_of(course.fixed)
        return cls(courses, seed=seed, split=split, replay=replay)

    def deal(self) -> Level:
        """The next level to play."""
        if len(self.known) and self._rng.random() < self._replay:
            self._counts["replayed"] += 1
            level = self.known.draw(self._rng)
        else:
            self._counts["new"] += 1
            level = self._new()
        self.heat.draw(level.environment)
        return level

    def task(self, level: Level) -> Task:
        """The whole task of a level; the same level always gives the same task."""
        base, recipe = parse(level.environment)
        template = self._by_base[base].templates[level.template]
        parameters = template.sample(level.seed, level.split)
        return bind(template.template, parameters, seed=level.seed, recipe=recipe)

    def metrics(self) -> dict[str, float]:
        """Counters by name."""
        counts = {f"levels_{name}": float(count) for name, count in self._counts.items()}
        return counts | self.heat.metrics() | self.known.metrics()

    def _new(self) -> Level:
        wanted = self._rng.choices(self._courses, self._weights, k=self._offers)
        offers = {self._drawn(course): course for course in wanted}
        environment = self.heat.coldest(list(offers), self._rng)
        template = self._rng.choice(sorted(offers[environment].templates))
        return Level(environment, template, self._rng.randrange(2**31), self.split)

    def _drawn(self, course: Course) -> str:
        drawn = course.variants.draw(self._rng, self.split)
        return course.variants.id_of({**parse(drawn)[1], **course.fixed}) if course.fixed else drawn


def _normalised(weights: Sequence[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1 / len(weights)] * len(weights)
