"""MiniWoB++ tasks as templates: the page tells the goal, so a task is a page and a seed."""

import re
from collections.abc import Mapping

from msgspec import Struct

from sandbox.contracts.tasks import Environment, Goal, Parameter, Risk, Split, Task, Template
from sandbox.registry import NoOracle, Oracle
from sandbox.worlds.miniwob.catalogue import names

ENVIRONMENT = Environment(
    id="miniwob",
    title="MiniWoB++",
    summary="The public benchmark's small web pages, seeded, with the time decay off.",
    real=False,
    practice=True,
)
AS_TOLD = "Do what the page asks."
MAX_STEPS = 20

SEED = Parameter(name="page_seed", title="Seed of the page", kind="integer", minimum=0, example="0")

_RESIDUE = {"train": 0, "validation": 1, "test": 2}
_QUOTED = re.compile(r'"([^"]+)"')


class MiniWobTask(Struct):
    """One page as a kind of task."""

    template: Template

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """The page's seed: no two splits share one."""
        return {SEED.name: str(3 * seed + _RESIDUE[split])}

    def oracle(self, task: Task) -> Oracle:
        """Raises NoOracle: the pages come with people's demonstrations, not with a solver."""
        raise NoOracle(f"{task.template} has no oracle; people's demonstrations show how it is done")


def page_seed(task: Task) -> int:
    """The seed that the page draws its task from; the task's own where none was given (free text)."""
    return int(dict(task.goal.fields).get(SEED.name, task.seed))


def goal(utterance: str, fields: Mapping[str, str] | None = None) -> Goal:
    """What the page asks for; its fields are those that the page names, else the quoted texts in their order."""
    if fields:
        return Goal(utterance, tuple(fields.items()))
    return Goal(utterance, tuple((f"quoted {n}", text) for n, text in enumerate(_QUOTED.findall(utterance), 1)))


def _template(name: str) -> MiniWobTask:
    return MiniWobTask(
        Template(
            id=f"miniwob/{name}",
            environment="miniwob",
            title=name.replace("-", " ").capitalize(),
            summary="A page of MiniWoB++.",
            parameters=(SEED,),
            phrases=(AS_TOLD,),
            risk=Risk.REVERSIBLE,
            max_steps=MAX_STEPS,
        )
    )


TASKS = tuple(_template(name) for name in names())
