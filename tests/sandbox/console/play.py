"""Playing console tasks without a browser: by the teacher, with wrong steps in between, in any variant."""

import random
from collections.abc import Mapping

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Split, Task, Verification
from sandbox.tasks import bind
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.specs import ConsoleTask
from sandbox.worlds.console.variant import DIMENSIONS, Variant

LIMIT = 120


def drawn(spec: ConsoleTask, seed: int, split: Split = "train", recipe: Mapping[str, str] | None = None) -> Task:
    """A random task of a template."""
    return bind(spec.template, spec.sample(seed, split), seed=seed, recipe=recipe)


def any_recipe(seed: object, split: Split) -> dict[str, str]:
    """A variant in which every dimension is drawn."""
    rng = random.Random(str(seed))
    return {dimension.name: rng.choice(dimension.of(split)) for dimension in DIMENSIONS}


def play(
    simulator: ConsoleSimulator, spec: ConsoleTask, task: Task, *, noise: float = 0.0
) -> tuple[Verification, list[Past]]:
    """An episode by the teacher, with this share of harmless wrong steps in its first half."""
    return play_on(simulator, spec, task, simulator.reset(task), [], noise=noise)


def play_on(  # an episode that has begun, with all that it has been so far
    simulator: ConsoleSimulator,
    spec: ConsoleTask,
    task: Task,
    observation: Observation,
    history: list[Past],
    *,
    noise: float = 0.0,
) -> tuple[Verification, list[Past]]:
    """The rest of an episode by the teacher."""
    rng = random.Random(task.seed)
    oracle = spec.oracle(task)
    while len(history) < LIMIT:
        action = oracle.act(observation, task.goal, history).action
        wrong = rng.random() < noise and len(history) < LIMIT // 2
        action = wrong_step(observation, task, rng) if wrong else action
        match action:
            case Finish(said):
                return simulator.verify(said), history
            case GiveUp():
                break
        result, after = simulator.act(action)
        history.append(past(observation, action, result))
        observation = after
    return simulator.verify(""), history


def wrong_step(observation: Observation, task: Task, rng: random.Random) -> Action:
    """Something that changes only the page: no form is sent."""
    sending = sending_buttons(Lexicon.of(Variant.of(task.environment)))
    enabled = [each for each in observation.elements if each.actionable and "disabled" not in each.states]
    element = rng.choice([each for each in enabled if each.role != "button" or each.name not in sending])
    match element.role:
        case "textbox":
            return Type(element.ref, rng.choice(["zzz", "web", "12", ""]))
        case "combobox":
            return Select(element.ref, rng.choice(element.options))
        case _:
            return Click(element.ref)


def sending_buttons(words: Lexicon) -> set[str]:
    """Names of all buttons that write."""
    found = {words.text(kind.create_title) for kind in CLOUD.kinds}
    for kind in CLOUD.kinds:
        for verb in kind.verbs:
            found |= {words.deed(verb, kind, several=several) for several in (False, True)}
    return found
