"""A small training for one learner or several: it clones, practises, and each learner writes down its weights.

Run: python -m tests.learning.learners FOLDER MOMENT; it is killed, as by kill -9, when it has come to that moment.
"""

import math
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from learning import bc, checkpoints, playing, ppo, together
from learning.checkpoints import Best
from learning.collecting import World
from learning.metrics import Stream
from learning.networks import Shape
from learning.phases import Phase
from learning.samples import lessons
from learning.segments import SegmentPlayer
from tests.learning.pages import a_demonstration

SMALL = Shape(width=32, layers=1, heads=2, word_width=8)
WORLD = World(
    ("cloud/start-instance", "cloud/stop-instance"),
    decisions=50,
    judged=20,
    slots=4,
    phases=(Phase("explore", (), most=9, even=0.1, changed=1),),
)
CLONING = bc.Recipe(steps=6, batch=5, judge_every=4, seed=3)  # five rows: the parts of two learners are not alike
PRACTICE = replace(playing.PLAY, updates=3, batch=31, judge_every=2, keep_every=1, seed=3)


def learn(folder: Path) -> None:
    """Clone, practise, write."""
    torch.set_num_threads(1)
    network = bc.fresh(SMALL, seed=1 + together.number())  # what others begin with does not matter
    samples = lessons(a_demonstration(seed) for seed in range(4)).samples
    quiet = {"budget_s": math.inf, "report": lambda _: None, "should_stop": lambda: False}
    bc.train(samples, network, CLONING, work=folder / "cloning", **quiet)  # type: ignore[arg-type]  # as they are named
    playing.play(network, WORLD, PRACTICE, work=folder / "practising", **quiet)  # type: ignore[arg-type]  # likewise
    weights = {name: each.contiguous() for name, each in network.state_dict().items()}
    save_file(weights, folder / f"{together.number()}-of-{together.count()}.safetensors")


def learn_though_one_dies(folder: Path) -> None:
    """The same, but the second learner is killed once, in the midst of practice."""
    died = folder / "died"

    def is_time(named: Mapping[str, Any]) -> bool:
        if named["number"] != 1 or together.number() != 1 or died.exists():
            return False
        died.touch()
        return True

    deadly(ppo, "update", lambda _, named: is_time(named), before=True)
    learn(folder)


def deadly(
    owner: Any, name: str, is_time: Callable[[Sequence[Any], Mapping[str, Any]], bool], *, before: bool = False
) -> None:
    """Have this process killed by a call, after what it did or before."""
    whole = getattr(owner, name)

    def mortal(*given: Any, **named: Any) -> Any:
        is_last = is_time(given, named)
        found = None if is_last and before else whole(*given, **named)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(owner, name, mortal)


def _nth(count: int) -> Callable[[Sequence[Any], Mapping[str, Any]], bool]:
    calls = iter(range(1, 10_000))
    return lambda given, named: next(calls) == count


MOMENTS: Mapping[str, tuple[Any, str, Callable[[Sequence[Any], Mapping[str, Any]], bool]]] = {
    "cloning": (bc, "update", _nth(5)),
    "playing": (SegmentPlayer, "play", _nth(3)),  # the first trial, the first update, the second
    "learning": (nn.utils, "clip_grad_norm_", _nth(2)),
    "writing": (checkpoints, "save_file", lambda given, named: named.get("metadata", {}).get("step") == "2"),
    "judging": (Best, "tried", _nth(1)),  # the first trial was made long ago
    "telling": (Stream, "write", _nth(2)),
}


if __name__ == "__main__":
    deadly(*MOMENTS[sys.argv[2]])
    learn(Path(sys.argv[1]))
