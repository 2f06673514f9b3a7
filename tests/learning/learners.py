"""A small training for one learner or several: it clones, practises, and each learner writes down its weights."""

import math
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from learning import bc, playing, ppo, together
from learning.collecting import World
from learning.networks import Shape
from learning.phases import Phase
from learning.samples import lessons
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
    update, died = ppo.update, folder / "died"

    def mortal(*given: Any, **named: Any) -> dict[str, float]:
        if named["number"] == 1 and together.number() == 1 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return update(*given, **named)

    ppo.update = mortal
    learn(folder)
