"""Implicit Q-learning against cloning, on console work of which half was done badly, by people with habits.

Half of the episodes are an oracle's and verified. The other half are by somebody who finishes before a form or dialog
is confirmed, or takes the same button of another row and is content; all of these failed. Nobody says which is which
but the rewards, and every policy gets the same steps of gradient descent on the same data. Twice over, from other first
weights, and each time tried on tasks of its own, the same for every policy.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import Result
from benchmarks.tree_tasks import SMALL, TEMPLATES, TESTED_FROM, tried
from learning import bc, offline, pairing, pricing
from learning.intervals import wilson
from learning.offline import Method, Recipe
from learning.pricing import Deal
from learning.rollouts import Episode, Gym, play
from sandbox import env, registry, sessions
from sandbox.contracts.actions import Action, Click, Finish
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Outcome
from sandbox.contracts.trajectories import Trajectory

BAR, GOAL = 10, 20  # points
EACH, STEPS, EPISODES = 10, 500, 6  # episodes of each template, half of them bad; of training; tasks of each template
SEEDS = (0, 1)  # of training; each is tried on tasks of its own, the same for every method
METHODS: tuple[Method, ...] = ("bc", "awr", "iql")


class End(NamedTuple):
    """How one held-out task ended; see pairing.End."""

    template: str
    task: tuple[str, ...]
    outcome: str


def run(*, quick: bool) -> Result:
    """Points of success that IQL has over BC; AWR and cloning of the verified half alone are printed beside."""
    each, steps, episodes = (6, 60, 2) if quick else (EACH, STEPS, EPISODES)
    gym = env.player("cloud")
    simulator = registry.find_environment("cloud").simulator()
    done = [worked(gym, name, seed) for seed in range(each) for name in TEMPLATES]
    failed = sum(one.verification.outcome is Outcome.FAILED for one in done)
    found = pricing.deals(done, lambda one: pricing.earned(one, simulator))
    good = [one for one in done if one.verification.outcome is Outcome.VERIFIED]
    print(f"{len(done)} episodes, {failed} of them failed, {len(found)} actions")
    chosen = pricing.deals(good, lambda one: pricing.earned(one, simulator))
    arms: dict[str, tuple[Method, list[Deal]]] = {method: (method, found) for method in METHODS}
    arms["bc of the verified"] = ("bc", chosen)
    ends: dict[str, list[End]] = {name: [] for name in arms}
    for seed in SEEDS[:1] if quick else SEEDS:
        for name, (method, deals) in arms.items():
            recipe = Recipe(method=method, critic_steps=steps, steps=steps, batch=16, seed=seed)
            ends[name] += _tried(deals, recipe, episodes)
    return result(ends)


def result(ends: Mapping[str, Sequence[End]]) -> Result:
    """How much more of the same tasks IQL did than BC."""
    done = {name: sum(each.outcome == "verified" for each in theirs) for name, theirs in ends.items()}
    for name, theirs in ends.items():
        low, high = wilson(done[name], len(theirs))
        print(f"{name:20} {done[name]}/{len(theirs)} = {done[name] / len(theirs):.1%} [{low:.0%}, {high:.0%}]")
    pair = pairing.pair(ends["iql"], ends["bc"])
    print(f"of {pair.tasks} tasks {pair.only_one} by IQL alone, {pair.only_other} by BC alone, ", end="")
    print(f"{pair.both} by both; p = {pair.p_value:.2g}")
    points = 100 * (pair.only_one - pair.only_other) / pair.tasks
    bar = f">= +{BAR} points (goal +{GOAL})"
    holds, unit = points >= BAR, "points of success, IQL less BC"
    return Result(value=round(points, 1), unit=unit, bar=bar, holds=holds, n=2 * pair.tasks)


def worked(gym: Gym, template: str, seed: int) -> Trajectory:
    """One episode: of even seeds by the oracle, of odd ones by somebody with a habit."""
    episode = Episode(template, seed, "train", "try")
    oracle = sessions.oracle(sessions.sample(template, seed=seed, split="train"))
    return play(gym, episode, Hasty(oracle) if seed % 2 else oracle, name="hasty" if seed % 2 else "oracle")


class Hasty:
    """Knows the work, but takes the first row for the right one, and leaves forms and dialogs unconfirmed."""

    def __init__(self, oracle: registry.Oracle) -> None:
        self._oracle = oracle
        self._content = False

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        return Proposal(self._action(observation, goal, history), 1.0, policy="hasty")

    def _action(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Action:
        right = self._oracle.act(observation, goal, history).action
        element = observation.element(right.element) if isinstance(right, Click) else None
        if self._content or element is None:
            return Finish() if self._content else right
        if element.role == "button" and (element.region == "dialog" or _filled(observation)):
            return Finish()
        other = _first_like(observation, element)
        self._content = other != element
        return Click(other.ref)


def _filled(observation: Observation) -> bool:
    return any("editable" in each.states and each.value and not each.row for each in observation.elements)


def _first_like(observation: Observation, element: Element) -> Element:
    """What stands where this one does in the first row; itself where it is in no row."""
    alike = [e for e in observation.elements if e.row and (e.role, e.label) == (element.role, element.label)]
    return alike[0] if element.row and alike else element


def _tried(found: Sequence[Deal], recipe: Recipe, episodes: int) -> list[End]:
    """Train a policy, as many steps for every one (a critic has as many before), and try it."""
    network, clock = bc.fresh(SMALL, seed=recipe.seed), time.monotonic()
    with TemporaryDirectory() as work:
        done = offline.train(found, network, recipe, work=Path(work))
    first = TESTED_FROM + recipe.seed * episodes
    seeds = range(first, first + episodes)
    good = tried(network, TEMPLATES, seeds)
    values = " ".join(f"{name} {value:.2f}" for name, value in done.values.items())
    seconds = time.monotonic() - clock
    print(f"{recipe.method}, seed {recipe.seed}: {values}: {sum(good)}/{len(good)} ({seconds:.0f} s)", flush=True)
    asked = [(name, str(seed)) for seed in seeds for name in TEMPLATES]
    return [End(each[0], each, "verified" if it else "failed") for each, it in zip(asked, good, strict=True)]
