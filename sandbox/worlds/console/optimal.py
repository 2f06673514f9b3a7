"""How many steps a task needs at least: those of its teacher in the plain console, the last answer included."""

from functools import lru_cache

import msgspec

from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Task
from sandbox.registry import UnknownTemplate
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.tasks import spec_of


@lru_cache(maxsize=4096)
def optimal_steps(task: Task) -> int:
    """Steps of the shortest way: pages load at once, nothing fails, nobody interrupts. Raises UnknownTemplate."""
    spec = spec_of(task.template)
    if spec is None:
        raise UnknownTemplate(task.template)
    plain = msgspec.structs.replace(task, environment=spec.console.name)
    simulator, oracle = ConsoleSimulator(), spec.oracle(plain)
    page = simulator.reset(plain)
    history: list[Past] = []
    while not (history and isinstance(history[-1].action, Finish | GiveUp)):
        action = oracle.act(page, plain.goal, history).action
        result, after = simulator.act(action)
        history.append(past(page, action, result))
        page = after
    return len(history)
