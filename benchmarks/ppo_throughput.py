"""PPO samples per second on a real mix of pages: ours, the same network in a plain padded loop, and in SB3.

One process and one thread each, in processor seconds, one round of each in turn; two epochs; as many pages of every
one of four worlds. Ours reads pages without their padding (learning.packing) and learns a batch in pieces that a cache
holds; what the network says of a page does not depend on either, and that is checked. The others learn from a rollout
buffer, which has one shape: the longest page of the rollout. A plain loop fills it as it plays, so that padding costs
it nothing here; packing is part of our update, and is timed. Stable-Baselines3 runs in an environment of its own, with
the same torch. Nothing is played here: what is timed is learning from what was played.
"""

import math
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks import Result
from benchmarks.peers import borrowed, padded_loop
from learning import acting, jobs, ppo
from learning.acting import Acting, Pages
from learning.networks import ElementSetPolicy, Shape
from learning.ppo import Recipe, Rollout
from learning.rollouts import Episode, play
from learning.rows import Named
from learning.samples import Sample, lessons
from sandbox import env
from sandbox.contracts import storage
from sandbox.registry import find_environment

BAR = 4.0
PAGES, QUICK_PAGES = 1_024, 256
ROUNDS, QUICK_ROUNDS = 4, 1
BATCH, EPOCHS = 128, 2
SEED = 5
SCRIPT = Path(borrowed.__file__).with_name("sb3_updates.py")
ROOT = Path(__file__).resolve().parent.parent
WORLDS = ("cloud", "object-store", "http", "workbench")


class Told(NamedTuple):
    """What was played, for everybody."""

    pages: Pages
    rollout: Rollout  # of these pages
    inputs: Named  # each (N, ...), padded to the longest of the pages


def run(*, quick: bool) -> Result:
    """How many times as many samples a second as the faster of the two others."""
    torch.set_num_threads(1)
    told = telling(_samples(QUICK_PAGES if quick else PAGES))
    count, lengths = len(told.rollout.value), told.pages.lengths
    elements, options = (told.inputs[f"{name}_there"].shape[1] for name in ("element", "option"))
    print(f"{count} pages of {lengths.min()} to {lengths.max()} tokens, median {int(np.median(lengths))}; ", end="")
    print(f"padded: {elements} elements, {options} options")
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with _sb3(told) as sb3:
        taken = in_turn({"ours": partial(_ours, told), "plain padded loop": partial(_plain, told), "SB3": sb3}, rounds)
    print({who: [round(each, 2) for each in seconds] for who, seconds in taken.items()})
    speeds = {who: count / median(seconds) for who, seconds in taken.items()}
    for who, speed in speeds.items():
        print(f"{who:18} {speed:8.0f} samples/s")
    value = speeds["ours"] / max(speeds["plain padded loop"], speeds["SB3"])
    bar = f">= {BAR:g} against the faster of the two"
    return Result(value=round(value, 2), unit="times", bar=bar, holds=value >= BAR, n=count * rounds)


def in_turn(turns: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The seconds of everybody's rounds: all of them have their first before any has a second."""
    taken: dict[str, list[float]] = {who: [] for who in turns}
    for _ in range(rounds):
        for who, turn in turns.items():
            taken[who].append(turn())
    return taken


def _network() -> Acting:
    torch.manual_seed(0)
    return Acting(ElementSetPolicy(Shape(width=64, layers=2)))


def telling(samples: Sequence[Sample]) -> Told:
    """These decisions as a rollout. Raises RuntimeError where padding changes what the network says of them."""
    count = len(samples)
    taught = [acting.taught(each.label) for each in samples]
    actions = {name: torch.tensor([each[name] for each in taught]) for name in acting.NAMES}
    rows = Pages([each.arrays for each in samples], actions, torch.zeros(count, dtype=torch.long))
    inputs = acting.batch_of(rows.arrays, [0] * count)
    network = _network()
    log_prob = ppo.log_probs(network, rows)
    network.policy.hasten(on=False)
    with torch.no_grad():
        some = slice(0, 64)
        as_padded = network({n: x[some] for n, x in inputs.items()}, {n: x[some] for n, x in actions.items()})
    if not torch.allclose(as_padded.log_prob, log_prob[some], atol=1e-3):
        raise RuntimeError("padding changes what the network says")
    rng = torch.Generator().manual_seed(SEED)
    value, advantage = torch.randn(2, count, generator=rng)
    return Told(rows, Rollout(rows, rows.environment, log_prob, value, advantage), inputs)


def _samples(count: int) -> list[Sample]:
    """Decisions of demonstrations, as many of every world: people see consoles, small forms and a workbench."""
    found: list[Sample] = []
    each = -(-count // len(WORLDS))
    for base in WORLDS:
        found += _demonstrated(base, each)
    return found[:count]


def _demonstrated(base: str, count: int) -> list[Sample]:
    """So many decisions of one world; of the starter's demonstrations where it has some, else played by the oracle."""
    kept = [storage.unpack(each) for each in jobs.starter_trajectories()]
    ours = [each for each in kept if each.task.environment.partition("?")[0] == base]
    order = np.random.default_rng(SEED).permutation(len(ours))
    found: list[Sample] = []
    for index in order:
        if len(found) < count:
            found += lessons([ours[index]]).samples
    gym = env.player(base) if len(found) < count else None
    templates, seed = sorted(find_environment(base).templates), 0
    while gym is not None and len(found) < count:
        episode = Episode(templates[seed % len(templates)], seed, "train", "demonstrate")
        found += lessons([play(gym, episode, None)]).samples
        seed += 1
    if gym is not None:
        gym.close()
    return found[:count]


def unpacked(told: Told) -> Rollout:
    """The rollout as it comes from play: nothing of what packing makes is kept from another round."""
    return replace(told.rollout, rows=replace(told.pages))


def _ours(told: Told) -> float:
    network, rollout = _network(), unpacked(told)
    recipe = Recipe(epochs=EPOCHS, batch=BATCH, stop_kl=math.inf)
    optimizer = ppo.adam(network, recipe)
    began = time.process_time()
    ppo.update(network, optimizer, rollout, recipe)
    return time.process_time() - began


def _plain(told: Told) -> float:
    network = _network()
    network.policy.hasten(on=False)
    rest: dict[str, Tensor] = {
        "log_prob": told.rollout.log_prob,
        "advantage": told.rollout.advantage,
        "returns": told.rollout.advantage + told.rollout.value,
    }
    began = time.process_time()
    padded_loop.update(network, told.inputs, told.pages.actions, rest, epochs=EPOCHS, batch=BATCH, seed=SEED)
    return time.process_time() - began


@contextmanager
def _sb3(told: Told) -> Iterator[Callable[[], float]]:
    """A round of theirs, in a process that waits between rounds."""
    rollout = told.rollout
    held = {f"page.{name}": each.numpy() for name, each in told.inputs.items()}
    held |= {f"action.{name}": each.numpy() for name, each in told.pages.actions.items()}
    held |= {"log_probs": rollout.log_prob.numpy(), "values": rollout.value.numpy()}
    held |= {"advantages": rollout.advantage.numpy(), "returns": (rollout.advantage + rollout.value).numpy()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "played.npz"
        np.savez(file, **held)  # type: ignore[arg-type]  # numpy's types take arrays by name for its flags
        command = [str(borrowed.python(*borrowed.SB3)), str(SCRIPT), str(file), str(BATCH), str(EPOCHS)]
        variables = {**os.environ, "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=variables, text=True, stdin=pipe, stdout=pipe) as program:
            _heard(program)  # it is ready, and takes no processor from who has the first turn

            def turn() -> float:
                print(file=program.stdin, flush=True)
                return float(_heard(program))

            yield turn


def _heard(program: "subprocess.Popen[str]") -> str:
    assert program.stdout is not None
    line = program.stdout.readline()
    if not line:
        raise RuntimeError(f"SB3's side ended with {program.wait()}")
    return line
