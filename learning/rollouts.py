"""Episodes of worlds: oracles demonstrate, policies try; in this process, or on actors of Ray."""

import logging
import random
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct, structs

from learning import clusters
from learning.chat import BadAnswer
from learning.failures import Hopeless
from learning.samples import ORACLE
from sandbox import sessions
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Policy, Proposal, past
from sandbox.contracts.tasks import Check, Outcome, Risk, Split, Task, Verification
from sandbox.contracts.trajectories import Actor, Step, Trajectory
from sandbox.variants import parse

log = logging.getLogger(__name__)

Mode: TypeAlias = Literal["demonstrate", "advise", "try"]
_SIGN_OUT = ("sign out", "log out", "logout", "sign-out")
_HARMLESS_IN_DIALOG = ("cancel", "close", "×", "back", "no")
_CLOSING_S = 5.0  # that consoles have to be closed in before their actors are ended


class NoAction(Exception):
    """A policy was asked and gave no action; the message says why."""


class Gym(Protocol):
    """One warm console, reset between tasks: in a browser (sandbox.env.Gym), or without one (registry.Simulator)."""

    def reset(self, task: Task) -> Observation: ...

    def act(self, action: Action) -> tuple[ActResult, Observation]: ...

    def verify(self, answer: str) -> Verification: ...

    def close(self) -> None: ...


class Episode(Struct, frozen=True):
    """One episode to be played.

    demonstrate: the oracle acts, but for slips, which it has to mend. advise: the policy acts and the oracle says at
    each state what it would do (DAgger). try: the policy acts alone.
    """

    template: str
    seed: int
    split: Split
    mode: Mode
    slips: float = 0.0  # share of steps at which something plausible but wrong is done
    in_browser: bool = False  # else without one, where the world can be played so: it shows the same, and sooner
    variant: str = ""  # id of the environment with its recipe; "" = the plain one


class Played(Struct, frozen=True):
    """How an episode went; `lost` says why there is no trajectory."""

    episode: Episode
    trajectory: Trajectory | None
    seconds: float
    proposing_ms: float = 0.0  # median time of a proposal
    lost: str = ""


def play(gym: Gym, episode: Episode, policy: Policy | None, *, name: str = "") -> Trajectory:
    """Play one episode to its end: Finish, GiveUp, no steps left, or a policy that gives no action and so fails."""
    recipe = parse(episode.variant)[1] if episode.variant else None
    task = sessions.sample(episode.template, seed=episode.seed, split=episode.split, recipe=recipe)
    oracle = sessions.oracle(task) if episode.mode != "try" else None
    rng = random.Random(f"slips:{episode.template}:{episode.seed}")  # noqa: S311  # not a secret
    observation = gym.reset(task)
    task = getattr(gym, "task", task)  # a page may tell its goal itself
    steps: list[Step] = []
    remembered: list[Past] = []
    answer = silent = ""
    while len(steps) < task.max_steps:
        opinion = oracle.act(observation, task.goal, remembered) if oracle is not None else None
        try:
            own = policy.act(observation, task.goal, remembered) if policy is not None else None
        except NoAction as problem:
            silent = str(problem)
            break
        if episode.mode == "advise" and opinion is not None and isinstance(opinion.action, GiveUp):
            break  # the policy made it unsolvable; there is nothing right to do from here
        step_of = _chosen(episode, opinion, own, observation, task, rng)
        action = step_of.action
        over = isinstance(action, Finish | GiveUp)
        result, after = (ActResult(ActOutcome.DONE), observation) if over else gym.act(action)
        steps.append(structs.replace(step_of, result=result))
        remembered.append(past(observation, action, result))
        observation = after
        if over:
            answer = action.answer if isinstance(action, Finish) else ""
            break
    return Trajectory(
        id=f"{name or episode.mode}-{episode.template.replace('/', '-')}-{episode.split}-{episode.seed}",
        task=task,
        steps=tuple(steps),
        verification=_without_action(silent) if silent else gym.verify(answer),
        policy=name,
        answer=answer,
    )


def _without_action(why: str) -> Verification:
    return Verification(Outcome.FAILED, (Check("an action was given at each step", holds=False, detail=why),))


def _chosen(
    episode: Episode,
    opinion: Proposal | None,
    own: Proposal | None,
    observation: Observation,
    task: Task,
    rng: random.Random,
) -> Step:
    """Who acts at this step, and with what; the result is filled in when it is done."""
    undone = ActResult(ActOutcome.DONE)
    by_oracle: Actor = "oracle"
    if opinion is None and own is not None:
        return Step(observation, own, "policy", "approved", "auto_policy", Risk.UNKNOWN, own.action, undone)
    assert opinion is not None, "an episode needs an oracle or a policy"
    opinion = Proposal(opinion.action, opinion.probability, value=opinion.value, policy=ORACLE, why=opinion.why)
    other = own.action if own is not None else None
    if own is None and not isinstance(opinion.action, Finish | GiveUp) and rng.random() < episode.slips:
        other = slip(observation, opinion.action, task, rng)
    ends = isinstance(opinion.action, Finish) or isinstance(other, Finish | GiveUp)  # only the oracle ends an episode
    if other is None or other == opinion.action or ends:
        return Step(observation, None, by_oracle, None, None, Risk.UNKNOWN, opinion.action, undone)
    return Step(observation, opinion, "policy", None, None, Risk.UNKNOWN, other, undone)


def slip(observation: Observation, right: Action, task: Task, rng: random.Random) -> Action | None:
    """Something a learner might do by mistake here, that can still be mended; None where nothing offers itself."""
    found: list[Action] = []
    values = [value for _, value in task.goal.fields]
    target = getattr(right, "element", -1)
    for element in observation.elements:
        if not element.actionable or "disabled" in element.states or "offscreen" in element.states:
            continue
        if "editable" in element.states and values:
            found.append(Type(element.ref, rng.choice(values)))
        elif len(element.options) > 1:
            found.append(Select(element.ref, rng.choice(element.options)))
        elif element.ref != target and _is_harmless(element):
            found.append(Click(element.ref))
    found = [action for action in found if action != right]
    return rng.choice(found) if found else None


def _is_harmless(element: Element) -> bool:
    name = element.name.lower()
    if any(word in name for word in _SIGN_OUT):
        return False
    if element.region == "dialog":
        return element.role in ("checkbox", "tab") or name in _HARMLESS_IN_DIALOG
    return element.role in ("link", "tab", "checkbox", "menuitem")


class Player:
    """Plays one episode after another; keeps a warm console of each kind, and replaces one that dies."""

    def __init__(self, policy_folder: str = "", *, name: str = "") -> None:
        self._gyms: dict[tuple[str, bool], Gym] = {}  # by environment, and whether in a browser
        self._name = name
        self._policy: _Timed | None = None
        if policy_folder:
            from learning.kinds import open_policy  # ONNX Runtime only where a policy plays

            self._policy = _Timed(open_policy(Path(policy_folder), name=name))

    def play(self, episode: Episode) -> Played:
        """Play it; a console or browser that dies costs this episode and no other. Raises Hopeless."""
        began = time.monotonic()
        if self._policy:
            self._policy.forget()
        try:
            trajectory = play(self._gym(episode), episode, self._policy, name=self._name)
        except Hopeless:
            raise
        except (sessions.SessionLost, OSError, TimeoutError, RuntimeError) as problem:
            log.warning("lost %s seed %s: %r", episode.template, episode.seed, problem)
            self._drop(episode)
            return Played(episode, None, time.monotonic() - began, lost=f"{type(problem).__name__}: {problem}")
        proposing_ms = self._policy.median_ms() if self._policy else 0.0
        return Played(episode, trajectory, time.monotonic() - began, proposing_ms)

    def close(self) -> None:
        """Close every console; safe to repeat."""
        while self._gyms:
            _, gym = self._gyms.popitem()
            gym.close()

    def _gym(self, episode: Episode) -> Gym:
        key = _console(episode)
        if key not in self._gyms:
            from sandbox import env  # worlds and browsers only where something is played

            environment, in_browser = key
            self._gyms[key] = env.Gym(environment) if in_browser else env.player(environment)
        return self._gyms[key]

    def _drop(self, episode: Episode) -> None:
        gym = self._gyms.pop(_console(episode), None)
        if gym is None:
            return
        try:
            gym.close()
        except (sessions.SessionLost, OSError, TimeoutError, RuntimeError) as problem:
            log.warning("a dead console did not close: %r", problem)


def _console(episode: Episode) -> tuple[str, bool]:
    return episode.template.partition("/")[0], episode.in_browser


class _Timed:
    """A policy with a watch; what keeps it from an action is told apart from what happens to consoles."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._took: list[float] = []

    def act(self, observation: Observation, goal: Any, history: Sequence[Past]) -> Proposal:
        """Propose. Raises NoAction, Hopeless."""
        began = time.perf_counter()
        try:
            proposal = self._policy.act(observation, goal, history)
        except Hopeless:
            raise
        except (RuntimeError, OSError, BadAnswer) as problem:  # whatever the kind of policy calls it
            raise NoAction(f"{type(problem).__name__}: {problem}") from problem
        self._took.append((time.perf_counter() - began) * 1000)
        return proposal

    def forget(self) -> None:
        """Begin to measure anew."""
        self._took.clear()

    def median_ms(self) -> float:
        return sorted(self._took)[len(self._took) // 2] if self._took else 0.0


def play_all(
    episodes: Sequence[Episode],
    *,
    policy_folder: Path | None = None,
    name: str = "",
    workers: int = 0,
    heard: Callable[[Played], None] = lambda _: None,
    go_on: Callable[[], bool] = lambda: True,
) -> list[Played]:
    """Play every episode, here (workers=0) or on that many Ray actors; in the order asked for.

    `go_on` is asked after each: where it says no, what was played by then is returned. Raises Hopeless.
    """
    folder = str(policy_folder.resolve()) if policy_folder else ""
    played = _on_ray(episodes, folder, name, workers) if workers else _here(episodes, folder, name)
    found: dict[Episode, Played] = {}
    with closing(played):
        for each in played:
            heard(each)
            found[each.episode] = each
            if not go_on():
                break
    return [found[episode] for episode in episodes if episode in found]


def _here(episodes: Sequence[Episode], folder: str, name: str) -> Generator[Played, None, None]:
    player = Player(folder, name=name)
    try:
        for episode in episodes:
            yield player.play(episode)
    finally:
        player.close()


def _on_ray(episodes: Sequence[Episode], folder: str, name: str, workers: int) -> Generator[Played, None, None]:
    """Hand out one episode at a time, the next to whoever is free; a dead actor costs its episode.

    Where nobody wants the rest, an episode underway is given up with its actor.
    """
    import ray  # only where asked for

    clusters.begin(workers)
    remote: Any = ray.remote(num_cpus=1)(Player)
    waiting = list(reversed(episodes))
    busy: dict[Any, tuple[Any, Episode]] = {}
    free = [remote.remote(folder, name=name) for _ in range(min(workers, len(episodes)))]
    try:
        while waiting or busy:
            while waiting and free:
                actor, episode = free.pop(), waiting.pop()
                busy[actor.play.remote(episode)] = (actor, episode)
            [done], _ = ray.wait(list(busy), num_returns=1)
            actor, episode = busy.pop(done)
            try:
                played = ray.get(done)
            except ray.exceptions.RayTaskError:  # the actor lives: what Player.play lets out is no console's
                raise
            except ray.exceptions.RayError as problem:
                played = Played(episode, None, 0.0, lost=f"{type(problem).__name__}: {problem}")
                actor = remote.remote(folder, name=name)
            free.append(actor)
            yield played
    finally:
        free += [actor for actor, _ in busy.values()]
        closing = [actor.close.remote() for actor in free]
        if closing:
            ray.wait(closing, num_returns=len(closing), timeout=_CLOSING_S)  # raises nothing, whoever has died
        for actor in free:
            ray.kill(actor)


def verified(played: Played) -> bool:
    """Whether the console's own state says that the task was done."""
    return played.trajectory is not None and played.trajectory.verification.outcome == Outcome.VERIFIED
