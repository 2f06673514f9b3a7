"""Whether a policy answers the same question alike: in another look of a console, and from version to version."""

import random
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from learning.measures import Share, share
from sandbox import registry, sessions
from sandbox.contracts.actions import Action, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Policy, past
from sandbox.contracts.tasks import Goal, Split, Task
from sandbox.registry import find_environment
from sandbox.variants import VariantGenerator, parse

BAR = 0.82  # what a policy must reach between variants
SPLIT: Split = "test"  # of which its tasks and looks are


class Question(Struct, frozen=True):
    """One state on the oracle's way through a task, and what is right there."""

    observation: Observation
    goal: Goal
    history: tuple[Past, ...]
    right: Action

    @property
    def about(self) -> tuple[str, str]:
        """What the right action is, in words that no look of a console changes: its kind, and the goal's field."""
        text = self.right.text if isinstance(self.right, Type) else ""
        text = self.right.option if isinstance(self.right, Select) else text
        field = next((name for name, value in self.goal.fields if value == text), "") if text else ""
        return type(self.right).__name__, field


class Consistency(Struct, frozen=True):
    """How often answers agree, overall and by template."""

    overall: Share
    templates: dict[str, Share]


def walk(simulator: registry.Simulator, task: Task) -> Iterator[Question]:
    """Every state that the oracle goes through."""
    oracle, seen = sessions.oracle(task), simulator.reset(task)
    history: list[Past] = []
    while len(history) < task.max_steps:
        right = oracle.act(seen, task.goal, history).action
        yield Question(seen, task.goal, tuple(history), right)
        if isinstance(right, Finish | GiveUp):
            return
        result, after = simulator.act(right)
        history.append(past(seen, right, result))
        seen = after


def between_variants(
    policy: Policy,
    *,
    templates: Sequence[str],
    tasks: int,
    seed: int,
    changed: int = 1,
    go_on: Callable[[], bool] = lambda: True,
) -> Consistency:
    """The same tasks in the plain console and in one that differs in `changed` ways: questions answered alike.

    Both oracles' ways are laid side by side; where they ask the same, the policy is alike when it is right in both, or
    wrong in both by the same kind of action. Raises NoSuchFace for an environment without a simulator. `go_on` is
    asked after each template: where it says no, the rest is left out.
    """
    alike: dict[str, list[bool]] = {}
    for template in _while(go_on, templates):
        alike[template] = []
        found = find_environment(template.partition("/")[0])
        generator, simulator = VariantGenerator.of(found), found.simulator()
        for number in range(tasks):
            drawn = generator.draw(random.Random(f"{template} {seed + number}"), SPLIT, changed=changed)  # noqa: S311  # no secret
            ways = []
            for recipe in ({}, _kept(parse(drawn)[1])):
                task = sessions.sample(template, seed=seed + number, split=SPLIT, recipe=recipe)
                ways.append(list(walk(simulator, task)))
            alike[template] += [_alike(policy, *pair) for pair in side_by_side(*ways)]
        simulator.close()
    return _counted(alike)


def between_versions(
    one: Policy,
    other: Policy,
    *,
    templates: Sequence[str],
    tasks: int,
    seed: int,
    go_on: Callable[[], bool] = lambda: True,
) -> Consistency:
    """The same states before two versions: the share on which they propose the very same action."""
    alike: dict[str, list[bool]] = {}
    for template in _while(go_on, templates):
        alike[template] = []
        simulator = find_environment(template.partition("/")[0]).simulator()
        for number in range(tasks):
            for asked in walk(simulator, sessions.sample(template, seed=seed + number, split=SPLIT)):
                state = asked.observation, asked.goal, asked.history
                alike[template].append(one.act(*state).action == other.act(*state).action)
        simulator.close()
    return _counted(alike)


def _while(go_on: Callable[[], bool], templates: Sequence[str]) -> Iterator[str]:
    """Templates in order: the first, and each next one if there is time."""
    for number, template in enumerate(sorted(templates)):
        if number and not go_on():
            return
        yield template


def side_by_side(one: Sequence[Question], other: Sequence[Question]) -> list[tuple[Question, Question]]:
    """Questions of two ways that ask the same, in order; what only one of them asks is left out."""
    matcher = SequenceMatcher(None, [each.about for each in one], [each.about for each in other], autojunk=False)
    return [
        (one[block.a + n], other[block.b + n]) for block in matcher.get_matching_blocks() for n in range(block.size)
    ]


def _alike(policy: Policy, one: Question, other: Question) -> bool:
    said = [policy.act(each.observation, each.goal, each.history).action for each in (one, other)]
    right = [action == each.right for action, each in zip(said, (one, other), strict=True)]
    return right[0] == right[1] and (right[0] or type(said[0]) is type(said[1]))


def _kept(recipe: dict[str, str]) -> dict[str, str]:
    """A recipe without the goal's language: the question must stay the same."""
    return {name: value for name, value in recipe.items() if name != "goal"}


def _counted(alike: dict[str, list[bool]]) -> Consistency:
    every = [each for group in alike.values() for each in group]
    by_template = {name: share(sum(group), len(group)) for name, group in alike.items()}
    return Consistency(share(sum(every), len(every)), by_template)
