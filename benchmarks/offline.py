"""Implicit Q-learning against cloning, on console work of which half was done badly, by people with habits.

Half of the episodes are an oracle's and verified. The other half are by somebody who finishes before a form or dialog
is confirmed, or takes the same button of another row and is content; all of these failed. Nobody says which is which
but the rewards, and every policy gets the same steps of gradient descent on the same data.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import Result
from benchmarks.tree_tasks import SMALL, TEMPLATES, success
from learning import bc, offline, pricing
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
METHODS: tuple[Method, ...] = ("bc", "awr", "iql")


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
    rates: dict[str, float] = {method: _rate(found, _recipe(method, steps), episodes) for method in METHODS}
    chosen = pricing.deals(good, lambda one: pricing.earned(one, simulator))
    rates["bc of the verified"] = _rate(chosen, _recipe("bc", steps), episodes)
    for name, rate in rates.items():
        print(f"{name:20} {rate:.1%}")
    points = 100 * (rates["iql"] - rates["bc"])
    bar = f">= +{BAR} points (goal +{GOAL})"
    n = 2 * episodes * len(TEMPLATES)
    return Result(value=round(points, 1), unit="points of success, IQL less BC", bar=bar, holds=points >= BAR, n=n)


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


def _recipe(method: Method, steps: int) -> Recipe:
    """As many steps for every policy; a critic has as many before."""
    return Recipe(method=method, critic_steps=steps, steps=steps, batch=16)


def _rate(found: Sequence[Deal], recipe: Recipe, episodes: int) -> float:
    network, clock = bc.fresh(SMALL, seed=recipe.seed), time.monotonic()
    with TemporaryDirectory() as work:
        done = offline.train(found, network, recipe, work=Path(work))
    rate = success(network, episodes=episodes)
    values = " ".join(f"{name} {value:.2f}" for name, value in done.values.items())
    print(f"{recipe.method}: {values}: {rate:.1%} ({time.monotonic() - clock:.0f} s)", flush=True)
    return rate
