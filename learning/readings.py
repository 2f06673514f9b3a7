"""How a network reads pages and goals: its shape says it, wherever it learns, acts or is judged."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from learning import features, sentences, shared_words
from learning.features import Scene
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal
from sandbox.semantics.thesaurus import shipped_sha256

Reading: TypeAlias = Callable[[Observation, Goal, Sequence[Past]], Scene]
WORDS = "words_sha256"  # in a spec and a receipt
log = logging.getLogger(__name__)


def reading_of(sizes: Mapping[str, int]) -> Reading:
    """The reading of a network of these sizes (`networks.sizes`, or "shape" in a spec)."""
    if sizes.get("sentences"):
        return sentences.scene
    return shared_words.scene if sizes.get("shared") else features.scene


def words_of(sizes: Mapping[str, int]) -> dict[str, str]:
    """What a spec and a receipt say of the words that such a network reads by here; nothing where it has none."""
    return {WORDS: shipped_sha256()} if sizes.get("shared") else {}


def compare_words(spec: Mapping[str, Any], name: str) -> None:
    """Warn where a policy reads by other words here than it learnt with; older specs do not say."""
    here = words_of(spec.get("shape", {}))
    if WORDS in spec and here and spec[WORDS] != here[WORDS]:
        log.warning("%s learnt with another thesaurus than the one it reads by here (BELAY_WORDS): judge it anew", name)
