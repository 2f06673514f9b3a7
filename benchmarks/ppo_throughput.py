"""PPO samples per second on a real mix of pages: ours, the same network in a plain padded loop, and in SB3.

One process, one thread each, turn by turn, in processor seconds; two epochs; as many pages of every one of four worlds.
Ours reads pages without their padding (learning.packing) and learns a batch in pieces that a cache holds; what the
network says of a page does not depend on either, and that is checked. Stable-Baselines3 runs in an environment of its
own, with the same torch. Nothing is played here: what is timed is learning from what was played.
"""

import math
import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks import Result
from benchmarks.peers import borrowed, padded_loop
from learning import acting, batches, jobs, ppo
from learning.acting import Acting, Pages
from learning.arrays import HISTORY, MAX_ELEMENTS, MAX_OPTIONS
from learning.networks import ElementSetPolicy, Shape, tensors
from learning.ppo import Recipe, Rollout
from learning.rollouts import Episode, play
from learning.rows import Named
from learning.samples import Sample, lessons
from sandbox import env
from sandbox.contracts import storage
from sandbox.registry import find_environment

BAR = 4.0
PAGES, QUICK_PAGES = 1_024, 256
ROUNDS, QUICK_ROUNDS = 2, 1
BATCH, EPOCHS = 128, 2
SEED = 5
SCRIPT = Path(borrowed.__file__).with_name("sb3_updates.py")
ROOT = Path(__file__).resolve().parent.parent
WORLDS = ("cloud", "object-store", "http", "workbench")


class Told(NamedTuple):
    """What was played, for everybody."""

    rollout: Rollout
    inputs: Named  # each (N, ...), padded to the largest page there may be
    actions: Named  # each (N,)


def run(*, quick: bool) -> Result:
    """How many times as many samples a second as the faster of the two others."""
    torch.set_num_threads(1)
    told = _told(QUICK_PAGES if quick else PAGES)
    count, lengths = len(told.rollout.value), told.rollout.rows.lengths
    print(f"{count} pages of {lengths.min()} to {lengths.max()} tokens, median {int(np.median(lengths))}")
    rounds = range(QUICK_ROUNDS if quick else ROUNDS)
    taken = {"ours": [_ours(told) for _ in rounds], "plain padded loop": [_plain(told) for _ in rounds]}
    print({who: [round(each, 2) for each in seconds] for who, seconds in taken.items()})
    taken["SB3"] = _sb3(told, len(rounds))
    speeds = {who: count / median(seconds) for who, seconds in taken.items()}
    for who, speed in speeds.items():
        print(f"{who:18} {speed:8.0f} samples/s")
    value = speeds["ours"] / max(speeds["plain padded loop"], speeds["SB3"])
    bar = f">= {BAR:g} against the faster of the two"
    return Result(value=round(value, 2), unit="times", bar=bar, holds=value >= BAR, n=count * len(rounds))


def _network() -> Acting:
    torch.manual_seed(0)
    return Acting(ElementSetPolicy(Shape(width=64, layers=2)))


def _told(count: int) -> Told:
    samples = _samples(count)
    taught = [acting.taught(each.label) for each in samples]
    actions = {name: torch.tensor([each[name] for each in taught]) for name in acting.NAMES}
    rows = Pages([each.arrays for each in samples], actions, torch.zeros(count, dtype=torch.long))
    inputs = padded(rows)
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
    return Told(Rollout(rows, rows.environment, log_prob, value, advantage), inputs, actions)


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


def padded(rows: Pages) -> Named:
    """All rows as tensors of the largest size there may be."""
    parts = [tensors(batches.inputs_of([each])) for each in rows.arrays]
    goals = max(part["goal_there"].shape[1] for part in parts)
    found: Named = {}
    for name in parts[0]:
        sizes = _axes(name, goals)
        shape = (*sizes, *parts[0][name].shape[1 + len(sizes) :])
        held = torch.zeros(len(parts), *shape, dtype=parts[0][name].dtype)
        for row, part in enumerate(parts):
            one = part[name][0]
            at: tuple[int | slice, ...] = (row, *(slice(size) for size in one.shape))
            held[at] = one
        found[name] = held
    return found | {"environment": rows.environment}


def _axes(name: str, goals: int) -> tuple[int, ...]:
    """The axes of an array whose size differs from page to page, as large as they get."""
    kind, _, what = name.partition("_")
    rows = {"element": MAX_ELEMENTS, "option": MAX_OPTIONS, "history": HISTORY, "goal": goals}.get(kind)
    if rows is None:
        return ()
    return (rows, goals) if what == "pairs" else (rows,)


def _ours(told: Told) -> float:
    network = _network()
    recipe = Recipe(epochs=EPOCHS, batch=BATCH, stop_kl=math.inf)
    optimizer = ppo.adam(network, recipe)
    began = time.process_time()
    ppo.update(network, optimizer, told.rollout, recipe)
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
    padded_loop.update(network, told.inputs, told.actions, rest, epochs=EPOCHS, batch=BATCH, seed=SEED)
    return time.process_time() - began


def _sb3(told: Told, rounds: int) -> list[float]:
    rollout = told.rollout
    held = {f"page.{name}": each.numpy() for name, each in told.inputs.items()}
    held |= {f"action.{name}": each.numpy() for name, each in told.actions.items()}
    held |= {"log_probs": rollout.log_prob.numpy(), "values": rollout.value.numpy()}
    held |= {"advantages": rollout.advantage.numpy(), "returns": (rollout.advantage + rollout.value).numpy()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "played.npz"
        np.savez(file, **held)  # type: ignore[arg-type]  # numpy's types take arrays by name for its flags
        done = subprocess.run(
            [str(borrowed.python(*borrowed.SB3)), str(SCRIPT), str(file), str(BATCH), str(EPOCHS), str(rounds)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
    return [float(line) for line in done.stdout.split()]
