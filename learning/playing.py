"""A policy that can do something gets better by playing: PPO in simulators, on a leash to what it was."""

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from learning import acting, devices, ppo, together
from learning.acting import Acting, Pages
from learning.checkpoints import kept_step
from learning.collecting import SegmentCollector, World
from learning.curriculum import Curriculum
from learning.curriculum import Path as Way
from learning.metrics import Stream
from learning.networks import ElementSetPolicy, sizes
from learning.ppo import Recipe
from learning.progress import Progress
from learning.rows import Rows
from learning.samples import Sample
from learning.segments import Order, SegmentPlayer
from sandbox.contracts.tasks import Outcome, Task
from sandbox.contracts.trajectories import Trajectory
from sandbox.levels import Level
from sandbox.registry import Registered, find_environment, registered
from sandbox.sessions import sample
from sandbox.variants import BadEnvironmentId, VariantGenerator, parse

SHARP = 50.0  # draws are the likeliest actions, but for ties
TOLD_EVERY = 5  # updates between two reports of every task's success: there may be hundreds
PLAY = Recipe(learning_rate=3e-4, imitation_share=0.3, judge_every=10, patience=6, keep_every=5, updates=1_000)


@dataclass(frozen=True)
class Played:
    """What came of it."""

    updates: int
    seconds: float
    best: float | None  # verified share of the best trial; None where none was made
    ended: str
    success: float  # mean over templates, late in training
    kept: int  # updates that the weights have behind them


def playable(templates: Sequence[str]) -> list[str]:
    """Those templates whose world is known and can be played without a browser."""
    worlds = registered()
    return [name for name in templates if name in _templates(worlds.get(name.partition("/")[0]))]


def _templates(world: Registered | None) -> Collection[str]:
    return world.templates if world is not None and world.make_simulator is not None else ()


def play(
    policy: ElementSetPolicy,
    world: World,
    recipe: Recipe = PLAY,
    *,
    work: Path,
    budget_s: float,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool] = lambda: False,
    shown: Sequence[Sample] = (),
    ways: Sequence[Way] = (),
    curriculum: Curriculum | None = None,
) -> Played:
    """Train the policy in place; goes on from the checkpoint in `work`. Raises Stopped.

    `shown` is imitated beside what it succeeds in itself, so that nothing known is forgotten; episodes may begin
    partway on `ways`; `curriculum` says which templates are worth it. Its curves are in `work` too.
    """
    device = devices.chosen()
    network = Acting(policy, len(world.environments), bins=recipe.bins, seed=recipe.seed).to(device)
    together.alike(network)
    torch.nn.init.zeros_(network.critic.linear.weight)  # the mean of all is nearer than what chance says of each
    reference, about = copy.deepcopy(network).eval(), [replace(world, workers=0, central=None)]  # whoever plays it
    devices.compiled(network, device)
    if not together.first():
        updates = ppo.follow(network, recipe, work=work, reference=reference, about=about)
        policy.to("cpu").hasten(on=False)
        return Played(updates, 0.0, None, "beside", 0.0, updates)
    collector = _Imitating(world, recipe, shown=shown, ways=ways, curriculum=curriculum)
    with Stream(work, first_step=kept_step(work, ppo.begun(network, recipe, reference, about=about)) + 1) as stream:

        def heard(progress: Progress) -> None:
            stream.write(progress.step, progress.values)
            whole = progress.step % TOLD_EVERY == 0
            told = {name: value for name, value in progress.values.items() if whole or "/" not in name}
            report(Progress("play", progress.progress, progress.step, told))

        try:
            trained = ppo.train(
                network,
                collector,
                recipe,
                work=work,
                budget_s=budget_s,
                report=heard,
                should_stop=should_stop,
                reference=reference,
                judge=lambda: trial(network, world, seed=recipe.seed),
                successes=collector.successes,
                about=about,
            )
        finally:
            collector.close()
            policy.to("cpu").hasten(on=False)  # it will be exported
    success = collector.curriculum.metrics().get("success_of_templates", 0.0)
    return Played(trained.updates, trained.seconds, trained.best, trained.ended, success, trained.kept)


def trial(network: Acting, world: World, *, seed: int) -> float:
    """Verified share on fixed validation tasks by the likeliest actions, as the policy will act when it is let out.

    Always the same tasks in the same order, as many of them as so many decisions take.
    Drawn ones hide what was learnt: a step that is right at odds of nine to one fails one time in ten.
    """
    player = SegmentPlayer(sizes(network.policy.shape), world.environments)
    player.take_weights(0, {name: each.detach().cpu().numpy() for name, each in network.state_dict().items()})
    order = Order(
        world.templates,
        world.judged,
        (seed, 5),
        split="validation",
        slots=world.slots,
        sharpness=SHARP,
        reward=world.reward,
    )
    segments, _ = player.play(order)
    return sum(each.verified for each in segments) / max(1, len(segments))


def ways_of(trajectories: Sequence[Trajectory]) -> list[Way]:
    """How verified trajectories of worlds were done, to begin partway on them.

    A level is a task by its recipe. What people filed with names of their own, or what a template of another time
    asked for, no recipe gives: there these actions would be a way to nowhere.
    """
    found = []
    for each in trajectories:
        task = each.task
        if each.verification.outcome == Outcome.VERIFIED and len(each.steps) > 1 and _of_training(task):
            level = Level(task.environment, task.template, task.seed)
            found.append(Way(level, tuple(step.action for step in each.steps)))
    return found


def _of_training(task: Task) -> bool:
    """Whether this is the very task that its level gives when it is played."""
    if not playable([task.template]):
        return False
    try:
        recipe = parse(task.environment)[1]
        same = sample(task.template, seed=task.seed, split="train", recipe=recipe)
        own = VariantGenerator.of(find_environment(task.template.partition("/")[0])).split_of(task.environment)
    except BadEnvironmentId:
        return False
    return own == "train" and (same.environment, same.goal) == (task.environment, task.goal)


class _Imitating(SegmentCollector):
    """Also keeps what is to be imitated: the shown decisions, and the verified episodes of the last rollout."""

    def __init__(
        self,
        world: World,
        recipe: Recipe,
        *,
        shown: Sequence[Sample],
        ways: Sequence[Way],
        curriculum: Curriculum | None = None,
    ) -> None:
        curriculum = curriculum or Curriculum()
        for way in ways:
            curriculum.learn(way)
        super().__init__(world, recipe, curriculum=curriculum)
        environments = {name: index for index, name in enumerate(world.environments)}
        kept = [each for each in shown if each.template.partition("/")[0] in environments]
        taught = [acting.taught(each.label) for each in kept]
        self._pages = [each.arrays for each in kept]
        self._actions = {name: torch.tensor([each[name] for each in taught]) for name in acting.NAMES}
        self._environment = torch.tensor([environments[each.template.partition("/")[0]] for each in kept])

    def successes(self) -> Rows | None:
        """Rows to imitate; None where there are none."""
        good = self.verified_pages
        pages = [*self._pages, *good.arrays] if good else self._pages
        if not pages:
            return None
        if good is None:
            return Pages(pages, self._actions, self._environment)
        actions: Mapping[str, torch.Tensor] = {
            name: torch.cat([each.long(), good.actions[name]]) for name, each in self._actions.items()
        }
        return Pages(pages, actions, torch.cat([self._environment.long(), good.environment]))
