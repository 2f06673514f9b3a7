"""How a network reads pages and goals: its shape says it, wherever it learns, acts or is judged."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from learning import features, sentences, shared_words
from learning.features import Scene
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal

Reading: TypeAlias = Callable[[Observation, Goal, Sequence[Past]], Scene]


def reading_of(sizes: Mapping[str, int]) -> Reading:
    """The reading of a network of these sizes (`networks.sizes`, or "shape" in a spec)."""
    if sizes.get("sentences"):
        return sentences.scene
    return shared_words.scene if sizes.get("shared") else features.scene
