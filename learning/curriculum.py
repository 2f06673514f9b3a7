"""What is worth playing next: templates that are sometimes done, levels that surprised, and starts near a success."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from sandbox.contracts.actions import Action
from sandbox.levels import Level

LOW, HIGH = 0.05, 0.75  # success between these teaches (WebRL, arXiv:2411.02337)
ENOUGH = 4  # episodes before a template's success is believed
KEPT = 0.2  # of the templates that teach nothing, so that their standing stays known
LEVELS, PATHS = 1_000, 1_500  # remembered at most


class Path(Struct, frozen=True):
    """A level that was done, and how."""

    level: Level
    actions: tuple[Action, ...]


class Standing(Struct):
    """How one template goes: episodes, and a running mean of success."""

    episodes: int = 0
    success: float = 0.0


class Curriculum:
    """Success by template, scores by level, and paths of successes to start partway from. All of it is plain data."""

    def __init__(self, *, rate: float = 0.1, low: float = LOW, high: float = HIGH) -> None:
        self._rate, self._low, self._high = rate, low, high
        self.standings: dict[str, Standing] = {}
        self.scores: dict[Level, float] = {}
        self.paths: dict[Level, Path] = {}

    def record(self, level: Level, *, verified: bool, score: float, actions: Sequence[Action]) -> None:
        """Take in an episode: whether it was verified, the mean size of its advantages, what was done."""
        standing = self.standings.setdefault(level.template, Standing())
        standing.episodes += 1
        standing.success += max(self._rate, 1 / standing.episodes) * (verified - standing.success)
        self.scores.pop(level, None)
        self.scores[level] = score
        _forget(self.scores, LEVELS)
        if verified and actions:  # without them no way is known
            self.learn(Path(level, tuple(actions)))

    def learn(self, path: Path) -> None:
        """Remember how a level was done; the shorter way where two are known."""
        known = self.paths.pop(path.level, None)
        shorter = known is not None and len(known.actions) <= len(path.actions)
        self.paths[path.level] = known if shorter and known is not None else path
        _forget(self.paths, PATHS)

    def success(self, template: str) -> float:
        """Share of late episodes that were verified; 0 where none was played."""
        return self.standings.get(template, Standing()).success

    def teaches(self, template: str) -> bool:
        """Whether a template's success lies in the band, or is not known yet."""
        standing = self.standings.get(template, Standing())
        return standing.episodes < ENOUGH or self._low <= standing.success <= self._high

    def chosen(self, templates: Sequence[str], rng: np.random.Generator) -> list[str]:
        """Templates to play now: all that teach, and a share of the others, so that their standing stays known."""
        lots = rng.random(len(templates))
        found = [name for name, lot in zip(templates, lots, strict=True) if self.teaches(name) or lot < KEPT]
        return found or list(templates)

    def starts(self, templates: Sequence[str], count: int, rng: np.random.Generator) -> list[tuple[Path, int]]:
        """Known paths and how many of their steps are taken before the policy is asked, rarely done templates first.

        A step less is taken the better it goes: from near the end of what is never done to the very start.
        """
        wanted = {*templates}
        known = [path for path in self.paths.values() if path.level.template in wanted]
        if not known or count == 0:
            return []
        hard = np.array([1.0 - self.success(path.level.template) + 0.02 for path in known])
        drawn = rng.choice(len(known), size=min(count, len(known)), replace=False, p=hard / hard.sum())
        found = []
        for path in (known[index] for index in drawn):
            most = len(path.actions) - 1
            taken = most * (1.0 - self.success(path.level.template)) * rng.random()
            found.append((path, round(taken)))
        return found

    def surprising(self, templates: Sequence[str], count: int) -> list[tuple[Level, float]]:
        """The levels with the largest advantages among these templates."""
        wanted = {*templates}
        known = [(level, score) for level, score in self.scores.items() if level.template in wanted]
        return sorted(known, key=lambda each: -each[1])[:count]

    def metrics(self) -> dict[str, float]:
        """Curves of how far the whole is."""
        found = list(self.standings.values())
        if not found:
            return {}
        return {
            "templates_played": float(len(found)),
            "templates_in_band": float(sum(self._low <= each.success <= self._high for each in found)),
            "templates_done": float(sum(each.success > self._high for each in found)),
            "success_of_templates": sum(each.success for each in found) / len(found),
        }

    def noted(self) -> dict[str, Any]:
        """Everything, as plain data."""
        found: dict[str, Any] = msgspec.to_builtins(
            {
                "standings": self.standings,
                "scores": list(self.scores.items()),
                "paths": list(self.paths.values()),
            }
        )
        return found

    def recall(self, noted: Mapping[str, Any]) -> None:
        """Take up what was noted; {} changes nothing."""
        if noted:
            self.standings = msgspec.convert(noted["standings"], dict[str, Standing])
            self.scores = dict(msgspec.convert(noted["scores"], list[tuple[Level, float]]))
            self.paths = {path.level: path for path in msgspec.convert(noted["paths"], list[Path])}


def _forget(known: dict[Level, Any], most: int) -> None:
    """Let go of the oldest beyond `most`."""
    while len(known) > most:
        known.pop(next(iter(known)))
